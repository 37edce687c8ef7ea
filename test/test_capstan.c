// A tape over a drum: the ratio of its tensions when it slips (Euler and Eytelwein), taken at the
// centreline, against the exponential law and against that of the polygon the links make; and for
// contact at a distance from the centreline.
#include "math/vec3.h"
#include "model/rod.h"
#include "rod_make.h"
#include "sim/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double PI = 3.14159265358979323846;
static const double R = 0.1; // of the drum [m]

enum { TAIL = 4, MAX_POINT = 2 * 144 + 2 * TAIL + 1 };

// The tape as a polygon around a circle of radius `centre`, in the y-z plane, with straight tails.
static int lay(int links, double d, double centre, double point[][3], double along[3])
{
    double corner = centre / cos(0.5 * d), l = 2.0 * centre * tan(0.5 * d);
    double theta = links * d;
    int n = 0;
    along[0] = 0.0;
    along[1] = -sin(theta);
    along[2] = cos(theta);
    for (int k = 0; k <= links + 2 * TAIL; k++, n++) {
        double phi = fmin(fmax(k - TAIL, 0), links) * d, rest = k < TAIL ? k - TAIL : 0.0;
        if (k > TAIL + links)
            rest = k - TAIL - links;
        double direction[2] = {k < TAIL ? 0.0 : along[1], k < TAIL ? 1.0 : along[2]};
        point[n][0] = 0.0;
        point[n][1] = corner * cos(phi) + rest * l * direction[0];
        point[n][2] = corner * sin(phi) + rest * l * direction[1];
    }
    return n;
}

// Pulls the end slowly until all of it slips; returns the tension there over that at the begin.
static double slip_ratio(int links, double d, double mu, double radius, int steps)
{
    double point[MAX_POINT][3], along[3], EA = 1e9 * 0.01 * 5e-5;
    double T1 = fmin(0.02, 2.0 * exp(-mu * links * d)); // of a tape that hardly stretches
    CondScene* scene = make_scene();
    CondMaterialDef material = make_material("tape", 1e9, 0.0);
    CondBodyDef rod = cond_body_def_default(), heavy;
    CondObstacleDef drum = make_obstacle(COND_SHAPE_CYLINDER, R, 0.1, 0.0, 0.0, 0.0, 0.0);
    // The tape stretches by the integral of T/EA before all of it slips; it is pulled by three
    // times that, slowly enough that links hardly turn in a step: forces have the directions of its
    // begin, an error of each link that the others multiply.
    double stretch = T1 * exp(mu * links * d) / EA * (R / mu + TAIL * R * d), t = 0.02;
    double speed = 3.0 * stretch / (steps * t);
    int n = lay(links, d, R + radius, point, along);
    cond_scene_settings(scene)->gravity[2] = 0.0;
    cond_scene_settings(scene)->time_step = t;
    cond_scene_settings(scene)->solver.tolerance = 1e-8;
    material.geometric = COND_GEOMETRIC_CLAMPED;
    add_material(scene, &material);
    make_turn(0.0, 1.0, 0.0, 0.5 * PI, drum.orientation);
    add_obstacle(scene, &drum);
    rod.kind = COND_BODY_ROD;
    strcpy(rod.name, "rod");
    strcpy(rod.material, "tape");
    rod.rod.shape = COND_ROD_POINTS;
    rod.n_point = n;
    rod.point = point[0];
    rod.rod.rest = COND_ROD_REST_UNIFORM;
    rod.rod.rectangle[0] = 0.01;
    rod.rod.rectangle[1] = 5e-5;
    rod.rod.contact_radius = radius;
    rod.self_contact = 0;
    rod.surface.friction[0] = rod.surface.friction[1] = mu;
    add_body(scene, &rod);
    heavy = make_particle(1e5, 0.0, point[n - 1][1], point[n - 1][2]);
    strcpy(heavy.name, "heavy");
    for (int i = 0; i < 3; i++)
        heavy.velocity[i] = speed * along[i];
    add_body(scene, &heavy);
    CondForceDef force = cond_force_def_default();
    strcpy(force.body, "rod");
    force.at = 0.0;
    force.force[2] = -T1;
    add_force(scene, &force);
    CondAttachmentDef pull = make_attachment("pull", "rod", "heavy", 0);
    pull.end[0].at = 100.0; // its end
    add_attachment(scene, &pull);
    Trial trial = trial_begin(scene);
    double wrench[6];
    trial_try(&trial, 1); // nothing is known of any contact force yet
    trial_step(&trial, steps - 1);
    cond_sim_attachment_wrench(trial.sim, 0, wrench);
    double ratio = vec3_norm(wrench) / T1;
    trial_end(&trial);
    return ratio;
}

// A link is in balance when the forces at its two ends have equal parts across it. With the angles
// a and b they make with it, a + b = d, this gives the ratio g of the tensions by g (cos b, sin b)
// = (cos a + 2 mu sin a, sin a).
static double balanced(double mu, double d)
{
    double low = 0.0, high = d, a = 0.0;
    for (int i = 0; i < 100; i++) {
        a = 0.5 * (low + high);
        *(a + atan2(sin(a), cos(a) + 2.0 * mu * sin(a)) < d ? &low : &high) = a;
    }
    return hypot(cos(a) + 2.0 * mu * sin(a), sin(a));
}

static void thin(void** state)
{
    (void)state;
    static const struct {
        double mu;
        int half_turns, per_turn;
    } run[] = {{0.1, 4, 72}, {0.3, 1, 72},  {0.3, 2, 72}, {0.3, 4, 108},
               {0.5, 1, 72}, {0.5, 2, 108}, {0.5, 4, 144}};
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        int links = run[k].half_turns * run[k].per_turn / 2;
        double mu = run[k].mu, d = 2.0 * PI / run[k].per_turn, t = mu * tan(0.5 * d);
        double polygon = pow((1.0 + t) / (1.0 - t), links), euler = exp(mu * links * d);
        int steps = run[k].half_turns > 2 ? 150 : 30;
        double ratio = slip_ratio(links, d, mu, 0.0, steps), own = pow(balanced(mu, d), links);
        print_message("mu %.1f, %.1f turns, %d links: %.4f; exponential %.4f, polygon %.4f, "
                      "balanced links %.4f\n",
                      mu, 0.5 * run[k].half_turns, links, ratio, euler, polygon, own);
        assert_near(ratio, euler, 0.03 * euler);
        assert_near(ratio, polygon, 0.005 * polygon);
        assert_near(ratio, own, 0.005 * own);
    }
}

// Friction acts at R and the tension at R + r: with c = r/(R + r) the balance of a stretch gives
// the exponent b per radian by b (1 + mu b c) = mu (1 - c).
static void thick(void** state)
{
    (void)state;
    double mu = 0.5, r = 0.1 * R, c = r / (R + r), b = 0.4;
    for (int i = 0; i < 50; i++)
        b = mu * (1.0 - c) / (1.0 + mu * b * c);
    double theta = 2.0 * PI, found = log(slip_ratio(36, 2.0 * PI / 36, mu, r, 180)) / theta;
    print_message("thick: %.4f per radian, theory %.4f, thin %.4f\n", found, b, mu);
    assert_near(found, b, 0.01 * b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thin),
        cmocka_unit_test(thick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
