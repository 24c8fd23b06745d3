// The accesses of one worker to one component, one after the other: which line, and whether it is written. What a
// generator describes (workload.hpp), drawn.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/random.hpp"
#include "sim/workload.hpp"

namespace charm::sim {

struct Access {
  std::uint32_t line = 0;
  bool write = false;
};

class Accesses {
 public:
  struct Place {
    std::uint32_t first_line = 0, lines = 1;  // of the group
    std::uint32_t member = 0, members = 1;    // of the group
    bool wanders = false;
    std::uint64_t seed = 1;
  };

  Accesses(const Component& component, const Place& place);

  Access next();

 private:
  std::uint32_t sweep();
  std::uint32_t wandering_sweep();
  std::uint32_t random_line();
  Access mailbox();

  struct Class {
    std::uint32_t first = 0, lines = 1;
    double up_to = 1;  // cumulative share of accesses
  };

  const Component* component_;
  Place place_;
  Random random_;
  std::vector<Class> classes_;
  std::uint32_t at_ = 0, from_ = 0, until_ = 0;
  std::uint64_t pass_ = 0;
  bool reading_ = false;
};

}  // namespace charm::sim
