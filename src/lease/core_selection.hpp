// Core selection: which cores a holder of a lease takes, and which it gives up, so that as far as possible holders get
// whole chiplets. A holder first grows on chiplets where it has cores, then takes the emptiest chiplets near those. It
// first gives up cores on chiplets that it shares with others, then on the chiplet where it has the fewest. Busy cores,
// which programs without a lease use, are taken last and given up first.
#pragma once

#include <charm/machine.hpp>

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace charm::lease {

class CoreSelection {
 public:
  explicit CoreSelection(const Machine& machine);

  /// Names of all cores (Core::cpu), ascending.
  [[nodiscard]] const std::vector<int>& cores() const { return cores_; }

  /// At most `count` cores out of `free`. \param mine what the holder has. \param others what others have.
  [[nodiscard]] std::vector<int> choose(std::vector<int> mine, const std::vector<int>& free,
                                        const std::vector<int>& others, const std::vector<int>& busy, int count) const;

  /// `count` cores out of `mine`; first those that are `useful` to a holder that is short of cores.
  [[nodiscard]] std::vector<int> surrender(std::vector<int> mine, const std::vector<int>& others,
                                           const std::vector<int>& useful, const std::vector<int>& busy,
                                           int count) const;

  /// A busy core of `mine` and a quiet one out of `free` to exchange it for; nothing if there is no such pair.
  [[nodiscard]] std::optional<std::pair<int, int>> quieter(const std::vector<int>& mine, const std::vector<int>& free,
                                                           const std::vector<int>& others,
                                                           const std::vector<int>& busy) const;

 private:
  struct Place {
    int chiplet = -1, socket = -1;
  };
  [[nodiscard]] Place place(int core) const;
  [[nodiscard]] int on_chiplet(const std::vector<int>& cores, int chiplet) const;
  [[nodiscard]] int on_socket(const std::vector<int>& cores, int socket) const;

  std::vector<int> cores_;
  std::map<int, Place> places_;
};

}  // namespace charm::lease
