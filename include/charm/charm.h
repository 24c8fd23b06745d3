/* CHARM for C, under the paper's names (CHARM §4.6). Functions that can fail return 0, or an error code whose text
 * CHARM_Error() tells. Everything here may be mixed with the C++ interface. */
#ifndef CHARM_H
#define CHARM_H

#include <stddef.h>
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
  CHARM_UNKNOWN = 8,
  CHARM_TIMEOUT = 9, /* the time was over, or what was tried without waiting cannot be done now */
  CHARM_CLOSED = 10  /* the channel is closed */
};

typedef void (*CHARM_Function)(void* argument);
typedef void (*CHARM_Body)(int worker, void* argument);
typedef void (*CHARM_Range)(int64_t low, int64_t high, void* argument);

/* Starts the runtime with the settings of the environment and file. workers = 0: one per allowed physical core.
 * policy = NULL: the setting's. */
int CHARM_Init(void);
int CHARM_Init_with(int workers, const char* policy);
/* A setting by its name, with its value as the environment would write it ("stack_bytes", "1M"); docs/settings.md lists
 * them. What is not named here comes from the environment, the file or the default. */
/** A setting and its value. */
typedef struct {
  const char* name;  /**< of docs/settings.md */
  const char* value; /**< as text */
} CHARM_Setting;
int CHARM_Init_settings(const CHARM_Setting* settings, size_t count);
/* Waits for all work that can still run, then stops the workers. */
int CHARM_Finalize(void);

/* Runs function(argument) as a task and waits for it. */
int CHARM_Run(CHARM_Function function, void* argument);
/* Runs body(worker, argument) once on every worker and waits for all. */
int CHARM_All_do(CHARM_Body body, void* argument);
/* Runs function(argument) on a worker: waiting for it, or not. Nobody waits for CHARM_Call_async and CHARM_Spawn but
 * CHARM_Finalize: a C++ exception that leaves the function is told on the standard error stream, once, and dropped. */
int CHARM_Call(int worker, CHARM_Function function, void* argument);
int CHARM_Call_async(int worker, CHARM_Function function, void* argument);
/* The same on a worker of a chiplet, of a NUMA node, or of the node on which the page of an address lies. */
int CHARM_Call_chiplet(int chiplet, CHARM_Function function, void* argument);
int CHARM_Call_node(int node, CHARM_Function function, void* argument);
int CHARM_Call_address(const void* address, CHARM_Function function, void* argument);
/* NUMA node of the page of an address; -1 where it is not known (CHARM_Error() then tells why). */
int CHARM_Where(const void* address);
/* Covers [first, last) with blocks of at most `grain` indices (0: found by itself). */
int CHARM_Parallel_for(int64_t first, int64_t last, int64_t grain, CHARM_Range body, void* argument);
/* Reduces [first, last): body(low, high, partial, argument) adds a block to the partial result at `partial`, of `size`
 * bytes; combine(into, from, argument) adds the partial result of the range to the right. Partial results begin as a
 * copy of *identity, are copied bytewise and aligned like malloc's memory. The sum of all is stored in *result. */
typedef void (*CHARM_Reduce)(int64_t low, int64_t high, void* partial, void* argument);
typedef void (*CHARM_Combine)(void* into, const void* from, void* argument);
int CHARM_Parallel_reduce(int64_t first, int64_t last, int64_t grain, const void* identity, size_t size,
                          CHARM_Reduce body, CHARM_Combine combine, void* argument, void* result);
/* Runs both, perhaps in parallel, and waits for both. */
int CHARM_Invoke(CHARM_Function first, void* first_argument, CHARM_Function second, void* second_argument);
/* Among the bodies of CHARM_All_do. */
int CHARM_Barrier(void);
void CHARM_Yield(void);

/* A group of tasks: spawn any number, wait for all. Wait returns when all are done; then the group may be used again.
 * Destroy waits, too. */
typedef struct CHARM_Group CHARM_Group;
int CHARM_Group_create(CHARM_Group** group);
int CHARM_Group_spawn(CHARM_Group* group, CHARM_Function function, void* argument);
int CHARM_Group_wait(CHARM_Group* group);
void CHARM_Group_destroy(CHARM_Group* group);
/* A task of its own that nobody waits for but CHARM_Finalize. */
int CHARM_Spawn(CHARM_Function function, void* argument);

/* What waits here suspends the task and never the worker; in threads that are no workers it sleeps. Timed calls take
 * nanoseconds and return CHARM_TIMEOUT where the time was over first. */
typedef struct CHARM_Mutex CHARM_Mutex;
int CHARM_Mutex_create(CHARM_Mutex** mutex);
int CHARM_Mutex_lock(CHARM_Mutex* mutex);
int CHARM_Mutex_try_lock(CHARM_Mutex* mutex); /* CHARM_TIMEOUT if it is taken */
int CHARM_Mutex_lock_for(CHARM_Mutex* mutex, int64_t nanoseconds);
void CHARM_Mutex_unlock(CHARM_Mutex* mutex);
void CHARM_Mutex_destroy(CHARM_Mutex* mutex);

typedef struct CHARM_Cond CHARM_Cond;
int CHARM_Cond_create(CHARM_Cond** cond);
int CHARM_Cond_wait(CHARM_Cond* cond, CHARM_Mutex* mutex);
int CHARM_Cond_wait_for(CHARM_Cond* cond, CHARM_Mutex* mutex, int64_t nanoseconds);
void CHARM_Cond_signal(CHARM_Cond* cond);
void CHARM_Cond_broadcast(CHARM_Cond* cond);
void CHARM_Cond_destroy(CHARM_Cond* cond);

/* A queue of pointers; capacity CHARM_UNBOUNDED, or as many as fit before a sender waits, 0: until it is received.
 * CHARM_CLOSED: closed, and for receivers also empty. */
#define CHARM_UNBOUNDED SIZE_MAX
typedef struct CHARM_Channel CHARM_Channel;
int CHARM_Channel_create(CHARM_Channel** channel, size_t capacity);
int CHARM_Channel_send(CHARM_Channel* channel, void* item);
int CHARM_Channel_try_send(CHARM_Channel* channel, void* item);
int CHARM_Channel_recv(CHARM_Channel* channel, void** item);
int CHARM_Channel_try_recv(CHARM_Channel* channel, void** item);
int CHARM_Channel_recv_for(CHARM_Channel* channel, void** item, int64_t nanoseconds);
void CHARM_Channel_close(CHARM_Channel* channel);
void CHARM_Channel_destroy(CHARM_Channel* channel);

int CHARM_Sleep(int64_t nanoseconds);
/* Runs function(argument), which may block in the kernel, in a thread of the blocking pool; the worker runs others. */
int CHARM_Blocking(CHARM_Function function, void* argument);

/* Names the running task until it ends, for reports; lists all tasks on the standard error stream. */
void CHARM_Name_task(const char* name);
void CHARM_Dump_tasks(void);

/* Counts since CHARM_Init: of one worker, or with worker -1 of all together. */
/** What a worker did: the fields of charm::WorkerStats (charm/stats.hpp). */
typedef struct {
  uint64_t jobs;           /**< jobs taken by the scheduler */
  uint64_t steals_chiplet; /**< stolen from a worker of the same chiplet */
  uint64_t steals_node;    /**< from another chiplet of the same NUMA node */
  uint64_t steals_far;     /**< from another node */
  uint64_t lost_races;     /**< thefts that another thief won */
  uint64_t suspensions;    /**< tasks that waited */
  uint64_t exposures;      /**< of a worker that did not answer */
  uint64_t parks;          /**< times it went to sleep */
  uint64_t wakes;          /**< times it was woken by another thread */
  uint64_t migrations;     /**< tasks that went on here after they had waited elsewhere */
  uint64_t busy_ns;        /**< nanoseconds it ran jobs */
  uint64_t searching_ns;   /**< nanoseconds it looked for work */
  uint64_t parked_ns;      /**< nanoseconds it slept */
} CHARM_Worker_stats;
int CHARM_Stats(int worker, CHARM_Worker_stats* stats);
/* Task stacks and threads of the blocking pool that exist; whether the workers lack cpus of their own (1 or 0). */
/** What exists besides the workers. */
typedef struct {
  uint64_t stacks;           /**< task stacks */
  uint64_t blocking_threads; /**< for tasks that block in the kernel */
  int oversubscribed;        /**< 1 where the workers lack cpus of their own */
} CHARM_Runtime_stats;
int CHARM_Stats_runtime(CHARM_Runtime_stats* stats);

int CHARM_Worker_id(void);   /* -1 outside of tasks */
int CHARM_Num_workers(void); /* 0 while the runtime does not run */

/* What the calling thread's last failed call complained of; never NULL. */
const char* CHARM_Error(void);

#ifdef __cplusplus
}
#endif
#endif
