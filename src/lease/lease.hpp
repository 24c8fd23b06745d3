// A share of the machine's cores, held beside other programs of the same user: each looks at the table a few times a
// second, takes free cores up to what it is due, and gives back what is due to others once its threads have left it.
//
// L1  A core is held by one at most: it is taken only while nobody has it, and given back before another takes it, each
//     within a turn at the table.
// L2  Nobody waits for anybody: who is short of cores looks again.
// L3  Who has not looked for two seconds, or has died, is struck out by whoever looks next. A holder that comes back
//     from a stop finds itself struck out, and begins anew, under another number.
// L4  A core that programs outside of the leases keep busy is taken last and given up first; it is exchanged for a free
//     quiet one, one core a look.
// One who holds everything alone uses everything; one who is idle wants one core.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lease/table.hpp"
#include "lease/territory.hpp"
#include "os/processes.hpp"
#include "os/shared_file.hpp"

namespace charm::lease {

inline constexpr std::int64_t patience_ms = 2000;  // L3
inline constexpr double look_seconds = 0.25;       // between two looks of a holder that lacks nothing
inline constexpr double short_look_seconds = 0.02;

/// What a lease asks of its surroundings; tests have their own.
struct Surroundings {
  os::ProcessIdentity self;
  std::uint64_t name_space = 0;
  std::function<std::int64_t()> now_ms;  ///< the monotonic clock
  std::function<bool(const os::ProcessIdentity&)> alive;
  std::function<void(const std::string&)> tell;  ///< what was found wrong
};
Surroundings surroundings();

/// "/dev/shm/charm-1000": the file that the programs of a user share.
std::string default_path();

class Lease {
 public:
  /// Joins the table at `path`. \param weight 1 to 1000. \param want cores that it can use.
  /// \throws Error (system) where the file cannot be used.
  Lease(const std::string& path, const Machine& machine, int weight, int want, Surroundings around = surroundings());
  ~Lease();  ///< gives everything back
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  struct Standing {
    std::vector<int> holds;    ///< cores that are the holder's alone, by Core::cpu; ascending
    std::vector<int> give_up;  ///< those of them that are to be left and then given back
    std::vector<int> others;   ///< cores that other holders have; ascending
    int due = 0;               ///< how many it will have when the others have given back
    int holders = 1;           ///< with itself
    friend bool operator==(const Standing&, const Standing&) = default;
  };
  /// Takes what is free and due, up to `want`, and learns what to give up.
  /// \param loud cores (by Core::cpu, ascending) that programs without leases keep busy.
  Standing look(int want, const std::vector<int>& loud = {});
  /// Gives cores back that nobody of this holder uses any more.
  void give_back(const std::vector<int>& cores);

  [[nodiscard]] const Standing& standing() const { return standing_; }
  /// Seconds until the next look.
  [[nodiscard]] double pause() const;

 private:
  Table read();
  bool write(Table& table);
  void reopen_if_gone();
  [[nodiscard]] bool is_me(const Entry& entry) const;
  void strike_out(Table& table) const;
  std::size_t join(Table& table, int want);

  std::string path_;
  std::unique_ptr<os::SharedFile> file_;
  Territory territory_;
  int weight_;
  Surroundings around_;
  std::uint64_t number_;
  bool joined_ = false;
  Standing standing_;
};

}  // namespace charm::lease
