// Which cores of a machine to take and which to give up, so that shares are whole chiplets as far as that goes: a
// holder grows on chiplets that it is on already, then takes the emptiest, near its others; it gives up first what it
// has on chiplets with others, then the chiplet of which it has least. Cores that are loud, since programs outside of
// the leases keep them busy, come last, and go first.
#pragma once

#include <charm/machine.hpp>

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace charm::lease {

class Territory {
 public:
  explicit Territory(const Machine& machine);

  /// Names of all cores (Core::cpu), ascending.
  [[nodiscard]] const std::vector<int>& cores() const { return cores_; }

  /// At most `count` cores out of `free`. \param mine what the holder has. \param others what others have.
  [[nodiscard]] std::vector<int> choose(std::vector<int> mine, const std::vector<int>& free,
                                        const std::vector<int>& others, const std::vector<int>& loud, int count) const;

  /// `count` cores out of `mine`, those first that are `useful` to somebody who is short.
  [[nodiscard]] std::vector<int> surrender(std::vector<int> mine, const std::vector<int>& others,
                                           const std::vector<int>& useful, const std::vector<int>& loud,
                                           int count) const;

  /// A loud core of `mine`, and the quiet one out of `free` to take in its place; nothing where there are no such two.
  [[nodiscard]] std::optional<std::pair<int, int>> quieter(const std::vector<int>& mine, const std::vector<int>& free,
                                                           const std::vector<int>& others,
                                                           const std::vector<int>& loud) const;

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
