// Core selection: which cores a holder of a lease takes, and which it gives up. The aim is that holders get
// whole chiplets. A holder first takes cores on chiplets where it has some, then on the emptiest chiplets near those.
// It first gives up cores on chiplets that it shares with others, then on the chiplet where it has the fewest. Busy
// cores, which programs without a lease use, are taken last and given up first, and so are cores of slower kinds.
#pragma once

#include <charm/machine.hpp>

#include <map>
#include <optional>
#include <utility>

#include "base/id_sets.hpp"

namespace charm::lease {

class CoreSelection {
 public:
  explicit CoreSelection(const Machine& machine);

  /// All cores.
  [[nodiscard]] const CoreCpuSet& cores() const { return cores_; }

  /// Chooses at most `count` cores out of `free`. \param mine the holder's cores. \param others the cores of other
  /// holders.
  [[nodiscard]] CoreCpuSet choose(CoreCpuSet mine, const CoreCpuSet& free, const CoreCpuSet& others,
                                  const CoreCpuSet& busy, int count) const;

  /// Chooses `count` cores out of `mine` to give up; first those that are `useful` to a holder that is short of cores.
  [[nodiscard]] CoreCpuSet surrender(CoreCpuSet mine, const CoreCpuSet& others, const CoreCpuSet& useful,
                                     const CoreCpuSet& busy, int count) const;

  /// A busy core of `mine` and a quiet one out of `free` to exchange it for; nothing if there is no such pair.
  [[nodiscard]] std::optional<std::pair<int, int>> quieter(const CoreCpuSet& mine, const CoreCpuSet& free,
                                                           const CoreCpuSet& others, const CoreCpuSet& busy) const;

 private:
  struct Place {
    int chiplet = -1, socket = -1;
    CoreKind kind = CoreKind::performance;
  };
  [[nodiscard]] Place place(int core) const;
  [[nodiscard]] int on_chiplet(const CoreCpuSet& cores, int chiplet) const;
  [[nodiscard]] int on_socket(const CoreCpuSet& cores, int socket) const;

  CoreCpuSet cores_;
  std::map<int, Place> places_;
};

}  // namespace charm::lease
