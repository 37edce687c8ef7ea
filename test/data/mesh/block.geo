// A small block with a round edge, for the tests of the mesh readers. Made with
//   gmsh -3 block.geo -format msh41 -o block_41_ascii.msh    (add -bin for binary, msh22 for version 2.2)
SetFactory("Built-in");
h = 0.1;
Point(1) = {0, 0, 0, h};
Point(2) = {0.1, 0, 0, h};
Point(3) = {0, 0.1, 0, h};
Line(1) = {1, 2};
Circle(2) = {2, 1, 3};
Line(3) = {3, 1};
Curve Loop(1) = {1, 2, 3};
Plane Surface(1) = {1};
Extrude {0, 0, 0.05} { Surface{1}; }
Mesh.SaveAll = 1;
