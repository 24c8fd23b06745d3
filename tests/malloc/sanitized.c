/* Built with a sanitizer, which brings a malloc of its own. With an argument it writes behind a block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  (void)argv;
  const size_t bytes = (size_t)9 << 20;
  char* large = malloc(bytes);
  volatile char* small = calloc(1, 100);
  if (large == NULL || small == NULL) return 3;
  memset(large, 1, bytes);
  small[argc > 1 ? 100 : 1] = 1;
  printf("%d\n", large[5] + small[1]);
  free((char*)small);
  free(large);
  return 0;
}
