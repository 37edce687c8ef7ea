// The names of the enumerations of cond/scene.h and cond/mesh.h, as scene files have them.
#include "base/enum_name.h"
#include "cond/scene.h"

COND_ENUM_TABLE(CondBodyKind, cond_body_kind, {COND_BODY_PARTICLE, "particle"},
                {COND_BODY_RIGID, "rigid"}, {COND_BODY_SOFT, "soft"}, {COND_BODY_ROBOT, "robot"},
                {COND_BODY_ROD, "rod"}, {COND_BODY_SHELL, "shell"})

COND_ENUM_TABLE(CondShapeKind, cond_shape_kind, {COND_SHAPE_NONE, "none"}, {COND_SHAPE_BOX, "box"},
                {COND_SHAPE_POINTS, "points"}, {COND_SHAPE_SPHERE, "sphere"},
                {COND_SHAPE_CAPSULE, "capsule"}, {COND_SHAPE_CYLINDER, "cylinder"},
                {COND_SHAPE_CONVEX, "convex"}, {COND_SHAPE_MESH, "mesh"},
                {COND_SHAPE_HEIGHTFIELD, "heightfield"}, {COND_SHAPE_TERRAIN, "terrain"})

COND_ENUM_TABLE(CondElasticity, cond_elasticity, {COND_ELASTICITY_COROTATIONAL, "corotational"},
                {COND_ELASTICITY_NEOHOOKEAN, "neohookean"})

COND_ENUM_TABLE(CondElement, cond_element, {COND_ELEMENT_LINEAR, "linear"},
                {COND_ELEMENT_QUADRATIC, "quadratic"}, {COND_ELEMENT_SMOOTHED, "smoothed"},
                {COND_ELEMENT_AUTO, "auto"})

COND_ENUM_TABLE(CondGeometricStiffness, cond_geometric_stiffness, {COND_GEOMETRIC_NONE, "none"},
                {COND_GEOMETRIC_BOUND, "bound"}, {COND_GEOMETRIC_CONSTANT, "constant"},
                {COND_GEOMETRIC_CLAMPED, "clamped"}, {COND_GEOMETRIC_PROJECTED, "projected"})

COND_ENUM_TABLE(CondJointKind, cond_joint_kind, {COND_JOINT_FIXED, "fixed"},
                {COND_JOINT_REVOLUTE, "revolute"}, {COND_JOINT_CONTINUOUS, "continuous"},
                {COND_JOINT_PRISMATIC, "prismatic"}, {COND_JOINT_SPHERICAL, "spherical"},
                {COND_JOINT_PLANAR, "planar"}, {COND_JOINT_FLOATING, "floating"})

COND_ENUM_TABLE(CondFrictionRule, cond_friction_rule, {COND_FRICTION_GEOMETRIC, "geometric"},
                {COND_FRICTION_LARGER, "larger"})

COND_ENUM_TABLE(CondNeighbours, cond_neighbours, {COND_NEIGHBOURS_ALL, "all"},
                {COND_NEIGHBOURS_MOVING, "moving"}, {COND_NEIGHBOURS_NONE, "none"})

COND_ENUM_TABLE(CondCollision, cond_collision, {COND_COLLISION_MESH, "mesh"},
                {COND_COLLISION_HULL, "hull"}, {COND_COLLISION_NONE, "none"})

COND_ENUM_TABLE(CondRodShape, cond_rod_shape, {COND_ROD_STRAIGHT, "straight"},
                {COND_ROD_ARC, "arc"}, {COND_ROD_HELIX, "helix"}, {COND_ROD_POINTS, "points"})

COND_ENUM_TABLE(CondRodRest, cond_rod_rest, {COND_ROD_REST_SHAPE, "shape"},
                {COND_ROD_REST_UNIFORM, "uniform"})

COND_ENUM_TABLE(CondSensorKind, cond_sensor_kind, {COND_SENSOR_CONTACT, "contact"},
                {COND_SENSOR_JOINT, "joint"}, {COND_SENSOR_IMU, "imu"},
                {COND_SENSOR_RANGE, "range"})

COND_ENUM_TABLE(CondScale, cond_scale, {COND_SCALE_LINEAR, "linear"}, {COND_SCALE_LOG, "log"})

COND_ENUM_TABLE(CondActionKind, cond_action_kind, {COND_ACTION_JOINTS, "joints"},
                {COND_ACTION_POSE, "pose"}, {COND_ACTION_ANCHOR, "anchor"},
                {COND_ACTION_VELOCITIES, "velocities"}, {COND_ACTION_TORQUES, "torques"},
                {COND_ACTION_IMPEDANCE, "impedance"}, {COND_ACTION_PICK, "pick"},
                {COND_ACTION_GRIP, "grip"})

COND_ENUM_TABLE(CondActionMode, cond_action_mode, {COND_ACTION_INCREMENT, "increment"},
                {COND_ACTION_ABSOLUTE, "absolute"})

COND_ENUM_TABLE(CondObservationKind, cond_observation_kind, {COND_OBSERVE_POINT, "point"},
                {COND_OBSERVE_POINTS, "points"}, {COND_OBSERVE_VECTOR, "vector"},
                {COND_OBSERVE_DISTANCE, "distance"}, {COND_OBSERVE_ACTION, "action"})

COND_ENUM_TABLE(CondRewardKind, cond_reward_kind, {COND_REWARD_DISTANCE, "distance"},
                {COND_REWARD_HEIGHT, "height"}, {COND_REWARD_FORCE, "force"},
                {COND_REWARD_WINDING, "winding"}, {COND_REWARD_CURVE, "curve"},
                {COND_REWARD_ACTION, "action"}, {COND_REWARD_HOLDS, "holds"})

COND_ENUM_TABLE(CondIntegrator, cond_integrator, {COND_INTEGRATOR_AUTO, "auto"},
                {COND_INTEGRATOR_THETA, "theta"}, {COND_INTEGRATOR_EULER, "euler"},
                {COND_INTEGRATOR_MIDPOINT, "midpoint"},
                {COND_INTEGRATOR_VARIATIONAL, "variational"})

COND_ENUM_TABLE(CondStepMethod, cond_step_method, {COND_STEP_VELOCITY, "velocity"},
                {COND_STEP_PENALTY, "penalty"}, {COND_STEP_PBD, "pbd"})

COND_ENUM_TABLE(CondImpactLaw, cond_impact, {COND_IMPACT_OFF, "false"},
                {COND_IMPACT_SEQUENTIAL, "sequential"}, {COND_IMPACT_SIMULTANEOUS, "simultaneous"})

COND_ENUM_TABLE(CondSceneKind, cond_scene_kind, {COND_SCENE_MATERIAL, "material"},
                {COND_SCENE_BODY, "body"}, {COND_SCENE_PLANE, "plane"},
                {COND_SCENE_OBSTACLE, "obstacle"}, {COND_SCENE_EXCLUDE, "exclude"},
                {COND_SCENE_PATCH, "patch"}, {COND_SCENE_TRAJECTORY, "trajectory"},
                {COND_SCENE_ATTACHMENT, "attachment"}, {COND_SCENE_SENSOR, "sensor"},
                {COND_SCENE_FORCE, "force"}, {COND_SCENE_SPRING, "spring"},
                {COND_SCENE_VARIATION, "variation"}, {COND_SCENE_ACTION, "action"},
                {COND_SCENE_REWARD, "reward"}, {COND_SCENE_OBSERVATION, "observation"},
                {COND_SCENE_MESH, "mesh"}, {COND_SCENE_CAMERA, "camera"})

COND_ENUM_TABLE(CondMeshPattern, cond_mesh_pattern, {COND_MESH_FIVE, "five"},
                {COND_MESH_SIX, "six"})
