// Numbers of URDF and MJCF files. A header of numbers alone: it includes nothing.
#ifndef COND_ROBOT_FILE_TUNING_H
#define COND_ROBOT_FILE_TUNING_H

// ---- masses that a file lacks or that no body can have

#define COND_WATER_DENSITY 1000.0 // [kg/m3] of a ball that stands for a mass without a size
// [1] Share of what is known that stands for what is missing: a second moment across, of that along
// a needle of 30 to 1; the mass of a link, of the mean mass of the others, in kg where none has
// any.
#define COND_MADE_UP 1e-3

// ---- cables of MJCF

#define COND_POISSON_MARGIN 0.01 // [1] by which Poisson's ratio stays within its limits -1 and 1/2

// ---- what MuJoCo takes where a file says nothing, and cannot be asked for

#define COND_MUJOCO_STEP 0.002    // [s] time step (XML reference, option/timestep)
#define COND_MUJOCO_SOLREF 0.02   // [s] time constant of constraints (XML reference, solref)
#define COND_MUJOCO_SOLIMP 0.9999 // [1] largest impedance of a constraint (mjMAXIMP in MuJoCo)

#endif
