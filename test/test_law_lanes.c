// Laws of contacts four side by side: the same bits as one after the other, whatever the contacts
// are and however many.
#include "law/certificate.h"
#include "newton/linear_law.h"
#include "random_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 37, TRIALS = 400 };

typedef struct Contacts {
    int n;
    CondContact contact[MOST];
    CondNaturalMap map[MOST];
    double u[3 * MOST], lambda[3 * MOST], delassus[MOST], compliance[MOST];
    int relaxed[MOST], carried[MOST];
} Contacts;

static double size(Random* random)
{
    return pow(10.0, random_uniform(random, -3.0, 3.0));
}

// Open, sticking and slipping contacts; now and then one of another kind, or a number that is zero,
// or so large or small that its square is not.
static void make(Random* random, int strange, Contacts* made)
{
    static const double odd[] = {0.0, -0.0, 1e-160, 1e-120, 1e110, 1e170, NAN, INFINITY};
    memset(made, 0, sizeof *made);
    made->n = 1 + random_int(random, MOST);
    for (int c = 0; c < made->n; c++) {
        CondContact* contact = &made->contact[c];
        int kind = strange ? random_int(random, 24) : 24;
        contact->friction[0] = contact->friction[1] = random_uniform(random, 0.05, 1.5);
        contact->bound[1] = INFINITY;
        contact->set = kind == 0 ? COND_FORCE_INTERVAL : COND_FORCE_CONE;
        made->relaxed[c] = kind == 1;
        contact->friction[1] *= kind == 2 ? 2.0 : 1.0;
        if (kind == 3)
            contact->friction[0] = contact->friction[1] = 0.0;
        made->delassus[c] = size(random);
        made->compliance[c] = random_int(random, 2) ? 0.1 * size(random) : 0.0;
        double force = size(random);
        for (int i = 0; i < 3; i++) {
            made->lambda[3 * c + i] = force * random_uniform(random, i ? -0.6 : 0.0, 1.0);
            made->u[3 * c + i] = made->delassus[c] * force * random_uniform(random, -1.0, 1.0);
        }
        double* at = random_int(random, 2) ? made->u : made->lambda;
        if (kind == 4)
            at[3 * c + random_int(random, 3)] = odd[random_int(random, 8)];
        if (kind == 5)
            memset(made->lambda + 3 * c, 0, 3 * sizeof *made->lambda);
        if (kind == 6)
            memset(made->u + 3 * c, 0, 3 * sizeof *made->u);
        made->map[c] =
            (CondNaturalMap){made->relaxed[c] ? COND_LAW_PROXIMAL : COND_LAW_STRICT, contact,
                             made->delassus[c] + made->compliance[c], made->compliance[c]};
    }
}

// Equal but for the bits of a NaN.
static void assert_same(double a, double b)
{
    assert_true((isnan(a) && isnan(b)) || a == b);
}

static void merits_are_those_of_each_contact(void** state)
{
    (void)state;
    Random random = random_start(1);
    for (int trial = 0; trial < TRIALS; trial++) {
        Contacts made;
        double share[MOST], e[3];
        make(&random, trial % 4 > 0, &made);
        cond_natural_map_shares(made.n, made.map, made.u, made.lambda, share);
        for (int c = 0; c < made.n; c++) {
            cond_natural_map_error(&made.map[c], made.u + 3 * c, made.lambda + 3 * c, e);
            assert_same(share[c], made.map[c].gamma * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]));
        }
    }
}

static void errors_are_those_of_each_contact(void** state)
{
    (void)state;
    Random random = random_start(2);
    for (int trial = 0; trial < TRIALS; trial++) {
        Contacts made;
        double natural[MOST], penetration[MOST];
        make(&random, trial % 4 > 0, &made);
        CondProblem problem = {.n_contact = made.n, .contact = made.contact};
        CondCertificateData data = {.problem = &problem,
                                    .law = trial % 8 ? COND_LAW_STRICT : COND_LAW_PROXIMAL,
                                    .delassus = made.delassus,
                                    .compliance = made.compliance,
                                    .carried = made.carried,
                                    .relaxed = made.relaxed};
        int first = random_int(&random, made.n);
        cond_certificate_law_errors(&data, first, made.n - first, made.u + 3 * first,
                                    made.lambda + 3 * first, natural, penetration);
        for (int c = first; c < made.n; c++) {
            CondLawError e = cond_contact_law_error(
                cond_certificate_law(&data, c), &made.contact[c], made.delassus[c],
                made.compliance[c], made.delassus[c] + made.compliance[c], made.u + 3 * c,
                made.lambda + 3 * c, 1);
            assert_same(natural[c - first], e.natural);
            assert_same(penetration[c - first], e.penetration);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merits_are_those_of_each_contact),
        cmocka_unit_test(errors_are_those_of_each_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
