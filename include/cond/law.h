// The contact law of one contact: lambda = SOL(eta, gamma), and whether a pair (u, lambda) obeys
// it.
#ifndef COND_LAW_H
#define COND_LAW_H

#include "cond/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CondLaw {
    COND_LAW_STRICT = 0,   // Signorini-Coulomb, paper eq. (11)
    COND_LAW_PROXIMAL = 1, // its convex relaxation, paper eq. (28)
} CondLaw;

COND_ENUM_NAMES(COND_API, CondLaw, cond_law)

// lambda = ProjectFC(trial): the strict or proximal projection on the cone of friction mu (2),
// isotropic or elliptic (paper eq. (26), Prop. 6). trial and lambda may be the same array (3).
COND_API void cond_law_project(CondLaw law, const double* mu, const double* trial, double* lambda);

// The one-contact problem with Delassus block gamma I (paper Alg. 2, and with omega > 0 the
// invertible model of eq. (37)): the lambda for which u = eta + gamma lambda and lambda obey the
// law, or u + omega lambda and lambda when omega > 0. eta already holds phi.
COND_API void cond_law_solve(CondLaw law, const double* mu, double omega, double gamma,
                             const double* eta, double* lambda);

// The violation of the law by (u, lambda); every field is zero exactly if the law holds.
typedef struct CondLawError {
    double natural;         // gamma |lambda - P(lambda - u_hat / gamma)|            [m/s]
    double penetration;     // normal velocity below what the law allows             [m/s]
    double pull;            // negative normal force                                 [N]
    double cone;            // tangential force beyond the cone                      [N]
    double complementarity; // |lambda_n u_n|                                        [W]
    double angle;           // between friction and the dissipating direction        [rad]
} CondLawError;

// u is the velocity the law is posed on (phi, virtual-node slip and omega lambda included); gamma
// sets the scale between velocity and force. u_hat = u + |u_t|_mu n for the strict law, u for the
// proximal one, where |u_t|_mu = sqrt(mu1^2 u1^2 + mu2^2 u2^2); P is the nearest point of the cone.
COND_API CondLawError cond_law_error(CondLaw law, const double* mu, double gamma, const double* u,
                                     const double* lambda);
// Only natural and penetration, on which the certificate rests; the other fields are zero.
COND_API CondLawError cond_law_essential_error(CondLaw law, const double* mu, double gamma,
                                               const double* u, const double* lambda);

// The law of an interval of forces (COND_FORCE_INTERVAL), lowest and highest in bound (2):
//     lambda_0 = clip(lambda_0 - u_0 / gamma, bound),     lambda_1 = lambda_2 = 0,
// so that u_0 = 0 within the bounds, u_0 >= 0 at the lowest and u_0 <= 0 at the highest. It is the
// same for both laws. trial and lambda may be the same array (3).
COND_API void cond_interval_project(const double* bound, const double* trial, double* lambda);

// lambda for which u_0 = eta_0 + gamma lambda_0, with compliance lambda_0 added, obeys it.
COND_API void cond_interval_solve(const double* bound, double compliance, double gamma,
                                  const double* eta, double* lambda);

// The violation of that law by (u, lambda); u includes what the compliance adds. natural is
// delassus |lambda - clip(..)|, the velocity that corresponds to the error of the force, with gamma
// = delassus + compliance in the map. penetration: u_0 of a sign that no force of the interval
// permits, if a bound is infinite; pull: force below the lowest; cone: force beyond the highest or
// along the other two axes; complementarity: velocity times the distance of the force from its
// bound.
COND_API CondLawError cond_interval_error(const double* bound, double compliance, double delassus,
                                          const double* u, const double* lambda);

#ifdef __cplusplus
}
#endif
#endif
