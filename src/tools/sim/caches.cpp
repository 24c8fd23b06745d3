#include "tools/sim/caches.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <map>

namespace charm::sim {

Caches::Caches(const Job& job, double sampling, double lines, std::uint64_t seed)
    : random_(seed), clean_forward_(job.model->free.clean_forward) {
  std::map<int, std::size_t> index;
  const Machine& machine = job.model->machine;
  std::vector<double> room;
  const auto tags = [&](double bytes) { return std::min(bytes / line_bytes / sampling, lines + 16); };
  for (const WorkerCore& worker_core : job.worker_cores) {
    const Chiplet& chiplet = machine.chiplets[static_cast<std::size_t>(worker_core.chiplet)];
    auto [at, is_new] = index.try_emplace(worker_core.chiplet, room.size());
    if (is_new) {
      room.push_back(static_cast<double>(chiplet.l3_bytes));
      sites_.push_back({chiplet.node, chiplet.socket});
    }
    const auto l2 = static_cast<double>(machine.cores[static_cast<std::size_t>(worker_core.core)].l2_bytes);
    room[at->second] += l2;
    site_of_.push_back(at->second);
    l2_.emplace_back(tags(l2));
  }
  if (room.size() > 64) {
    throw Error(Errc::bad_config, "the line-granular back-end takes workers on at most 64 chiplets",
                "use the analytic back-end, or fewer workers");
  }
  for (const double bytes : room) l3_.emplace_back(tags(bytes));
}

std::uint32_t Caches::add_lines(std::uint32_t count, std::uint8_t component) {
  const auto first = static_cast<std::uint32_t>(lines_.size());
  Line line;
  line.component = component;
  lines_.resize(lines_.size() + count, line);
  return first;
}

void Caches::fetch(const Line& line, std::size_t site, Counts& count) {
  if (line.owner >= 0) {
    ++count.from[distance(site, static_cast<std::size_t>(line.owner))];
  } else if (line.holders != 0 && random_.unit() < clean_forward_) {
    auto skip = random_.below(static_cast<std::uint32_t>(std::popcount(line.holders)));
    std::uint64_t left = line.holders;
    while (skip-- > 0) left &= left - 1;
    ++count.from[distance(site, static_cast<std::size_t>(std::countr_zero(left)))];
  } else {
    ++count.memory;
  }
}

void Caches::evict(Line& line, std::size_t site, Counts* counts) {
  line.holders &= ~(std::uint64_t{1} << site);
  if (line.owner == static_cast<std::int16_t>(site)) {
    line.owner = -1;
    ++counts[line.component].written_back;
  }
}

void Caches::take_away(std::uint32_t id, const Line& line, std::size_t site, bool was_here, Counts& count) {
  std::size_t farthest = 0;
  for (std::uint64_t left = line.holders & ~(std::uint64_t{1} << site); left != 0; left &= left - 1) {
    const auto other = static_cast<std::size_t>(std::countr_zero(left));
    l3_[other].remove(id);
    farthest = std::max(farthest, distance(site, other));
  }
  if (was_here) ++count.upgrade[farthest];
}

}  // namespace charm::sim
