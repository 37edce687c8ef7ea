// The function table of a kind of body. Velocities v and forces f are those of the body alone
// (n_dof); the configuration is read through a kinematics.
#ifndef COND_BODY_BODY_H
#define COND_BODY_BODY_H

#include "body/kinematics.h"

typedef struct CondBodyOps {
    CondBodyKind kind;
    // f = -C v + weight, for a step of length t.
    void (*bias)(const CondBody* body, const CondKinematics* kinematics, const double* v, double t,
                 const double gravity[3], double* f);
    // The body's block of A, M/(th t) + th t (K + E) + D with step = th t: fills values and *block,
    // and adds the elastic force at q to f.
    void (*block)(const CondBody* body, const CondKinematics* kinematics, double step,
                  double* values, CondBlock* block, double* f);
    // M alone.
    void (*mass)(const CondBody* body, const CondKinematics* kinematics, double* values,
                 CondBlock* block);
    // D alone: the viscous damping that the block of A carries as it is.
    void (*damping)(const CondBody* body, const CondKinematics* kinematics, double* values,
                    CondBlock* block);
    // a = M^-1 f
    void (*accelerate)(const CondBody* body, const CondKinematics* kinematics, const double* f,
                       double* a);
    // q <- update(q, v, t); q is the body's own (n_q)
    void (*advance)(const CondBody* body, const double* v, double t, double* q);
    // World position of a point and J of its velocity; see cond_kinematics_point.
    int (*point)(const CondBody* body, const CondKinematics* kinematics, const CondPoint* point,
                 double* world, int* coordinate, double* J);
    // How fast any of its points moves at most with velocity v.
    double (*speed)(const CondBody* body, const CondKinematics* kinematics, const double* v);
    // Gravity and elastic energy.
    double (*potential)(const CondBody* body, const CondKinematics* kinematics,
                        const double gravity[3]);
    // v of the body as a rigid whole with a velocity and an angular velocity (6) about a point, all
    // in world axes; of a robot on a fixed base 0. q is the body's own (n_q).
    void (*drift)(const CondBody* body, const double* q, const double twist[6],
                  const double about[3], double* v);
    // Pose for people: of the centre of mass, or of a robot's base.
    CondPose (*pose)(const CondBody* body, const double* q, const double* v);
    // The inverse: 0 when done, 1 when the body cannot be moved so.
    int (*set_pose)(const CondBody* body, const CondPose* pose, double* q, double* v);
} CondBodyOps;

extern const CondBodyOps cond_body_particle;
extern const CondBodyOps cond_body_rigid;
extern const CondBodyOps cond_body_soft;
extern const CondBodyOps cond_body_robot;
extern const CondBodyOps cond_body_rod;

const CondBodyOps* cond_body_ops(CondBodyKind kind);

// 1 for bodies that can change their shape.
int cond_body_deforms(const CondBody* body);

// q = update(from, v, t), all of the body's own, as its table says; those of nodes by several
// threads.
void cond_body_advance(const CondBody* body, const double* from, const double* v, double t,
                       int threads, double* q);

// Quaternions in the configuration of a body get the length 1.                  q (its own n_q)
void cond_body_normalize(const CondBody* body, double* q);
// Where in q the quaternion number `turn` (from 0) is; -1: the body has no such.
int cond_body_turn(const CondBody* body, int turn);
// Where in q the first quaternion is whose length nothing can be divided by; -1: all are sound.
int cond_body_turnless(const CondBody* body, const double* q);

// The motion that leads from one configuration to another: to = update(from, v, 1), turns the short
// way.                                                                    from, to (its own n_q), v
// (n_dof)
void cond_body_between(const CondBody* body, const double* from, const double* to, double* v);

// Doubles that hold the body's block of A, or its damping; and its mass matrix alone.
size_t cond_body_block_size(const CondBody* body);
size_t cond_body_mass_size(const CondBody* body);

// f (n_dof of the model) += J' force at a point.
void cond_body_add_force(const CondKinematics* kinematics, const CondPoint* point,
                         const double force[3], double* f);

#endif
