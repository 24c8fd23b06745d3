/* CHARM for C, under the paper's names (CHARM §4.6). Functions that can fail return 0, or an error code whose text
 * CHARM_Error() tells. Everything here may be mixed with the C++ interface. */
#ifndef CHARM_H
#define CHARM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CHARM_OK = 0,
  CHARM_BAD_INPUT = 1,
  CHARM_BAD_CONFIG = 2,
  CHARM_TOO_MANY_WORKERS = 3,
  CHARM_REFUSED = 4,
  CHARM_NOT_RUNNING = 5,
  CHARM_SYSTEM = 6,
  CHARM_CANCELLED = 7,
  CHARM_UNKNOWN = 8
};

typedef void (*CHARM_Function)(void* argument);
typedef void (*CHARM_Body)(int worker, void* argument);
typedef void (*CHARM_Range)(int64_t low, int64_t high, void* argument);

/* Starts the runtime with the settings of the environment and file. workers = 0: one per allowed physical core.
 * policy = NULL: the setting's. */
int CHARM_Init(void);
int CHARM_Init_with(int workers, const char* policy);
int CHARM_Finalize(void);

/* Runs function(argument) as a task and waits for it. */
int CHARM_Run(CHARM_Function function, void* argument);
/* Runs body(worker, argument) once on every worker and waits for all. */
int CHARM_All_do(CHARM_Body body, void* argument);
/* Runs function(argument) on a worker: waiting for it, or not. */
int CHARM_Call(int worker, CHARM_Function function, void* argument);
int CHARM_Call_async(int worker, CHARM_Function function, void* argument);
/* Covers [first, last) with blocks of at most `grain` indices (0: found by itself). */
int CHARM_Parallel_for(int64_t first, int64_t last, int64_t grain, CHARM_Range body, void* argument);
/* Runs both, perhaps in parallel, and waits for both. */
int CHARM_Invoke(CHARM_Function first, void* first_argument, CHARM_Function second, void* second_argument);
/* Among the bodies of CHARM_All_do. */
int CHARM_Barrier(void);
void CHARM_Yield(void);

int CHARM_Worker_id(void);   /* -1 outside of tasks */
int CHARM_Num_workers(void); /* 0 while the runtime does not run */

/* What the calling thread's last failed call complained of; never NULL. */
const char* CHARM_Error(void);

#ifdef __cplusplus
}
#endif
#endif
