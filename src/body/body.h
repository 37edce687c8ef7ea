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
    // An upper bound of the speed of its points with velocity v.
    double (*speed)(const CondBody* body, const CondKinematics* kinematics, const double* v);
    // Gravity and elastic energy.
    double (*potential)(const CondBody* body, const CondKinematics* kinematics,
                        const double gravity[3]);
    // v for a rigid motion of the whole body with a velocity and an angular velocity (6) about a
    // point, all in world axes; 0 for a robot on a fixed base. q is the body's own (n_q).
    void (*drift)(const CondBody* body, const double* q, const double twist[6],
                  const double about[3], double* v);
    // Pose in the public interface: that of the centre of mass, or of a robot's base.
    CondPose (*pose)(const CondBody* body, const double* q, const double* v);
    // The inverse: 0 on success, 1 if the body cannot be moved.
    int (*set_pose)(const CondBody* body, const CondPose* pose, double* q, double* v);
} CondBodyOps;

extern const CondBodyOps cond_body_particle;
extern const CondBodyOps cond_body_rigid;
extern const CondBodyOps cond_body_soft;
extern const CondBodyOps cond_body_robot;
extern const CondBodyOps cond_body_rod;

const CondBodyOps* cond_body_ops(CondBodyKind kind);

// 1 for deformable bodies.
int cond_body_deforms(const CondBody* body);

// q = update(from, v, t) of one body, by its table; nodes are advanced by several threads.
void cond_body_advance(const CondBody* body, const double* from, const double* v, double t,
                       int threads, double* q);

// Normalises the quaternions in the configuration of a body.                  q (its own n_q)
void cond_body_normalize(const CondBody* body, double* q);
// Index in q of quaternion number `turn` (from 0); -1: there is none.
int cond_body_turn(const CondBody* body, int turn);
// Index in q of the first quaternion that cannot be normalised; -1: none.
int cond_body_turnless(const CondBody* body, const double* q);

// The motion from one configuration to another: to = update(from, v, 1), with the shorter
// rotations.                                                        from, to (its own n_q), v
// (n_dof)
void cond_body_between(const CondBody* body, const double* from, const double* to, double* v);

// The number of doubles of the body's block of A, or of its damping; and of its mass matrix.
size_t cond_body_block_size(const CondBody* body);
size_t cond_body_mass_size(const CondBody* body);

// f (n_dof of the model) += J' force at a point.
void cond_body_add_force(const CondKinematics* kinematics, const CondPoint* point,
                         const double force[3], double* f);

#endif
