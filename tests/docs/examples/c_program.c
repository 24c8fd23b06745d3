/* The program of docs/c.md. */
#include <charm/charm.h>

#include <stdio.h>
#include <stdlib.h>

#include "c_c_1.inc"
