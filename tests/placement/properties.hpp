// The properties of docs/design/placement.md as functions of a machine and a request: empty where they hold, else the
// counter-example. Random machines and the real ones are held against the same ones.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "placement/placement_policy.hpp"

namespace charm::test {

using placement::Placement;
using placement::Request;
using placement::SocketOrder;

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// No cpu belongs to two workers, whatever the levels they stand at.
inline std::string ranges_overlap(const Placement& p) {
  std::map<int, std::size_t> owner;
  for (const auto& row : p.worker_cores) {
    for (std::size_t w = 0; w < row.size(); ++w) {
      auto [it, fresh] = owner.emplace(row[w].cpu, w);
      if (!fresh && it->second != w) {
        std::ostringstream out;
        out << "cpu " << row[w].cpu << " belongs to workers " << it->second << " and " << w;
        return out.str();
      }
    }
  }
  return "";
}

/// Every core is an allowed core's first thread (with smt: any allowed thread), and says truly where that is.
inline std::string wrong_core(const Machine& m, const Placement& p, bool smt) {
  for (const auto& row : p.worker_cores) {
    for (const WorkerCore& worker_core : row) {
      std::ostringstream out;
      out << "core core " << worker_core.core << " cpu " << worker_core.cpu;
      if (worker_core.core < 0 || at(worker_core.core) >= m.cores.size()) return out.str() + " is off the machine";
      const Core& core = m.cores[at(worker_core.core)];
      if (worker_core.chiplet != core.chiplet || worker_core.node != core.node || worker_core.socket != core.socket)
        return out.str() + " lies";
      bool ok = smt ? std::count(core.siblings.begin(), core.siblings.end(), worker_core.cpu) == 1
                    : worker_core.cpu == core.cpu;
      if (!ok || !m.allowed_cpus.contains(worker_core.cpu)) return out.str() + " is not primary";
    }
  }
  return "";
}

inline std::map<int, int> count_by(const std::vector<WorkerCore>& row, int WorkerCore::* key) {
  std::map<int, int> counts;
  for (const WorkerCore& worker_core : row) ++counts[worker_core.*key];
  return counts;
}

/// With `fill` a socket (or, for numa, a node) is entered only when the one before is full; at every level.
inline std::string out_of_order(const Machine& m, const Placement& p, int WorkerCore::* place, int Core::* home,
                                bool smt) {
  std::map<int, int> room;
  for (const Core& core : m.cores) room[core.*home] += smt ? static_cast<int>(core.siblings.size()) : 1;
  for (const auto& row : p.worker_cores) {
    auto used = count_by(row, place);
    for (auto it = room.begin(); it != room.end() && std::next(it) != room.end(); ++it) {
      if (used[it->first] < it->second && used[std::next(it)->first] > 0) {
        return std::to_string(std::next(it)->first) + " is entered while " + std::to_string(it->first) + " has room";
      }
    }
  }
  return "";
}

/// Going one level up moves exactly as many workers as the new chiplets take, and those that move go only there.
inline std::string needless_moves(const Placement& p) {
  for (std::size_t l = 1; l < p.worker_cores.size(); ++l) {
    auto before = count_by(p.worker_cores[l - 1], &WorkerCore::chiplet),
         after = count_by(p.worker_cores[l], &WorkerCore::chiplet);
    int needed = 0, moved = 0;
    for (auto [chiplet, load] : after) needed += std::max(0, load - (before.count(chiplet) ? before[chiplet] : 0));
    for (std::size_t w = 0; w < p.worker_cores[l].size(); ++w) {
      if (p.worker_cores[l][w] == p.worker_cores[l - 1][w]) continue;
      ++moved;
      if (before.count(p.worker_cores[l][w].chiplet))
        return "worker " + std::to_string(w) + " moves into a chiplet that is in use";
    }
    if (moved != needed) return std::to_string(moved) + " moves where " + std::to_string(needed) + " suffice";
  }
  return "";
}

/// P10: at no level has a worker a core of a slower kind while one of a faster kind is free.
inline std::string slow_before_fast(const Machine& m, const Placement& p, bool smt) {
  std::map<CoreKind, int> room;
  for (const Core& core : m.cores) room[core.kind] += smt ? static_cast<int>(core.siblings.size()) : 1;
  for (const auto& row : p.worker_cores) {
    std::map<CoreKind, int> used;
    for (const WorkerCore& worker_core : row) ++used[m.cores[at(worker_core.core)].kind];
    for (const auto& [kind, cores] : room) {
      if (used[kind] < cores && used.upper_bound(kind) != used.end() &&
          std::any_of(used.upper_bound(kind), used.end(), [](const auto& slower) { return slower.second > 0; }))
        return std::to_string(cores - used[kind]) + " faster cores are free beside workers on slower ones";
    }
  }
  return "";
}

/// Level s uses s chiplets.
inline std::string wrong_width(const Placement& p) {
  for (std::size_t l = 0; l < p.worker_cores.size(); ++l) {
    std::size_t used = count_by(p.worker_cores[l], &WorkerCore::chiplet).size();
    if (used != at(p.levels[l]))
      return "level " + std::to_string(p.levels[l]) + " uses " + std::to_string(used) + " chiplets";
    if (l > 0 && p.levels[l] <= p.levels[l - 1]) return "levels do not ascend";
  }
  return "";
}

}  // namespace charm::test
