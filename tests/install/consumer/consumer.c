/* A C program against an installed CHARM, under the paper's names. */
#include <charm/charm.h>

#include <stdio.h>

static int counted = 0;

static void fill(int64_t low, int64_t high, void* argument) {
  int* cells = argument;
  for (int64_t i = low; i < high; ++i) cells[i] = (int)i;
}

static void count(void* argument) {
  CHARM_Mutex* mutex = argument;
  if (CHARM_Mutex_lock(mutex) != CHARM_OK) return;
  ++counted;
  CHARM_Mutex_unlock(mutex);
}

static void count_in_a_group(void* argument) {
  CHARM_Group* group = NULL;
  if (CHARM_Group_create(&group) != CHARM_OK) return;
  for (int i = 0; i < 100; ++i) CHARM_Group_spawn(group, count, argument);
  CHARM_Sleep(1000);
  CHARM_Group_wait(group);
  CHARM_Group_destroy(group);
}

int main(void) {
  static int cells[10000];
  CHARM_Setting settings[] = {{"stack_bytes", "512K"}};
  CHARM_Mutex* mutex = NULL;
  if (CHARM_Init_settings(settings, 1) != CHARM_OK || CHARM_Mutex_create(&mutex) != CHARM_OK ||
      CHARM_Run(count_in_a_group, mutex) != CHARM_OK || counted != 100 ||
      CHARM_Parallel_for(0, 10000, 0, fill, cells) != CHARM_OK) {
    fprintf(stderr, "consumer in C: %s\n", CHARM_Error());
    return 1;
  }
  int workers = CHARM_Num_workers();
  CHARM_Mutex_destroy(mutex);
  CHARM_Finalize();
  for (int i = 0; i < 10000; ++i) {
    if (cells[i] != i) return 1;
  }
  printf("consumer in C: %s\n", workers > 0 ? "ok" : "wrong");
  return workers > 0 ? 0 : 1;
}
