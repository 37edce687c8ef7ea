// COND: simulation of contact-rich soft manipulation by contact nodalization and diagonalization.
#ifndef COND_COND_H
#define COND_COND_H

#include "cond/api.h"
#include "cond/audit.h"
#include "cond/certificate.h"
#include "cond/context.h"
#include "cond/env.h"
#include "cond/event.h"
#include "cond/fclib.h"
#include "cond/file.h"
#include "cond/law.h"
#include "cond/mechanics.h"
#include "cond/mesh.h"
#include "cond/parameter.h"
#include "cond/picture.h"
#include "cond/problem.h"
#include "cond/query.h"
#include "cond/record.h"
#include "cond/recording.h"
#include "cond/renderer.h"
#include "cond/rollout.h"
#include "cond/scene.h"
#include "cond/sim.h"
#include "cond/snapshot.h"
#include "cond/solver.h"
#include "cond/status.h"
#include "cond/study.h"

#endif
