// Of docs/algorithms.md: cancellation. A whole program.
#include "algorithms_3.inc"
