// Of docs/algorithms.md: loops and algorithms. A whole program.
#include "algorithms_1.inc"
