// Bullet's world of rigid bodies: default solver, its collision shapes, one step at a time.
#include "bullet_world.h"

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

struct CondBulletWorld {
    double time_step, scale;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shape;
    std::vector<std::unique_ptr<btRigidBody>> body;
    std::vector<std::unique_ptr<btTypedConstraint>> joint;
};

namespace
{

// The friction of a pair as COND has it: the geometric mean, or the one that is given.
btScalar combine_friction(const btCollisionObject* a, const btCollisionObject* b)
{
    btScalar first = a->getFriction(), second = b->getFriction();
    if (first < 0 || second < 0)
        return std::max(btScalar(0), std::max(first, second));
    return std::sqrt(first * second);
}

btVector3 vector_of(const double x[3], double scale)
{
    return btVector3(btScalar(scale * x[0]), btScalar(scale * x[1]), btScalar(scale * x[2]));
}

btTransform transform_of(const CondPose& pose, double scale)
{
    const double* q = pose.orientation;
    return btTransform(btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])),
                       vector_of(pose.position, scale));
}

btCollisionShape* make_hull(const CondBulletBody& body, double scale)
{
    btConvexHullShape* hull = new btConvexHullShape;
    for (int i = 0; i < body.n_vertex; i++)
        hull->addPoint(vector_of(body.vertex + 3 * i, scale), false);
    hull->recalcLocalAabb();
    hull->setMargin(0); // it would lie outside of the hull
    return hull;
}

btCollisionShape* make_shape(const CondBulletBody& body, double scale)
{
    btScalar radius = btScalar(scale * body.radius);
    btVector3 half = vector_of(body.half, scale);
    switch (body.form) {
    case COND_FORM_PLANE:
        return new btStaticPlaneShape(vector_of(body.normal, 1), btScalar(scale * body.offset));
    case COND_FORM_SPHERE:
        return new btSphereShape(radius);
    case COND_FORM_CAPSULE:
        return new btCapsuleShapeZ(radius, 2 * half[2]);
    case COND_FORM_BOX:
        return new btBoxShape(half);
    case COND_FORM_CYLINDER:
        return new btCylinderShapeZ(btVector3(radius, radius, half[2]));
    case COND_FORM_CONVEX:
        return make_hull(body, scale);
    default:
        return new btEmptyShape;
    }
}

// Where a manifold's point is on a body now, from its centre, and how fast.
btVector3 velocity_at(const btCollisionObject* object, const btVector3& local)
{
    const btRigidBody* body = btRigidBody::upcast(object);
    return body->getVelocityInLocalPoint(body->getWorldTransform().getBasis() * local);
}

// The last step's impulse is in the manifold along the normal and along one or two directions of
// friction; all of it acts on the first body.
CondContactInfo contact_of(const btPersistentManifold& manifold, const btManifoldPoint& point,
                           double scale)
{
    CondContactInfo out = {};
    btVector3 row[3] = {point.m_normalWorldOnB}, x = point.getPositionWorldOnA();
    btPlaneSpace1(row[0], row[1], row[2]);
    btVector3 impulse = point.m_appliedImpulse * row[0] +
                        point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 +
                        point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
    btVector3 velocity = velocity_at(manifold.getBody0(), point.m_localPointA) -
                         velocity_at(manifold.getBody1(), point.m_localPointB);
    out.body = manifold.getBody0()->getUserIndex();
    out.other = manifold.getBody1()->getUserIndex();
    out.plane = -1;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            out.frame[3 * i + k] = row[i][k];
        out.position[i] = x[i] / scale;
        out.impulse[i] = row[i].dot(impulse) / scale;
        out.velocity[i] = row[i].dot(velocity) / scale;
    }
    out.gap = point.getDistance() / scale;
    out.friction[0] = out.friction[1] = point.m_combinedFriction;
    out.restitution = point.m_combinedRestitution;
    return out;
}

} // namespace

extern "C" {

int cond_bullet_world_available(void)
{
    return 1;
}

CondBulletWorld* cond_bullet_world_create(double time_step, const double gravity[3], int iterations,
                                          double scale)
{
    CondBulletWorld* made = new (std::nothrow) CondBulletWorld;
    if (!made)
        return nullptr;
    made->time_step = time_step;
    made->scale = scale;
    made->world.setGravity(vector_of(gravity, scale));
    made->world.getSolverInfo().m_numIterations = iterations;
    gCalculateCombinedFrictionCallback = combine_friction;
    return made;
}

void cond_bullet_world_destroy(CondBulletWorld* world)
{
    if (!world)
        return;
    for (auto& joint : world->joint)
        world->world.removeConstraint(joint.get());
    for (auto& body : world->body)
        world->world.removeRigidBody(body.get());
    delete world;
}

int cond_bullet_world_add(CondBulletWorld* world, const CondBulletBody* body)
try {
    double scale = world->scale;
    world->shape.emplace_back(make_shape(*body, scale));
    btVector3 inertia = vector_of(body->inertia, scale * scale);
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(body->mass), nullptr,
                                                  world->shape.back().get(), inertia);
    info.m_startWorldTransform = transform_of(body->pose, scale);
    info.m_friction = btScalar(body->friction);
    info.m_restitution = btScalar(body->restitution);
    world->body.emplace_back(new btRigidBody(info));
    btRigidBody* made = world->body.back().get();
    made->setLinearVelocity(vector_of(body->pose.velocity, scale));
    made->setAngularVelocity(vector_of(body->pose.angular_velocity, 1));
    made->setUserIndex(body->mass > 0 ? int(world->body.size()) - 1 : -1);
    made->setActivationState(DISABLE_DEACTIVATION); // creep is to be seen, not put to sleep
    world->world.addRigidBody(made);
    return 0;
} catch (const std::bad_alloc&) {
    return 1;
}

int cond_bullet_world_join(CondBulletWorld* world, int body0, const double point0[3], int body1,
                           const double point1[3])
try {
    if (body0 < 0) {
        std::swap(body0, body1);
        std::swap(point0, point1);
    }
    btVector3 at = vector_of(point0, world->scale);
    btRigidBody& first = *world->body[std::size_t(body0)];
    world->joint.emplace_back(
        body1 < 0 ? new btPoint2PointConstraint(first, at)
                  : new btPoint2PointConstraint(first, *world->body[std::size_t(body1)], at,
                                                vector_of(point1, world->scale)));
    world->world.addConstraint(world->joint.back().get());
    return 0;
} catch (const std::bad_alloc&) {
    return 1;
}

void cond_bullet_world_push(CondBulletWorld* world, int body, const double force[3],
                            const double arm[3])
{
    world->body[std::size_t(body)]->applyForce(vector_of(force, world->scale),
                                               vector_of(arm, world->scale));
}

void cond_bullet_world_step(CondBulletWorld* world)
{
    world->world.stepSimulation(btScalar(world->time_step), 0); // one step of this length
}

CondPose cond_bullet_world_pose(const CondBulletWorld* world, int body)
{
    const btRigidBody& from = *world->body[std::size_t(body)];
    const btVector3 &x = from.getWorldTransform().getOrigin(), &v = from.getLinearVelocity(),
                    &w = from.getAngularVelocity();
    btQuaternion q = from.getWorldTransform().getRotation();
    double s = 1 / world->scale;
    return {{s * x[0], s * x[1], s * x[2]},
            {q.w(), q.x(), q.y(), q.z()},
            {s * v[0], s * v[1], s * v[2]},
            {w[0], w[1], w[2]}};
}

int cond_bullet_world_n_contact(const CondBulletWorld* world)
{
    btDispatcher& dispatcher = const_cast<btCollisionDispatcher&>(world->dispatcher);
    int n = 0;
    for (int i = 0; i < dispatcher.getNumManifolds(); i++)
        n += dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
    return n;
}

void cond_bullet_world_contacts(const CondBulletWorld* world,
                                void (*see)(void* data, const CondContactInfo* contact), void* data)
{
    btDispatcher& dispatcher = const_cast<btCollisionDispatcher&>(world->dispatcher);
    for (int i = 0; i < dispatcher.getNumManifolds(); i++) {
        const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
        for (int k = 0; k < manifold.getNumContacts(); k++) {
            CondContactInfo contact =
                contact_of(manifold, manifold.getContactPoint(k), world->scale);
            see(data, &contact);
        }
    }
}

} // extern "C"
