/** @file
 * Batch and stream scheduling for C, under the names of the paper (ABSS §3.5): tasks with tags, scheduled as a selector
 * chooses for the function that they run. docs/task-graphs.md describes it with an example.
 *
 * The tasks run on the workers of the one runtime, and may use all of charm.h and the C++ interface. Functions that can
 * fail return CHARM_OK (0) or another code of charm.h; ABSS_error() then returns the reason as text.
 *
 * A task belongs to the branch of the task that has added it, and tasks that threads outside have added belong to one
 * branch of their own. ABSS_barrier() waits for a branch. The paper's algorithms can lose tasks, run some twice, or
 * wait for ever; docs/task-graphs.md says what is different here. */
#ifndef CHARM_ABSS_H
#define CHARM_ABSS_H

#include <charm/charm.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The two schedules. */
typedef enum {
  ABSS_STREAM = 0, /**< each task runs as soon as a worker is free, nearest first */
  ABSS_BATCH = 1   /**< the tasks of one branch and tag are gathered, and divided evenly among the idle workers */
} ABSS_Schedule;

/** What the module is started with. */
typedef struct {
  int workers;          /**< number of workers; 0: one for each core that the process may use */
  const char* bind;     /**< what a worker is bound to: "chiplet" (the paper's core cluster), "core", "node" or "none";
                             NULL: "chiplet" */
  const char* selector; /**< "stream", "batch", "tree:FILE", "logistic:FILE" or "gcn:FILE"
                           (docs/design/graph-selectors.md); NULL: "stream" */
} ABSS_System_info;

/** Starts the module, and the runtime if it does not run. \param info NULL: the defaults; where the runtime runs
 * already, its workers as they are. Every call that succeeds needs an ABSS_finalize(); a second call joins, and what it
 * asks for must be so already. Returns CHARM_BAD_INPUT for a selector that there is not, CHARM_BAD_CONFIG where the
 * runtime or the module runs otherwise, and what CHARM_Init() returns. */
int ABSS_init(const ABSS_System_info* info);

/** What becomes of tasks that have not started when the module ends. */
typedef enum {
  ABSS_SHUTDOWN_WAIT = 0,  /**< they run first */
  ABSS_SHUTDOWN_CANCEL = 1 /**< they are dropped; those that run end */
} ABSS_Shutdown;

/** Ends the module, and the runtime if ABSS_init() has started it and nobody else has joined. The last call of as many
 * as there were of ABSS_init() does so. Returns CHARM_NOT_RUNNING without one, and inside a task. */
int ABSS_finalize(ABSS_Shutdown mode);

/** A function that runs as a task. */
typedef void (*ABSS_Function)(void* params);

/** @name Graphs, for the selector */
/**@{*/

/** A graph of the tasks that a function will add; it describes them and runs nothing. */
typedef struct ABSS_DAG_graph* ABSS_DAG;
/** An empty graph; NULL if there is no memory. */
ABSS_DAG ABSS_DAG_create(void);
/** Adds a task and returns its number, from 0; -1 on an error. \param function what it runs: tasks of one function are
 * of one kind, whose cost is measured when the module runs tasks of that function; NULL: not known. */
long ABSS_DAG_node(ABSS_DAG dag, ABSS_Function function);
/** Adds an edge. \param conditional 1 if it depends on the first task whether the second runs, else 0; the edges from
 * one task are all conditional or none is. Returns CHARM_BAD_INPUT for tasks that there are not. */
int ABSS_DAG_edge(ABSS_DAG dag, long from, long to, int conditional);
/** Destroys the graph. NULL is allowed. */
void ABSS_DAG_destroy(ABSS_DAG dag);
/**@}*/

/** Chooses the schedule of tasks that run `function`, by the graph of what they will do, for ABSS_addtask(). \param
 * chosen is set to the schedule, if it is not NULL. Returns CHARM_BAD_INPUT for a graph with a cycle. */
int ABSS_selector(ABSS_Function function, ABSS_DAG dag, ABSS_Schedule* chosen);

/** @name Tasks
 * `params` is passed to the function and must exist until it has run. `tag` names the tasks to wait for; any number. */
/**@{*/

/** Adds a task, with the schedule that was chosen for `function`; else with that of the calling task; else as a stream.
 * Returns CHARM_NOT_RUNNING without ABSS_init(). */
int ABSS_addtask(ABSS_Function function, void* params, int tag);
/** The same function, as the paper spells it elsewhere. */
int ABSS_AddTask(ABSS_Function function, void* params, int tag);
/** Adds a task to the batch of the calling task's branch and that tag. The batch is divided among the idle workers when
 * the calling task ends or waits in ABSS_barrier() for that tag; outside of tasks in ABSS_barrier() or ABSS_finalize().
 * Each worker runs its share one after the other, so tasks of a batch must not wait for each other. */
int ABSS_BatchAddTask(ABSS_Function function, void* params, int tag);
/** Adds a task that runs as soon as a worker is free. Where workers are bound to chiplets it comes into its chiplet's
 * queue, which the chiplet's workers serve first, and then the others, nearest first. */
int ABSS_StreamAddTask(ABSS_Function function, void* params, int tag);
/** Waits until the tasks with this tag that the caller's branch has added have ended, with all tasks that they have
 * added in turn, whatever their tags. In a task it never waits for the task itself; that is suspended meanwhile, and
 * its worker runs others. Returns CHARM_UNKNOWN, or the code of a charm::Error, if a C++ exception has left one of the
 * tasks; the first one is kept. */
int ABSS_barrier(int tag);
/** The same function, as the paper spells it elsewhere. */
int ABSS_Barrier(int tag);
/**@}*/

/** The reason for which the calling thread's last failed call of this header failed: one line. Never NULL. */
const char* ABSS_error(void);

#ifdef __cplusplus
}
#endif
#endif
