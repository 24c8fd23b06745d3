// The caches of the line-granular back-end: the tags of each worker's L2 and each chiplet's L3, and a
// directory that knows for each line which chiplets hold it, which one changed it, and who touched it last.
//
// Invariant: a chiplet's bit in a line's directory entry is set exactly while its tags hold the line, so a hit costs
// one load. An L2's tag carries the line's version as it was when its worker touched it: a copy is good while the
// chiplet has the line and nobody else has written it since.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "tools/sim/access.hpp"
#include "tools/sim/job.hpp"
#include "tools/sim/tags.hpp"

namespace charm::sim {

class Caches {
 public:
  struct Counts {
    std::uint64_t own_l2 = 0, own_chiplet = 0, neighbour = 0, memory = 0, written_back = 0, all = 0;
    std::uint64_t from[3] = {}, upgrade[3] = {};  // other chiplet, other node, other socket
  };

  /// \param lines largest number of lines in use; a cache with room for more behaves as one with room for these.
  /// \throws Error (bad_config) if workers run on more chiplets than a directory entry has bits.
  Caches(const Job& job, double sampling, double lines, std::uint64_t seed);

  /// Adds `count` lines. \returns the first of them.
  std::uint32_t add_lines(std::uint32_t count, std::uint8_t component);

  /// Prefetches the data that touch() will read.
  void prefetch(std::size_t worker, std::uint32_t line) const {
    __builtin_prefetch(lines_.data() + line, 1);
    l2_[worker].prefetch(line);
  }

  /// \param counts of the worker, by component.
  void touch(std::size_t w, const Access& access, Counts* counts) {
    Line& line = lines_[access.line];
    Counts& count = counts[line.component];
    const std::size_t site = site_of_[w];
    const std::uint64_t bit = std::uint64_t{1} << site;
    ++count.all;
    const bool here = (line.holders & bit) != 0;
    const std::int64_t found = l2_[w].find(access.line);
    auto slot = static_cast<std::size_t>(found);
    if (here && found >= 0 && l2_[w].mark(slot) == version_of(line)) {
      ++count.own_l2;
    } else if (here) {
      const bool fresh = line.last_wrote && line.last != static_cast<std::int16_t>(w) &&
                         site_of_[static_cast<std::size_t>(line.last)] == site;
      ++(fresh ? count.neighbour : count.own_chiplet);
    } else {
      fetch(line, site, count);
      std::uint32_t out = 0;
      l3_[site].insert(access.line, random_, out);
      line.holders |= bit;
      if (out != Tags<16>::none) evict(lines_[out], site, counts);
    }
    if (found < 0) {
      std::uint32_t out = 0;
      slot = l2_[w].insert(access.line, random_, out);
    }
    if (access.write) write(access.line, line, w, site, here, count);
    l2_[w].set_mark(slot, version_of(line));
    line.last = static_cast<std::int16_t>(w);
    line.last_wrote = access.write;
  }

 private:
  struct Line {
    std::uint64_t holders = 0;  // a bit for each chiplet in use
    std::int16_t owner = -1;    // the chiplet that changed it and still has it
    std::int16_t last = -1;     // the worker that touched it last
    std::uint16_t version = 0;  // goes up when another worker writes
    std::uint8_t component = 0;
    bool last_wrote = false;
  };
  struct Site {
    int node, socket;
  };

  static std::uint32_t version_of(const Line& line) { return line.version & ((1U << Tags<8>::mark_bits) - 1); }

  [[nodiscard]] std::size_t distance(std::size_t a, std::size_t b) const {
    return sites_[a].socket != sites_[b].socket ? 2 : sites_[a].node != sites_[b].node ? 1 : 0;
  }

  void fetch(const Line& line, std::size_t site, Counts& count);
  void evict(Line& line, std::size_t site, Counts* counts);
  void write(std::uint32_t id, Line& line, std::size_t w, std::size_t site, bool was_here, Counts& count) {
    const std::uint64_t bit = std::uint64_t{1} << site;
    if ((line.holders & ~bit) != 0) take_away(id, line, site, was_here, count);
    line.holders = bit;
    line.owner = static_cast<std::int16_t>(site);
    line.version = static_cast<std::uint16_t>(line.version + (line.last != static_cast<std::int16_t>(w) ? 1 : 0));
  }
  void take_away(std::uint32_t id, const Line& line, std::size_t site, bool was_here, Counts& count);

  base::Random random_;
  double clean_forward_;
  std::vector<Site> sites_;
  std::vector<std::size_t> site_of_;  // by worker
  std::vector<Tags<16>> l3_;
  std::vector<Tags<8>> l2_;
  std::vector<Line> lines_;
};

}  // namespace charm::sim
