// Of docs/algorithms.md: coroutines. A whole program.
#include "algorithms_4.inc"
