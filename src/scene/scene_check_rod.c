// The rules that the centreline and the section of a rod obey.
#include "base/tuning.h"
#include "scene/scene_check.h"

#include <math.h>
#include <stdio.h>

static CondStatus check_points(const CondBodyDef* def, CondSceneIssue* issue)
{
    if (def->n_point < 2 || !def->point)
        return cond_scene_issue_set(issue, "rod.points", "expected at least two points");
    for (int i = 0; i < def->n_point; ++i) {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double x = def->point[3 * (size_t)i + k];
            if (!isfinite(x))
                return cond_scene_issue_set(issue, "rod.points", "point %d is not finite", i);
            if (i > 0)
                square += (x - def->point[3 * (size_t)(i - 1) + k]) *
                          (x - def->point[3 * (size_t)(i - 1) + k]);
        }
        if (i > 0 && !(square > 0.0))
            return cond_scene_issue_set(issue, "rod.points", "points %d and %d are the same", i - 1,
                                        i);
    }
    return COND_OK;
}

CondStatus cond_scene_check_rod(const CondBodyDef* def, CondSceneIssue* issue)
{
    const CondRodDef* rod = &def->rod;
    CondStatus status = cond_keys_check("bodies.rod", def, sizeof *def, issue);
    if (status)
        return status;
    int rectangle = rod->rectangle[0] > 0.0 && rod->rectangle[1] > 0.0;
    if (rod->circle == 0.0 && !rectangle)
        return cond_scene_issue_set(issue, "rod.circle",
                                    "is required, or rectangle: what the section is");
    if (rod->circle > 0.0 && (rod->rectangle[0] != 0.0 || rod->rectangle[1] != 0.0))
        return cond_scene_issue_set(issue, "rod.rectangle",
                                    "the section is a circle; only one of them may be given");
    if (rod->rest == COND_ROD_REST_SHAPE && !cond_is_zero(3, rod->rest_curvature))
        return cond_scene_issue_set(issue, "rod.rest_curvature", "needs rest: uniform");
    if (rod->shape == COND_ROD_POINTS)
        return check_points(def, issue);
    if (rod->length == 0.0)
        return cond_scene_issue_set(issue, "rod.length", "is required (a number > 0)");
    int bent = rod->shape == COND_ROD_ARC || rod->shape == COND_ROD_HELIX;
    if (bent && rod->bend_radius == 0.0)
        return cond_scene_issue_set(issue, "rod.bend_radius", "is required (a number > 0)");
    return COND_OK;
}

CondStatus cond_check_at(const CondScene* scene, int body, const char* prefix, double at,
                         CondSceneIssue* issue)
{
    const CondBodyDef* def = &scene->body[body];
    char field[24];
    snprintf(field, sizeof field, "%s%sat", prefix, *prefix ? "." : "");
    if (def->kind != COND_BODY_ROD)
        return isnan(at) || at == 0.0
                   ? COND_OK
                   : cond_scene_issue_set(
                         issue, field, "only rods have a length along which it lies; '%s' is a %s",
                         def->name, cond_body_noun(def->kind));
    if (isnan(at))
        return cond_scene_issue_set(issue, field, "is required: '%s' is a rod", def->name);
    if (def->rod.shape != COND_ROD_POINTS && at > def->rod.length * (1.0 + COND_INPUT_ROUNDING))
        return cond_scene_issue_set(issue, field, "'%s' is only %g m long", def->name,
                                    def->rod.length);
    return COND_OK;
}
