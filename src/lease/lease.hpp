// A lease: a share of the machine's cores that a program holds beside other programs of the same user. Each program
// reads the table a few times a second, takes free cores up to the number that it is due, and gives cores back that are
// due to others once its threads have left them.
//
// - At most one program holds a core: it is taken only while it is free, and given back before another takes it, each
//   under the table's lock.
// - No program waits for another: one that is short of cores reads the table again later.
// - Silent holders are removed: a program that has not read the table for two seconds, or has died, is removed by the
//   next one that reads it. A program that continues after a stop finds itself removed, and joins again under another
//   number.
// - A core that programs without leases keep busy is taken last and given up first. It is exchanged for a free quiet
//   one, at most one core in each update.
//
// A program that is alone on its cores has all of them, also while it is idle. An idle program beside others wants one.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/id_sets.hpp"
#include "lease/core_selection.hpp"
#include "lease/table.hpp"
#include "os/files/shared_file.hpp"
#include "os/processes/processes.hpp"

namespace charm::lease {

inline constexpr std::int64_t patience_ms = 2000;  // silent holders are removed
inline constexpr double look_seconds = 0.25;       // between two updates of a holder that lacks nothing
inline constexpr double short_look_seconds = 0.02;

/// The functions of the system that a lease needs; tests replace them.
struct LeaseContext {
  os::ProcessIdentity self;
  std::uint64_t name_space = 0;          ///< in which `self` is meant: of process ids and of start times
  std::function<std::int64_t()> now_ms;  ///< the machine's monotonic clock, the same for all namespaces
  std::function<bool(const os::ProcessIdentity&)> alive;
  std::function<void(const std::string&)> report;  ///< called with a sentence about a damaged table
};
LeaseContext lease_context();

/// "/dev/shm/charm-1000": the file that the programs of a user share.
std::string default_path();

class Lease {
 public:
  /// Joins the table at `path`. \param weight 1 to 1000. \param want cores that it can use.
  /// \throws Error (system) where the file cannot be used.
  Lease(const std::string& path, const Machine& machine, int weight, int want, LeaseContext around = lease_context());
  ~Lease();  ///< gives all cores back
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  struct Standing {
    CoreCpuSet holds;    ///< the holder's cores
    CoreCpuSet give_up;  ///< those of them that the holder's threads must leave, and that it then gives back
    CoreCpuSet others;   ///< cores that other holders have
    int due = 0;         ///< number of cores that it will have when the others have given cores back
    int holders = 1;     ///< number of holders, including this one
    /// `holds` without `give_up`.
    [[nodiscard]] CoreCpuSet keeps() const;
    friend bool operator==(const Standing&, const Standing&) = default;
  };
  /// Updates the table: takes free cores up to the number that is due and `want`, and learns which to give up.
  /// \param busy cores that programs without leases keep busy.
  Standing look(int want, const CoreCpuSet& busy = {});
  /// Gives back cores that no thread of this holder uses any more.
  void give_back(const CoreCpuSet& cores);

  [[nodiscard]] const Standing& standing() const { return standing_; }
  /// Seconds until the next update.
  [[nodiscard]] double pause() const;

 private:
  /// Whether the file is empty or carries our mark: nothing else is ever written to.
  [[nodiscard]] bool is_table() const;
  /// \return nothing where the file is something else, which must not be written to.
  std::optional<Table> read();
  bool write(Table& table);
  void reopen_if_gone();
  [[nodiscard]] bool is_me(const Entry& entry) const;
  void strike_out(Table& table) const;
  std::size_t join(Table& table, int want);

  std::string path_;
  std::unique_ptr<os::SharedFile> file_;
  CoreSelection core_selection_;
  int weight_;
  LeaseContext around_;
  std::uint64_t number_;
  bool joined_ = false;
  Standing standing_;
};

}  // namespace charm::lease
