/* A program in C11 that uses everything of charm.h; returns the number of the first check that failed, or 0. */
#include <charm/charm.h>

#include <stdio.h>
#include <string.h>

static int failed = 0;
#define CHECK(condition)                                                                \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      fprintf(stderr, "c_program.c:%d: %s: %s\n", __LINE__, #condition, CHARM_Error()); \
      if (failed == 0) failed = __LINE__;                                               \
    }                                                                                   \
  } while (0)

static CHARM_Mutex* mutex;
static CHARM_Cond* cond;
static CHARM_Channel* channel;
static CHARM_Channel* answers;
static int64_t counter;

static void add_one(void* argument) {
  (void)argument;
  CHECK(CHARM_Mutex_lock(mutex) == CHARM_OK);
  ++counter;
  CHARM_Cond_signal(cond);
  CHARM_Mutex_unlock(mutex);
}

static void await_ten(void* argument) {
  (void)argument;
  CHECK(CHARM_Mutex_lock(mutex) == CHARM_OK);
  while (counter < 10) CHECK(CHARM_Cond_wait(cond, mutex) == CHARM_OK);
  CHARM_Mutex_unlock(mutex);
}

static void sum_up(void* argument) {
  int64_t sum = 0;
  void* item = NULL;
  while (CHARM_Channel_recv(channel, &item) == CHARM_OK) sum += *(int64_t*)item;
  *(int64_t*)argument = sum;
  CHECK(CHARM_Channel_send(answers, argument) == CHARM_OK);
}

static void pause_there(void* argument) {
  CHECK(CHARM_Worker_id() == -1);
  *(int*)argument = 1;
}

static void in_arena(void* argument) {
  CHECK(CHARM_Num_workers() == 1);
  ++*(int*)argument;
}

static void all_of_it(void* argument) {
  (void)argument;
  CHARM_Name_task("all of it");
  CHECK(CHARM_Worker_id() >= 0);
  CHECK(CHARM_Sleep(100000) == CHARM_OK);
  int paused = 0;
  CHECK(CHARM_Blocking(pause_there, &paused) == CHARM_OK);
  CHECK(paused == 1);

  CHARM_Group* group = NULL;
  CHECK(CHARM_Group_create(&group) == CHARM_OK);
  CHECK(CHARM_Group_spawn(group, await_ten, NULL) == CHARM_OK);
  for (int i = 0; i < 10; ++i) CHECK(CHARM_Group_spawn(group, add_one, NULL) == CHARM_OK);
  CHECK(CHARM_Group_wait(group) == CHARM_OK);
  CHARM_Group_destroy(group);

  CHARM_Arena* arena = NULL;
  const int chiplet = 0;
  int ran = 0;
  CHECK(CHARM_Arena_create(&arena, &chiplet, 1, 1, CHARM_PRIORITY_HIGH) == CHARM_OK);
  CHECK(CHARM_Arena_workers(arena) == 1);
  CHECK(CHARM_Arena_run(arena, in_arena, &ran) == CHARM_OK);
  CHECK(ran == 1);
  CHECK(CHARM_Arena_spawn(arena, in_arena, &ran) == CHARM_OK);
  CHARM_Arena_destroy(arena);
  CHECK(ran == 2);
  CHECK(CHARM_Arena_create(&arena, NULL, 0, 0, 3) == CHARM_BAD_INPUT);
  CHECK(CHARM_Arena_create(&arena, NULL, 0, 100000, CHARM_PRIORITY_LOW) == CHARM_BAD_INPUT);

  int64_t sum = 0;
  int64_t items[100];
  CHECK(CHARM_Spawn(sum_up, &sum) == CHARM_OK);
  for (int i = 0; i < 100; ++i) {
    items[i] = i;
    CHECK(CHARM_Channel_send(channel, &items[i]) == CHARM_OK);
  }
  CHARM_Channel_close(channel);
  void* answer = NULL;
  CHECK(CHARM_Channel_recv(answers, &answer) == CHARM_OK);
  CHECK(*(int64_t*)answer == 4950);
  CHECK(CHARM_Channel_send(channel, &sum) == CHARM_CLOSED);
  CHECK(CHARM_Channel_try_send(channel, &sum) == CHARM_CLOSED);
  CHECK(CHARM_Channel_recv(channel, &answer) == CHARM_CLOSED);
  CHECK(CHARM_Channel_try_recv(answers, &answer) == CHARM_TIMEOUT);
  CHECK(CHARM_Channel_recv_for(answers, &answer, 100000) == CHARM_TIMEOUT);
}

static void square(int64_t low, int64_t high, void* partial, void* argument) {
  (void)argument;
  double* sum = partial;
  for (int64_t i = low; i < high; ++i) *sum += (double)i * (double)i;
}
static void plus(void* into, const void* from, void* argument) {
  (void)argument;
  *(double*)into += *(const double*)from;
}
static void meet(int worker, void* argument) {
  ((int*)argument)[worker] = 1;
  CHECK(CHARM_Barrier() == CHARM_OK);
  CHARM_Yield();
  CHECK(((int*)argument)[0] == 1 && ((int*)argument)[1] == 1);
}
static void add_ten(void* argument) { *(int*)argument += 10; }

int charm_c_program(void) {
  CHARM_Setting wrong[] = {{"wrokers", "2"}};
  CHECK(CHARM_Init_settings(wrong, 1) == CHARM_BAD_CONFIG);
  CHECK(strstr(CHARM_Error(), "wrokers") != NULL);
  CHARM_Setting settings[] = {{"workers", "2"}, {"share_cores", "1"}, {"stack_bytes", "128K"}};
  CHECK(CHARM_Init_settings(settings, 3) == CHARM_OK);
  CHECK(CHARM_Num_workers() == 2);
  CHECK(CHARM_Mutex_create(&mutex) == CHARM_OK);
  CHECK(CHARM_Cond_create(&cond) == CHARM_OK);
  CHECK(CHARM_Channel_create(&channel, 4) == CHARM_OK);
  CHECK(CHARM_Channel_create(&answers, CHARM_UNBOUNDED) == CHARM_OK);
  CHECK(CHARM_Run(all_of_it, NULL) == CHARM_OK);

  CHECK(CHARM_Mutex_try_lock(mutex) == CHARM_OK);
  CHECK(CHARM_Mutex_try_lock(mutex) == CHARM_TIMEOUT);
  CHECK(CHARM_Mutex_lock_for(mutex, 100000) == CHARM_TIMEOUT);
  CHECK(CHARM_Cond_wait_for(cond, mutex, 100000) == CHARM_TIMEOUT);
  CHARM_Cond_broadcast(cond);
  CHARM_Mutex_unlock(mutex);

  const double zero = 0;
  double sum = -1;
  CHECK(CHARM_Parallel_reduce(0, 1000, 0, &zero, sizeof zero, square, plus, NULL, &sum) == CHARM_OK);
  CHECK(sum == 332833500.0);
  int here[2] = {0, 0};
  CHECK(CHARM_All_do(meet, here) == CHARM_OK);
  int tens = 0;
  CHECK(CHARM_Call_chiplet(0, add_ten, &tens) == CHARM_OK);
  CHECK(CHARM_Call_node(0, add_ten, &tens) == CHARM_OK);
  CHECK(CHARM_Call_address(here, add_ten, &tens) == CHARM_OK);
  CHECK(CHARM_Call_node(99, add_ten, &tens) == CHARM_BAD_INPUT);
  CHECK(tens == 30);
  CHECK(CHARM_Where(here) >= -1);
  CHARM_Worker_stats one;
  CHARM_Worker_stats all;
  CHECK(CHARM_Stats(0, &one) == CHARM_OK);
  CHECK(CHARM_Stats(-1, &all) == CHARM_OK);
  CHECK(all.jobs > 0);
  CHECK(CHARM_Stats(2, &one) == CHARM_BAD_INPUT);
  CHARM_Runtime_stats runtime;
  CHECK(CHARM_Stats_runtime(&runtime) == CHARM_OK);
  CHECK(runtime.stacks > 0 && runtime.blocking_threads > 0);
  CHARM_Dump_tasks();
  CHARM_Channel_destroy(channel);
  CHARM_Channel_destroy(answers);
  CHARM_Cond_destroy(cond);
  CHARM_Mutex_destroy(mutex);
  CHECK(CHARM_Finalize() == CHARM_OK);
  CHECK(CHARM_Spawn(add_one, NULL) == CHARM_NOT_RUNNING);
  return failed;
}
