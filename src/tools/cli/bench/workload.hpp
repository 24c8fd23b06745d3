// A workload of `charm bench` as the command line sees it: its name, its options, and what is wrong with them. The
// workloads are listed in workloads/all.hpp; nothing else knows one by name. This half is in `charm` and in
// `charm-bench` (run.hpp) and links none of the runtimes that are compared; the other half runs it
// (workload_run.hpp).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/bench/plan.hpp"
#include "tools/cli/cli11.hpp"

namespace charm::cli {

class WorkloadRun;

/// The words of a workload in help, errors and reports.
struct WorkloadText {
  const char* name;
  const char* summary;
  const char* example;           // the end of --help
  const char* title;             // of the report
  const char* file = "";         // what --file loads, as in "give the path of a graph file"
  const char* file_format = "";  // the same with its format, as in "give an existing graph file: an edge list"
  bool places_arrays = true;     // --memory says where CHARM's arrays lie
  bool on_ranks = false;         // --ranks runs it on several processes
};

/// How a row of CHARM differs from the others of its kernel besides the policy.
struct RowVariant {
  std::string bind;      // of CHARM's workers; empty: as the settings say
  std::string schedule;  // of CHARM's task graphs; empty: stream
};

/// A system that users build themselves, and that the workload can call with its input (bench/peers.hpp).
struct PeerKind {
  const char* name;
  std::vector<std::string> kernels;  // that it has
};

/// The options of one workload. Pure: what they need of machine and build comes as `Facts`.
class Workload {
 public:
  virtual ~Workload() = default;

  [[nodiscard]] virtual const WorkloadText& text() const = 0;
  /// In the order in which they are reported.
  [[nodiscard]] virtual std::vector<std::string> kernels() const = 0;
  [[nodiscard]] virtual std::vector<std::string> runtimes() const;
  [[nodiscard]] virtual std::vector<PeerKind> peers() const { return {}; }

  /// Declares the workload's own options, with those of `request` that it has: file, seed and kernels.
  virtual void declare(CLI::App& app, BenchRequest& request) = 0;

  /// Refuses options that contradict each other, before anything else is checked. \throws Error (bad_config).
  virtual void check_options(const BenchRequest& /*request*/) const {}
  /// Refuses what the finished plan cannot do, such as an input that does not fit into memory. \throws Error.
  virtual void check_plan(const BenchPlan& /*plan*/, const Facts& /*facts*/) const {}

  /// Which of the kernels `known` run if none are asked for.
  [[nodiscard]] virtual std::vector<std::string> kernels_by_default(const BenchRequest& /*request*/,
                                                                    const std::vector<std::string>& known) const {
    return known;
  }
  /// Five trials give a median that one disturbed trial cannot move.
  [[nodiscard]] virtual int trials_by_default(const std::string& /*kernel*/) const { return 5; }
  /// The rows of each of CHARM's policies.
  [[nodiscard]] virtual std::vector<RowVariant> variants() const { return {{}}; }

 protected:
  Workload() = default;
  Workload(const Workload&) = default;
  Workload& operator=(const Workload&) = default;
};

// What several workloads declare and check, in the same words.

/// An option that takes a list such as "a,b" and puts its parts into `to`.
CLI::Option* list_option(CLI::App& app, const char* names, std::vector<std::string>& to, const char* help);
/// Declares --file for a text file whose numbers may ask for memory, and --file-memory.
void declare_file(CLI::App& app, BenchRequest& request, const char* help);
/// Declares --seed.
void declare_seed(CLI::App& app, BenchRequest& request, const char* help);

/// An option that says how the input is generated, and whether it was given.
struct GeneratorOption {
  const char* name;
  bool given;
};
/// Refuses a file together with options of the generator, and an empty path.
/// \param remedy such as "generate a graph or load one".
void check_file_option(const Workload& workload, const BenchRequest& request,
                       std::initializer_list<GeneratorOption> options, const char* remedy);

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy);

/// Bytes that `workload` needs by the plan if they are known to be more than there are; else nothing.
std::optional<std::uint64_t> bytes_too_many(const Workload& workload, const BenchPlan& plan, const Facts& facts);

/// "need about 8 GiB of memory and 3 GiB are available", after a subject in the singular or plural.
std::string lacking_memory(const char* verb, std::uint64_t needed, const Facts& facts);

}  // namespace charm::cli
