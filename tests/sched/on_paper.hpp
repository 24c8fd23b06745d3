// A machine on paper for tests of arenas.
#pragma once

#include <charm/config.hpp>

namespace charm::test {

/// Two chiplets of two cores, on paper.
inline Config on_paper(const char* machine = "pack:1 l3:2 core:2 pu:1") {
  Config config;
  config.topology = machine;
  config.policy = "local";
  return config;
}

}  // namespace charm::test
