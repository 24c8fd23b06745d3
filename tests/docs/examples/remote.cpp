#include "remote_1.inc"
