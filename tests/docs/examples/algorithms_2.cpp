// Of docs/algorithms.md: partial results for each worker. A whole program.
#include "algorithms_2.inc"
