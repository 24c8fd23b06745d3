// The measurements that an experiment asks a back-end for, as data. So the same experiment runs on this machine, and in
// tests on a machine that is only described.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "counters/fill_source.hpp"

namespace charm::evaluate {

/// STREAM's kernels, by the index that tools/probe/measuring/stream.hpp gives them.
enum class Stream : std::size_t { read, write, copy, triad };

/// One pass over arrays by threads on given cpus; the sample is a rate in GB/s.
struct StreamRun {
  std::vector<std::vector<int>> processes;  ///< OS numbers of the cpus of each process
  Stream kernel = Stream::copy;
  std::size_t bytes = 0;  ///< of the arrays that the kernel touches, of all processes together
};

/// A thread moves to another cpu: the time of the move, and of the extra time that its first pass over its data then
/// takes; the sample is in microseconds.
struct MoveRun {
  int from = 0, to = 0;   ///< OS numbers of the cpus
  std::size_t bytes = 0;  ///< data that it holds warm in its caches
};

/// One reading of the counters that a worker reads; the sample is in nanoseconds.
struct ReadingRun {};

/// One decision of the default controller, as the worker that leads takes it; the sample is in microseconds.
struct DecisionRun {
  int workers = 1;
};

/// A benchmark in a child of this process, whose counters are recorded; the sample is the number of cache lines from
/// `part`, or, if `whole` is not empty, its share of those from `whole`.
struct FillRun {
  std::vector<std::string> words;  ///< behind `charm bench`
  counters::FillSet part, whole;
};

/// What a child of this process measures of its malloc(3).
enum class Blocks {
  read,   ///< threads read one large block; the sample is a rate in GB/s
  small,  ///< small blocks are got and given back; the sample is in nanoseconds
  huge,   ///< the same for a block of 8 MiB, whose pages are touched; the sample is in microseconds
};

/// Blocks under libcharm_malloc.so, or under the malloc that programs have anyway.
struct MallocRun {
  std::string policy = {};     ///< of src/tools/memory_traffic; "off": the library places nothing; empty: not under it
  Blocks what = Blocks::read;  ///< only `read` uses all cpus
  int node = 0;                ///< OS number of the NUMA node of the cpus
  std::vector<int> cpus = {};  ///< OS numbers
  std::size_t bytes = 0;       ///< of the block that is read
};

using Run = std::variant<StreamRun, MoveRun, ReadingRun, DecisionRun, FillRun, MallocRun>;

/// "GB/s", "µs", "ns", "share" or "lines".
std::string_view unit_of(const Run& run);
/// Whether a larger sample is the better one.
bool more_is_better(const Run& run);

struct Variant {
  std::string name;  ///< of its samples; unlike the others of the experiment
  Run run;
};

/// Variants that are measured in turns, each once in every round; or a call of `charm bench`, which takes turns itself.
/// A row of its results is called `prefix` "KERNEL RUNTIME POLICY WORKERS"; its samples are seconds, or commits a
/// second of transactions.
struct Job {
  std::string title = {};  ///< for the line of progress
  std::vector<Variant> variants = {};
  int rounds = 0;                           ///< of the variants
  std::vector<std::string> bench = {};      ///< words behind `charm bench`; empty: there are variants
  std::string prefix = {};                  ///< of the names of the benchmark's rows
  std::vector<std::string> variables = {};  ///< "NAME=value" in the environment of the benchmark
  double seconds = 1;                       ///< about how long it takes
};

/// The samples of one thing, by round.
struct Samples {
  std::string name;
  std::string unit;
  bool more_is_better = false;
  std::vector<double> values;
  std::optional<std::uint64_t> decisions = std::nullopt;  ///< of the controller under which they were taken
};

}  // namespace charm::evaluate
