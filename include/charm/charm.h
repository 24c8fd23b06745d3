/** @file
 * CHARM for C, under the names of the paper (CHARM §4.6).
 *
 * Functions that can fail return CHARM_OK (0) or another code below; CHARM_Error() then returns the reason as text. All
 * functions may be called from any thread and any task, unless they say otherwise, and may be mixed with the C++
 * interface, whose pages docs/runtime.md and docs/waiting.md describe it in full. Functions that wait suspend the
 * calling task, whose worker runs other tasks meanwhile; a suspended task may continue on another worker
 * (docs/suspension.md). In threads that are not workers they put the thread to sleep.
 *
 * Functions and bodies that the program passes run as tasks. They must not leave by longjmp. A C++ exception that
 * leaves one is returned as CHARM_UNKNOWN, or as the code of a charm::Error, by the call that waits for it. */
#ifndef CHARM_H
#define CHARM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What functions return. */
enum {
  CHARM_OK = 0,               /**< the call has done what it says */
  CHARM_BAD_INPUT = 1,        /**< an argument or a file that cannot be used */
  CHARM_BAD_CONFIG = 2,       /**< a setting that is unknown, out of range or contradicts another */
  CHARM_TOO_MANY_WORKERS = 3, /**< more workers than allowed cores, without the setting share_cores */
  CHARM_REFUSED = 4,          /**< the policy refuses this machine and number of workers */
  CHARM_NOT_RUNNING = 5,      /**< the runtime is needed and does not run, or is being ended */
  CHARM_SYSTEM = 6,           /**< the kernel refused something that is necessary */
  CHARM_CANCELLED = 7,        /**< the task group of the C++ interface that the task belongs to was cancelled */
  CHARM_UNKNOWN = 8,          /**< another C++ exception, such as one for missing memory */
  CHARM_TIMEOUT = 9,          /**< the time was over first; or it cannot be done now, in functions named try */
  CHARM_CLOSED = 10           /**< the channel is closed */
};

/** A function that runs as a task; it gets the argument that was passed with it. */
typedef void (*CHARM_Function)(void* argument);
/** A body of CHARM_All_do(). `worker` is the worker that runs it, from 0. */
typedef void (*CHARM_Body)(int worker, void* argument);
/** A body of a loop, for the indices from `low` to `high` - 1. */
typedef void (*CHARM_Range)(int64_t low, int64_t high, void* argument);

/** @name Start and stop */
/**@{*/

/** Discovers the machine and starts the workers, with the settings of the environment and the file (docs/settings.md).
 * The calling thread works as worker 0 while it waits in calls of the library, and is bound to that worker's core.
 * If the runtime runs already the call joins it, or returns CHARM_BAD_CONFIG if it asks for settings that the runtime
 * does not have; CHARM_Error() names the setting. Each call that succeeds needs a CHARM_Finalize(). Also returns
 * CHARM_BAD_INPUT, CHARM_BAD_CONFIG, CHARM_TOO_MANY_WORKERS, CHARM_REFUSED or CHARM_SYSTEM; then nothing is left
 * running.
 */
int CHARM_Init(void);

/** As CHARM_Init(), with a number of workers (0: the setting's, by default one for each allowed core) and a policy such
 * as "local" (NULL: the setting's). */
int CHARM_Init_with(int workers, const char* policy);

/** A setting and its value. */
typedef struct {
  const char* name;  /**< one of docs/settings.md, for example "stack_bytes" */
  const char* value; /**< the text that the environment variable would have, for example "1M" */
} CHARM_Setting;

/** As CHARM_Init(), with `count` settings, which take precedence over the environment and the file. Returns
 * CHARM_BAD_CONFIG for a name or a value that is not accepted; CHARM_Error() says which. */
int CHARM_Init_settings(const CHARM_Setting* settings, size_t count);

/** The last call, of as many as there were of CHARM_Init() and its kind, waits for all work that can still run and
 * stops the workers; those before return at once. Call it outside of tasks, if possible in that thread. Tasks that wait
 * for something that can no longer happen are dropped, with a notice on the standard error stream. CHARM_Init() may be
 * called again afterwards. Returns CHARM_NOT_RUNNING without a runtime, inside a task, or if another thread is in this
 * function already. */
int CHARM_Finalize(void);
/**@}*/

/** @name Tasks */
/**@{*/

/** Runs function(argument) as a task and waits for it. Inside a task this is a plain call. Returns CHARM_NOT_RUNNING
 * without a runtime. */
int CHARM_Run(CHARM_Function function, void* argument);

/** Runs body(worker, argument) once on every worker, each as a task that stays on its worker, and waits for all. A
 * worker that is busy runs its body when it is free. */
int CHARM_All_do(CHARM_Body body, void* argument);

/** Waits until the bodies of all workers of the enclosing CHARM_All_do() have called this. Returns CHARM_BAD_INPUT
 * outside of such a body, or if a body has returned, so that it cannot call this any more. */
int CHARM_Barrier(void);

/** Runs function(argument) as a task on that worker, and waits for it. Returns CHARM_BAD_INPUT if there is no such
 * worker. */
int CHARM_Call(int worker, CHARM_Function function, void* argument);

/** As CHARM_Call(), on any worker of a chiplet (an index in charm::Machine::chiplets, as `charm topo` shows them). The
 * task begins there; after a wait it may go on elsewhere. Returns CHARM_BAD_INPUT if no worker is there. */
int CHARM_Call_chiplet(int chiplet, CHARM_Function function, void* argument);

/** As CHARM_Call_chiplet(), on any worker of a NUMA node (an index in charm::Machine::nodes). */
int CHARM_Call_node(int node, CHARM_Function function, void* argument);

/** As CHARM_Call_node(), on the node of the page of `address`, or the nearest node that has workers. Where the kernel
 * does not tell the node, on the node of the caller. */
int CHARM_Call_address(const void* address, CHARM_Function function, void* argument);

/** Starts function(argument) as a task on that worker, without waiting for it. CHARM_Finalize() waits for it. If a C++
 * exception leaves the function, it is reported once on the standard error stream, and dropped. Returns CHARM_BAD_INPUT
 * if there is no such worker. */
int CHARM_Call_async(int worker, CHARM_Function function, void* argument);

/** As CHARM_Call_async(), on any worker. */
int CHARM_Spawn(CHARM_Function function, void* argument);

/** Calls both functions, perhaps at the same time on two workers, and returns when both have returned. */
int CHARM_Invoke(CHARM_Function first, void* first_argument, CHARM_Function second, void* second_argument);

/** The priorities of an arena. */
enum {
  CHARM_PRIORITY_LOW = 0,    /**< gets a core when no other runtime of the process has work for it */
  CHARM_PRIORITY_NORMAL = 1, /**< that of the rest of the program */
  CHARM_PRIORITY_HIGH = 2    /**< gets a core first */
};

/** An arena: a group of workers of its own (docs/arenas.md). */
typedef struct CHARM_Arena CHARM_Arena;

/** Makes an arena with workers on `count` chiplets (NULL and 0: on all): at most `workers`, or one for each core if
 * that is 0. Returns CHARM_BAD_INPUT for chiplets, numbers or priorities that do not exist. */
int CHARM_Arena_create(CHARM_Arena** arena, const int* chiplets, size_t count, int workers, int priority);

/** Runs function(argument) as a task of the arena, and waits for it. */
int CHARM_Arena_run(CHARM_Arena* arena, CHARM_Function function, void* argument);

/** Starts function(argument) as a task of the arena, without waiting for it; exceptions as in CHARM_Call_async(). */
int CHARM_Arena_spawn(CHARM_Arena* arena, CHARM_Function function, void* argument);

/** Number of the arena's workers. */
int CHARM_Arena_workers(const CHARM_Arena* arena);

/** Waits for all tasks of the arena and destroys it. Call it outside of the arena. NULL is allowed. */
void CHARM_Arena_destroy(CHARM_Arena* arena);

/** Lets other tasks of this worker run, and returns when it is this task's turn again. Outside of tasks it gives the
 * cpu to another thread. */
void CHARM_Yield(void);

/** Names the running task until it ends, for CHARM_Dump_tasks(), the reports of deadlocks and debuggers. At most 31
 * bytes are kept. Outside of tasks this does nothing. */
void CHARM_Name_task(const char* name);

/** Writes a line for each task that runs or waits to the standard error stream: its name, its function and what it
 * waits for. Does nothing without a runtime. */
void CHARM_Dump_tasks(void);

/** The worker that runs the calling task, from 0; -1 outside of tasks. It may change when the task waits. */
int CHARM_Worker_id(void);

/** Number of workers; 0 while the runtime does not run. */
int CHARM_Num_workers(void);

/** The NUMA node (index in charm::Machine::nodes) on which the page of `address` lies, without touching the page. A
 * system call of about a microsecond. Returns -1 if the node is not known; CHARM_Error() then says why. */
int CHARM_Where(const void* address);
/**@}*/

/** @name Loops */
/**@{*/

/** Calls body(low, high, argument) so that every index of [first, last) is in exactly one block, in parallel, and
 * returns when all calls have returned. \param grain largest number of indices of a block; 0: chosen by the library. */
int CHARM_Parallel_for(int64_t first, int64_t last, int64_t grain, CHARM_Range body, void* argument);

/** Adds the indices from `low` to `high` - 1 to the partial result at `partial`. */
typedef void (*CHARM_Reduce)(int64_t low, int64_t high, void* partial, void* argument);
/** Adds the partial result `from`, of the indices to the right, to that at `into`. It must be associative. */
typedef void (*CHARM_Combine)(void* into, const void* from, void* argument);

/** Reduces [first, last) in parallel: `body` adds blocks of indices to partial results, `combine` joins two partial
 * results. Returns when the sum of all is stored at `result`. Of floating-point numbers the last bits may differ from
 * call to call, because the order of additions depends on timing.
 * \param grain as in CHARM_Parallel_for().
 * \param identity what every partial result begins as. \param size bytes of a partial result, of `identity` and of
 * `result`; partial results are copied as bytes, and aligned as malloc() does. */
int CHARM_Parallel_reduce(int64_t first, int64_t last, int64_t grain, const void* identity, size_t size,
                          CHARM_Reduce body, CHARM_Combine combine, void* argument, void* result);
/**@}*/

/** @name Groups of tasks: start any number, wait for all */
/**@{*/

/** A group of tasks. */
typedef struct CHARM_Group CHARM_Group;
/** Makes a group and stores it at `group`. It needs no runtime until the first task. */
int CHARM_Group_create(CHARM_Group** group);
/** Starts function(argument) as a task of the group; any task may do so, also one of the group. If the worker's deque
 * is full the task runs at once, inside this call. */
int CHARM_Group_spawn(CHARM_Group* group, CHARM_Function function, void* argument);
/** Waits until all tasks of the group have ended. Only one task may wait at a time. The group may be used again
 * afterwards. */
int CHARM_Group_wait(CHARM_Group* group);
/** Waits as CHARM_Group_wait(), and destroys the group. NULL is allowed. */
void CHARM_Group_destroy(CHARM_Group* group);
/**@}*/

/** @name Mutexes and conditions. Times are in nanoseconds. */
/**@{*/

/** A mutex; not recursive. A task may be suspended while it holds one, and unlock it on another worker. */
typedef struct CHARM_Mutex CHARM_Mutex;
/** Makes a mutex and stores it at `mutex`. */
int CHARM_Mutex_create(CHARM_Mutex** mutex);
/** Waits until no other task or thread holds the mutex, and takes it. */
int CHARM_Mutex_lock(CHARM_Mutex* mutex);
/** Takes the mutex if it is free; returns CHARM_TIMEOUT if it is not. */
int CHARM_Mutex_try_lock(CHARM_Mutex* mutex);
/** As CHARM_Mutex_lock(); returns CHARM_TIMEOUT if the mutex was not free within that time. */
int CHARM_Mutex_lock_for(CHARM_Mutex* mutex, int64_t nanoseconds);
/** Releases the mutex. The task, or thread, that has locked it must call this. */
void CHARM_Mutex_unlock(CHARM_Mutex* mutex);
/** Destroys a mutex that nobody holds or waits for. NULL is allowed. */
void CHARM_Mutex_destroy(CHARM_Mutex* mutex);

/** A condition variable. */
typedef struct CHARM_Cond CHARM_Cond;
/** Makes a condition variable and stores it at `cond`. */
int CHARM_Cond_create(CHARM_Cond** cond);
/** Releases the mutex, waits for a signal, and takes the mutex again, which the caller must hold. Check the condition
 * afterwards and wait again if it is false: another task may have changed it before the mutex was taken. */
int CHARM_Cond_wait(CHARM_Cond* cond, CHARM_Mutex* mutex);
/** As CHARM_Cond_wait(); returns CHARM_TIMEOUT, with the mutex held, if there was no signal within that time. */
int CHARM_Cond_wait_for(CHARM_Cond* cond, CHARM_Mutex* mutex, int64_t nanoseconds);
/** Wakes the task or thread that has waited longest, if any. */
void CHARM_Cond_signal(CHARM_Cond* cond);
/** Wakes all tasks and threads that wait. */
void CHARM_Cond_broadcast(CHARM_Cond* cond);
/** Destroys a condition variable that nobody waits for. NULL is allowed. */
void CHARM_Cond_destroy(CHARM_Cond* cond);
/**@}*/

/** @name Channels: queues of pointers between tasks */
/**@{*/

/** The capacity of a channel whose senders never wait. */
#define CHARM_UNBOUNDED SIZE_MAX
/** A channel, for any number of senders and receivers. Items arrive in the order in which they were sent. */
typedef struct CHARM_Channel CHARM_Channel;
/** Makes a channel and stores it at `channel`. \param capacity items that fit before a sender has to wait; with 0 a
 * sender waits until a receiver takes its item; CHARM_UNBOUNDED: no limit. */
int CHARM_Channel_create(CHARM_Channel** channel, size_t capacity);
/** Sends an item; waits while the channel is full. Returns CHARM_CLOSED, without having sent, if the channel is
 * closed. */
int CHARM_Channel_send(CHARM_Channel* channel, void* item);
/** Sends an item if that is possible at once; returns CHARM_TIMEOUT if the channel is full, CHARM_CLOSED if it is
 * closed. */
int CHARM_Channel_try_send(CHARM_Channel* channel, void* item);
/** Waits for an item and stores it at `item`. Returns CHARM_CLOSED if the channel is closed and empty. */
int CHARM_Channel_recv(CHARM_Channel* channel, void** item);
/** Receives an item if there is one; returns CHARM_TIMEOUT if there is none, CHARM_CLOSED if none can come. */
int CHARM_Channel_try_recv(CHARM_Channel* channel, void** item);
/** As CHARM_Channel_recv(); returns CHARM_TIMEOUT if no item came within that time, in nanoseconds. */
int CHARM_Channel_recv_for(CHARM_Channel* channel, void** item, int64_t nanoseconds);
/** Ends sending: items that were sent can still be received, and waiting senders and receivers get CHARM_CLOSED. */
void CHARM_Channel_close(CHARM_Channel* channel);
/** Destroys a channel in which nobody waits; items in it are dropped. NULL is allowed. */
void CHARM_Channel_destroy(CHARM_Channel* channel);
/**@}*/

/** @name Sleeping and blocking */
/**@{*/

/** Suspends the task for at least that time; outside of tasks the thread sleeps. */
int CHARM_Sleep(int64_t nanoseconds);
/** Runs function(argument), which may block in the kernel, on a thread of the blocking pool and waits for it. The
 * worker runs other tasks meanwhile. Inside the function CHARM_Worker_id() is -1. Outside of tasks this is a plain
 * call. Start programs in it: those that a task starts otherwise inherit the worker's mask of one cpu. */
int CHARM_Blocking(CHARM_Function function, void* argument);
/**@}*/

/** @name Statistics */
/**@{*/

/** What a worker has done since CHARM_Init(): the fields of charm::WorkerStats (charm/stats.hpp). */
typedef struct {
  uint64_t jobs;           /**< jobs that the scheduler has given to it */
  uint64_t steals_chiplet; /**< jobs stolen from a worker of the same chiplet */
  uint64_t steals_node;    /**< jobs stolen from another chiplet of the same NUMA node */
  uint64_t steals_far;     /**< jobs stolen from another node */
  uint64_t lost_races;     /**< thefts that another thief won */
  uint64_t suspensions;    /**< tasks that waited */
  uint64_t exposures;      /**< times it has made the jobs of a worker public that did not answer requests */
  uint64_t parks;          /**< times it went to sleep */
  uint64_t wakes;          /**< times it was woken by another thread */
  uint64_t migrations;     /**< tasks that it has continued after they had waited on another worker */
  uint64_t busy_ns;        /**< nanoseconds in which it ran jobs */
  uint64_t searching_ns;   /**< nanoseconds in which it looked for work */
  uint64_t parked_ns;      /**< nanoseconds in which it slept */
} CHARM_Worker_stats;
/** Stores the counts of that worker, or with -1 the sums over all workers, at `stats`. Returns CHARM_BAD_INPUT if there
 * is no such worker. */
int CHARM_Stats(int worker, CHARM_Worker_stats* stats);

/** The state of the runtime. */
typedef struct {
  uint64_t stacks;           /**< stacks of tasks that exist */
  uint64_t blocking_threads; /**< threads of the blocking pool that exist */
  int oversubscribed;        /**< 1 if the workers do not have their cpus to themselves, else 0 */
} CHARM_Runtime_stats;
/** Stores the state of the runtime at `stats`. */
int CHARM_Stats_runtime(CHARM_Runtime_stats* stats);

/** The reason for which the calling thread's last failed call failed: one line with the remedy. Never NULL; valid until
 * the thread's next call that fails. In a task read it before the task waits, since it belongs to the thread. */
const char* CHARM_Error(void);
/**@}*/

#ifdef __cplusplus
}
#endif
#endif
