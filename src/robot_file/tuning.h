// Numbers of URDF and MJCF files. A header of numbers alone: it includes nothing.
#ifndef COND_ROBOT_FILE_TUNING_H
#define COND_ROBOT_FILE_TUNING_H

// ---- missing or impossible masses in a file

#define COND_WATER_DENSITY 1000.0 // [kg/m3] of the ball that replaces a mass without a size
// [1] Missing values relative to known ones: the transverse second moment over the longitudinal
// one, as of a needle of 30 to 1; the mass of a link over the mean of the others, or in kg if none
// has a mass.
#define COND_MADE_UP 1e-3

// ---- cables of MJCF

#define COND_POISSON_MARGIN 0.01 // [1] by which Poisson's ratio stays within its limits -1 and 1/2

// ---- MuJoCo's defaults for values that a file does not give

#define COND_MUJOCO_STEP 0.002    // [s] time step (XML reference, option/timestep)
#define COND_MUJOCO_SOLREF 0.02   // [s] time constant of constraints (XML reference, solref)
#define COND_MUJOCO_SOLIMP 0.9999 // [1] largest impedance of a constraint (mjMAXIMP in MuJoCo)

#endif
