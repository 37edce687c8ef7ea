// Numbers of URDF and MJCF files. A header of numbers alone: it includes nothing.
#ifndef COND_ROBOT_FILE_TUNING_H
#define COND_ROBOT_FILE_TUNING_H

// ---- masses that a file lacks or that no body can have

#define COND_WATER_DENSITY 1000.0 // [kg/m3] of a ball that stands for a mass without a size
#define COND_NEEDLE 1e-3 // [1] least second moment across, of that along: a needle of 30 to 1
// [1] mass of a link without one, of the mean mass of the others; where none has any, in kg.
#define COND_MISSING_MASS 1e-3

// ---- cables of MJCF

#define COND_POISSON_MARGIN 0.01 // [1] by which Poisson's ratio stays within its limits -1 and 1/2
// A cable is held at its first link by an attachment that is stiff beside the cable.
#define COND_CABLE_STIFFNESS 1e6 // [N/m] of that attachment against translations
#define COND_CABLE_ROTATION 1e3  // [N m/rad] of that attachment against rotations
#define COND_CABLE_DAMPING 1e2   // [N s/m] of translations; that of rotations is a hundredth

// ---- what MuJoCo takes where a file says nothing, and cannot be asked for

#define COND_MUJOCO_STEP 0.002    // [s] time step (XML reference, option/timestep)
#define COND_MUJOCO_SOLREF 0.02   // [s] time constant of constraints (XML reference, solref)
#define COND_MUJOCO_SOLIMP 0.9999 // [1] largest impedance of a constraint (mjMAXIMP in MuJoCo)
#define COND_MUJOCO_INERTIA 0.01  // [kg m2] of what a weld to the world holds when nothing is known

// ---- limits of files

enum {
    COND_CABLE_POINTS = 2000, // [count] of one cable of MJCF
    COND_ATTACH_NESTING = 16, // [count] of models that attach models: 2^16 copies of a body
    COND_CLASS_NESTING = 300, // [count] of classes of defaults within each other
    COND_REPLICAS = 100000,   // [count] of copies of one replicate of MJCF
    COND_URDF_LINKS = 10000,  // [count] of links: names are searched one by one
    COND_PACKAGE_LEVELS = 8,  // [count] of folders above the robot's file that are searched
};

#endif
