// Groups of neighbouring nodes of a symmetric graph, for coarse spaces.
#ifndef COND_LINEAR_AGGREGATE_H
#define COND_LINEAR_AGGREGATE_H

// Gives every node the number of its group and returns the number of groups. A group starts as a
// node with all its neighbours, none of them taken before; the nodes left over join a group they
// touch. The graph is that of a matrix in compressed rows, with the diagonal or without.
//                                              row_begin (n + 1), column (row_begin[n]), group (n)
int cond_aggregate(int n, const int* row_begin, const int* column, int* group);

#endif
