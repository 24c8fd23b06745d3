// Draws the accesses of one worker to one component, one after the other, from the description of a generator
// (workload.hpp): which line, and whether it is written.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "tools/sim/workload.hpp"

namespace charm::sim {

struct Access {
  std::uint32_t line = 0;
  bool write = false;
};

/// Draws lines by their popularity in constant time: an alias table over the classes (A. J. Walker, 1977; M. D. Vose,
/// 1991), and a uniform draw within a class.
class LineDraw {
 public:
  LineDraw(const Popularity& popularity, std::uint32_t lines);

  std::uint32_t operator()(base::Random& random) const {
    const std::uint64_t draw = random.next();
    if (entries_.size() == 1) return upper(draw >> 32, entries_[0].kept.lines);
    // The high half picks the entry; what is left of it after that decides between the two classes of the entry.
    const std::uint64_t product = (draw >> 32) * entries_.size();
    const Entry& entry = entries_[product >> 32];
    const Class& c = static_cast<std::uint32_t>(product) < entry.share ? entry.kept : entry.alias;
    return c.first + upper(random.next() >> 32, c.lines);
  }

 private:
  struct Class {
    std::uint32_t first = 0, lines = 1;
  };
  struct Entry {
    std::uint64_t share = 0;  // share of the draws, in 2^-32, that gives `kept`
    Class kept, alias;
  };
  static std::uint32_t upper(std::uint64_t draw, std::uint32_t limit) {
    return static_cast<std::uint32_t>((draw * limit) >> 32);
  }

  std::vector<Entry> entries_;
};

class Accesses {
 public:
  struct Place {
    std::uint32_t first_line = 0, lines = 1;  // lines of the group
    std::uint32_t member = 0, members = 1;    // number of the worker in the group, and of the group's workers
    bool wanders = false;
    std::uint64_t seed = 1;
  };

  /// \param draw for random order, shared by the group; made here if there is none.
  Accesses(const Component& component, const Place& place, std::shared_ptr<const LineDraw> draw = nullptr);

  Access next();

 private:
  enum class Kind { sweep, wandering_sweep, random, mailbox };

  template <Kind kind>
  Access draw();
  std::uint32_t sweep();
  std::uint32_t wandering_sweep();
  Access mailbox();

  Kind kind_;
  Place place_;
  base::Random random_;
  std::shared_ptr<const LineDraw> draw_;
  std::uint64_t write_below_;  // share of writes, in 2^-32
  std::uint32_t at_ = 0, from_ = 0, until_ = 0;
  std::uint32_t mailbox_ = 1;  // lines of a mailbox
  std::uint64_t pass_ = 0;
  bool reading_ = false;
};

}  // namespace charm::sim
