// Runtimes of several shapes for the tests of algorithms: one worker, two, and more workers than cores on a machine of
// several chiplets that exists on paper.
#pragma once

#include <ostream>

#include <gtest/gtest.h>

#include "sched/running.hpp"

struct Shape {
  int workers;
  const char* topology;
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape) {
    return out << shape.workers << " workers on " << (*shape.topology == 0 ? "this machine" : shape.topology);
  }
};

inline charm::Config on(const char* topology) {
  charm::Config config;
  if (*topology != 0) config.topology = topology;
  config.policy = "distributed";
  return config;
}

class OnShapes : public testing::TestWithParam<Shape> {
 protected:
  Running runtime_{GetParam().workers, on(GetParam().topology)};
};

inline auto shapes() {
  return testing::Values(Shape{1, ""}, Shape{2, ""}, Shape{6, "pack:1 l3:3 core:2 pu:1"},
                         Shape{5, "pack:2 l3:2 core:2 pu:1"});
}
