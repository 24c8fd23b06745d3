// The entry for transactions: databases that are loaded once, and verified, timed trials of the kernels that
// oltp_kernel_names has. A build without engines has the same functions, which say what to install.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "workloads/kernel_run.hpp"
#include "workloads/oltp/engine.hpp"
#include "workloads/oltp/histogram.hpp"
#include "workloads/oltp/names.hpp"
#include "workloads/oltp/options.hpp"

namespace charm::workloads {

/// Trials of a kernel: the seconds of each are those of OltpOptions::duration, and its work the commits meanwhile.
struct OltpRun {
  KernelRun run;
  Histogram latency;  ///< in ns, of all trials
  std::array<std::uint64_t, oltp::reasons> aborts{};
  std::uint64_t rolled_back = 0;  ///< on purpose
  std::uint64_t given_up = 0;     ///< aborted in every attempt
};

/// Adds the latencies and aborts of `more`, of the same kernel on the same runtime; the runs are merged by themselves.
void merge(OltpRun& all, const OltpRun& more);

class Oltp {
 public:
  /// Makes the databases that `kernels` need where they are not there yet. \param progress is called with what takes
  /// long.
  /// \throws Error: bad_config for an engine that this build lacks; bad_input for a folder that cannot be used.
  static Oltp open(const OltpOptions& options, const std::vector<std::string>& kernels,
                   const std::function<void(const std::string&)>& progress = {});
  Oltp(Oltp&&) noexcept;
  Oltp& operator=(Oltp&&) noexcept;
  ~Oltp();

  /// "WiredTiger 3.2.1, log buffered; 1000000 records of 24 + 100 bytes, zipfian; 2 warehouses".
  [[nodiscard]] std::string describe() const;

  /// One trial on "charm" (which is up) or "threads", on a copy of the database that all trials of kernels of the same
  /// kind share. A check that fails gives a run that is not verified.
  OltpRun run(const std::string& kernel, const Runner& runner);

  struct Data;

 private:
  explicit Oltp(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// Bytes of memory that the kernels' databases need, as far as all of them is to be in the engine's cache.
std::uint64_t oltp_bytes(const OltpOptions& options, const std::vector<std::string>& kernels);

}  // namespace charm::workloads
