// Patches of contacts (soft/contact_patch.h) by items, for C and for CUDA: loads of chunks of their
// contacts, then of the patches.
#ifndef COND_NEWTON_RESIDENT_PATCH_ITEM_H
#define COND_NEWTON_RESIDENT_PATCH_ITEM_H

#include "newton/resident_item.h"

// The first contact of a chunk that sticks; -1: none.
COND_DEVICE void cond_patch_first_item(const CondResidentView* a, int chunk)
{
    int first = -1;
    for (int k = a->chunk_begin[chunk]; k < a->chunk_begin[chunk + 1] && first < 0; k++)
        first = a->kind[a->group_contact[k]] ? a->group_contact[k] : -1;
    a->chunk_first[chunk] = first;
}

COND_DEVICE void cond_patch_first_of_group_item(const CondResidentView* a, int group)
{
    int first = -1;
    for (int k = a->group_chunk[group]; k < a->group_chunk[group + 1] && first < 0; k++)
        first = a->chunk_first[k];
    a->group_first[group] = first;
}

// 1 where a contact's normal is about that of its patch.
COND_DEVICE int cond_patch_belongs(const CondContact* contact, const double* normal)
{
    const double* R = contact->frame;
    return R[0] * normal[0] + R[1] * normal[1] + R[2] * normal[2] >= COND_ALIGNED;
}

// Sum of x_t in world axes, of mu x_n, and the number of contacts.
COND_DEVICE void cond_patch_load_item(const CondResidentView* a, int chunk)
{
    double load[COND_PATCH_LOAD] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    int first = a->group_first[a->chunk_group[chunk]];
    for (int k = a->chunk_begin[chunk]; k < a->chunk_begin[chunk + 1] && first >= 0; k++) {
        int c = a->group_contact[k];
        const CondContact* contact = &a->contact[c];
        const double *R = contact->frame, *x = a->trial + (ptrdiff_t)3 * c;
        if (!a->kind[c] || !cond_patch_belongs(contact, a->contact[first].frame))
            continue;
        for (int i = 0; i < 3; i++)
            load[i] += R[3 + i] * x[1] + R[6 + i] * x[2];
        load[3] += cond_resident_capacity(contact, x);
        load[7] += 1.0;
    }
    for (int i = 0; i < COND_PATCH_LOAD; i++)
        a->chunk_load[(ptrdiff_t)COND_PATCH_LOAD * chunk + i] = load[i];
}

COND_DEVICE void cond_patch_load_of_group_item(const CondResidentView* a, int group)
{
    double* load = a->group_load + (ptrdiff_t)COND_PATCH_LOAD * group;
    for (int i = 0; i < COND_PATCH_LOAD; i++) {
        double sum = 0.0;
        for (int k = a->group_chunk[group]; k < a->group_chunk[group + 1]; k++)
            sum += a->chunk_load[(ptrdiff_t)COND_PATCH_LOAD * k + i];
        load[i] = sum;
    }
}

// The share of a contact in the load of its patch, where the patch cannot hold it.
COND_DEVICE void cond_patch_share_item(const CondResidentView* a, int chunk)
{
    int group = a->chunk_group[chunk], first = a->group_first[group];
    const double* load = a->group_load + (ptrdiff_t)COND_PATCH_LOAD * group;
    double t = sqrt(load[0] * load[0] + load[1] * load[1] + load[2] * load[2]);
    if (first < 0 || !(t > load[3]) || load[7] < 2.0)
        return;
    for (int k = a->chunk_begin[chunk]; k < a->chunk_begin[chunk + 1]; k++) {
        int c = a->group_contact[k];
        const CondContact* contact = &a->contact[c];
        const double *R = contact->frame, *x = a->trial + (ptrdiff_t)3 * c;
        double *to = a->patch + (ptrdiff_t)3 * c, held = cond_resident_capacity(contact, x);
        if (!a->kind[c] || !cond_patch_belongs(contact, a->contact[first].frame) ||
            hypot(x[1], x[2]) > held)
            continue;
        to[0] = x[0];
        for (int i = 1; i < 3; i++)
            to[i] = held / load[3] *
                    (R[3 * i] * load[0] + R[3 * i + 1] * load[1] + R[3 * i + 2] * load[2]);
    }
}

COND_DEVICE void cond_patch_forget_item(const CondResidentView* a, int c)
{
    a->patch[3 * c] = 0.0;
}

COND_DEVICE void cond_patch_take_item(const CondResidentView* a, int c)
{
    for (int i = 0; i < 3 && a->patch[3 * c] > 0.0; i++)
        a->trial[3 * c + i] = a->patch[3 * c + i];
}

COND_KERNEL(cond_patch_firsts, CondResidentView, cond_patch_first_item)
COND_KERNEL(cond_patch_firsts_of_groups, CondResidentView, cond_patch_first_of_group_item)
COND_KERNEL(cond_patch_loads, CondResidentView, cond_patch_load_item)
COND_KERNEL(cond_patch_loads_of_groups, CondResidentView, cond_patch_load_of_group_item)
COND_KERNEL(cond_patch_shares, CondResidentView, cond_patch_share_item)
COND_KERNEL(cond_patch_forgets, CondResidentView, cond_patch_forget_item)
COND_KERNEL(cond_patch_takes, CondResidentView, cond_patch_take_item)

#endif
