#include "collide/touch.h"

#include "base/memory.h"

#include <math.h>

static const double FRICTION_DEFAULT = 0.5; // where neither surface says

CondStatus cond_touch_add(CondTouchList* list, const CondTouch* touch)
{
    if (cond_reserve(&list->context, &list->touch, &list->cap_touch, list->n + 1, sizeof *touch))
        return COND_OUT_OF_MEMORY;
    list->touch[list->n++] = *touch;
    return COND_OK;
}

void cond_touch_surfaces(const CondSurfaceDef* a, const CondSurfaceDef* b, CondTouch* touch)
{
    for (int i = 0; i < 2; i++) {
        double x = a->friction[i], y = b->friction[i];
        touch->friction[i] = isnan(x) ? y : isnan(y) ? x : sqrt(x * y);
        if (isnan(touch->friction[i]))
            touch->friction[i] = FRICTION_DEFAULT;
    }
    touch->restitution = fmax(a->restitution, b->restitution); // fmax passes over NaN
    if (isnan(touch->restitution))
        touch->restitution = 0.0;
}
