// Internals of CondRenderer: shapes, workspaces, and the memory of its device.
#ifndef COND_RENDER_RENDER_H
#define COND_RENDER_RENDER_H

#include "body/kinematics.h"
#include "cond/renderer.h"
#include "device/device.h"
#include "record/drawing.h"
#include "record/visual.h"
#include "render/render_args.h"

// The triangles of one model (CondRenderShape), and where its nodes are in a configuration.
typedef struct CondRenderMesh {
    CondArena arena;
    uint64_t key; // hash of what it was made from
    int n_run, n_triangle, n_node;
    float* local;         //                                             (n_run x 3 x RUN)
    int* part;            //                                             (n_run)
    int* node;            //                                             (n_run)
    int* corner;          //                                             (n_triangle x 3)
    float* colour;        //                                             (n_triangle x 3)
    int* body;            //                                             (n_triangle)
    int* closed;          //                                             (n_triangle)
    int* place;           // of a node in q; -1: none                     (n_node x RUN)
    CondRenderShape view; // pointers in the memory of the device
    void* held[7];        // copies there; NULL on the CPU
    size_t size[7];       // [bytes]
} CondRenderMesh;

// An array in the memory of the device, which grows.
typedef struct CondRenderBuffer {
    void* memory;
    size_t size; // [bytes]
} CondRenderBuffer;

typedef enum CondRenderRoom {
    COND_ROOM_SHAPE = 0,
    COND_ROOM_SHAPE_OF,
    COND_ROOM_POSE,
    COND_ROOM_NODE,
    COND_ROOM_LIGHT,
    COND_ROOM_FLOOR,
    COND_ROOM_TONE,
    COND_ROOM_VERTEX,
    COND_ROOM_BOX,
    COND_ROOM_BLOCK,
    COND_ROOM_SHADE,
    COND_ROOM_RGB,
    COND_ROOM_DEPTH,
    COND_ROOM_BODY,
    COND_N_ROOM,
} CondRenderRoom;

struct CondRenderer {
    CondArena arena;
    CondRendererDef def;
    const CondModel* model;
    CondModel* owned; // the same, if the renderer destroys it; else NULL
    CondCameraDef camera;
    int camera_body, camera_link; // -1: the world
    double axes[9];         // of the camera in those of what it is mounted on: right, up, ahead
    double size, centre[3]; // of the scene at first [m]
    double cell;            // of floors [m]
    CondVisualStore store;
    int n_part;
    int* part_begin;       // of the bodies, of which soft ones have none            (n_body)
    int n_mesh;            // mesh 0 is that of the renderer's model, 1 + i of state i
    CondRenderMesh** mesh; // NULL: as mesh 0                                        (n_mesh)
    int n_thread;
    CondKinematics* kinematics; //                                                  (n_thread)
    CondDevice device;
    int is_cuda;
    CondRenderBuffer room[COND_N_ROOM];
    CondRenderArgs args;
    // of the states that are drawn together, as CondRenderArgs has them
    CondRenderShape* shape;
    int* shape_of;
    const CondRenderMesh** mesh_of;
    float* pose;
    float* node;
    CondRenderLight* light;
    CondRenderFloor* floor;
    uint8_t tone[COND_RENDER_TONES];
};

// The renderer destroys its model.
void cond_renderer_own(CondRenderer* renderer, CondModel* model);

// The triangles of a model.
CondStatus cond_render_model(CondRenderer* r, const CondModel* model, uint64_t key,
                             CondRenderMesh** mesh);
// COND_BAD_ARGUMENT where state i, or its model, has other bodies than the renderer's model.
CondStatus cond_render_check_state(const CondRenderer* r, const CondModel* model,
                                   const CondState* state, int i, CondError* error);

// The hash of all that decides the triangles of a model.
uint64_t cond_render_key(const CondRenderer* renderer, const CondModel* model);
// The triangles of a drawing.
CondStatus cond_render_mesh_create(CondRenderer* renderer, const CondModel* model,
                                   const CondDrawing* drawing, uint64_t key, CondRenderMesh** mesh);
void cond_render_mesh_destroy(CondRenderer* renderer, CondRenderMesh* mesh);

// The first part of a model's body among the poses, and their number.
int cond_render_count_parts(const CondModel* model, int* begin);
// Writes poses, nodes, light and floors of a state to place `at` of the workspaces.
void cond_render_place(CondRenderer* renderer, CondKinematics* kinematics, const CondModel* model,
                       const CondRenderMesh* mesh, const CondState* state, int at);
// Position and axes of the camera at a configuration.
void cond_render_eye(const CondRenderer* renderer, const CondKinematics* kinematics,
                     double position[3], double axes[9]);

#endif
