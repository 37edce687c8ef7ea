#include "model/party.h"

static int are_apart(const CondModel* model, const CondParty* a, int b)
{
    int low = a->apart_begin, high = low + a->n_apart;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (model->apart[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->apart_begin + a->n_apart && model->apart[low] == b;
}

int cond_parties_touch(const CondModel* model, int a, int b)
{
    const CondParty *p = &model->party[a], *q = &model->party[b];
    if (a == b || !(p->groups & q->touches) || !(q->groups & p->touches))
        return 0;
    if (p->body >= 0 && p->body == q->body && (!p->self_contact || p->rigid == q->rigid))
        return 0;
    return p->n_apart == 0 || !are_apart(model, p, b);
}

int cond_model_n_left_out(const CondModel* model)
{
    return model->n_left_out;
}

const CondLeftOut* cond_model_left_out(const CondModel* model, int pair)
{
    return pair >= 0 && pair < model->n_left_out ? &model->left_out[pair] : NULL;
}

const char* cond_left_out_name(CondLeftOutReason reason)
{
    static const char* const names[] = {"adjacent", "srdf", "exclude", "overlap"};
    return (unsigned)reason < sizeof names / sizeof *names ? names[reason] : NULL;
}
