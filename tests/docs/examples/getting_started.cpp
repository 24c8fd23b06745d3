// Of docs/getting-started.md: the first program. A whole program.
#include "getting_started_1.inc"
