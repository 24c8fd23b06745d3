// Of docs/algorithms.md: coroutines. A whole program.
#include "algorithms_3.inc"
