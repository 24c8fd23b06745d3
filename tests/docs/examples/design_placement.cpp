// The example of docs/design/placement.md, on any machine with two chiplets and more.
#include <charm/machine.hpp>

#include <cstdlib>

#include "placement/placement.hpp"
#include "placement/placement_policy.hpp"

int main() {
  using charm::WorkerCore;
  setenv("CHARM_TOPOLOGY", "pack:1 l3:8 core:8 pu:1", 1);  // for Machine::discover(): this one may be too small
  using charm::Machine;
#include "design_placement_1.inc"
  return now.core >= 0 && later.core >= 0 ? 0 : 1;
}
