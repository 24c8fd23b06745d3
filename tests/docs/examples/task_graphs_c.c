/* The example in C of docs/task-graphs.md, with a task to run. */
#include <charm/abss.h>

static int tasks_run = 0;

static int matrix = 0;

int main(void) {
#include "task_graphs_c_1.inc"
  return tasks_run == 1 ? 0 : 1;
}

void factorize(void* params) {
  (void)params;
  ++tasks_run;
}
