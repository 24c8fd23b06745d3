// The example of docs/design/controller.md, with a machine and signals to work on.
#include <charm/machine.hpp>

#include <cstdio>

#include "controller/controller.hpp"
#include "controller/setup.hpp"

int main() {
  const charm::Machine machine = charm::Machine::from("pack:1 l3:8 core:8 pu:1");
  const charm::controller::Signals signals;
#include "design_controller_1.inc"
  return spread >= 1 ? 0 : 1;
}
