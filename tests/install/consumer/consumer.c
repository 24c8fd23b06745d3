/* A C program against an installed CHARM, under the paper's names. */
#include <charm/charm.h>

#include <stdio.h>

static void fill(int64_t low, int64_t high, void* argument) {
  int* cells = argument;
  for (int64_t i = low; i < high; ++i) cells[i] = (int)i;
}

int main(void) {
  static int cells[10000];
  if (CHARM_Init() != CHARM_OK || CHARM_Parallel_for(0, 10000, 0, fill, cells) != CHARM_OK) {
    fprintf(stderr, "consumer in C: %s\n", CHARM_Error());
    return 1;
  }
  int workers = CHARM_Num_workers();
  CHARM_Finalize();
  for (int i = 0; i < 10000; ++i) {
    if (cells[i] != i) return 1;
  }
  printf("consumer in C: %s\n", workers > 0 ? "ok" : "wrong");
  return workers > 0 ? 0 : 1;
}
