// The example of docs/placement.md.
#include <charm/charm.hpp>

#include <cstdio>

int main() {
#include "placement_1.inc"
}
