// Times CHARM's kernels on one runtime and, if a build of the GAP benchmark suite is given, the suite's programs in
// turns with them on the same graph, weights and sources, and prints the ratios of medians with their spread, and peak
// memory side by side. Each measurement of either side is a process of its own, so that memory is comparable. The
// suite's SSSP gets the width of buckets that CHARM's chooses from the graph.
#include <charm/charm.hpp>
#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "workloads/graph/input.hpp"
#include "workloads/graph/serialized_output.hpp"
#include "workloads/graph/sssp.hpp"
#include "workloads/kernel_run.hpp"

namespace {

namespace workloads = charm::workloads;

struct Options {
  std::string gapbs;
  std::string runtime = "openmp";
  std::vector<std::string> kernels = {"bfs", "pr", "cc", "sssp"};
  std::vector<std::string> graphs = {"kronecker"};
  std::vector<std::string> orders = {"given"};
  std::string folder = "/tmp";
  int scale = 20;
  int workers = 2;
  int rounds = 3;
  int trials = 8;
};

struct Side {
  std::vector<double> seconds;
  double peak_mib = 0;
};

/// A graph as both sides get it.
struct Input {
  workloads::GenerateOptions options;
  std::string path;  // of the suite's file, without its end
  std::string delta = "2";
};

/// Runs f in a child whose standard output comes back as text, with the child's peak memory.
template <class F>
std::string in_child(F&& f, double& peak_mib) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw charm::Error(charm::Errc::system, "pipe failed", "raise the limit of open files");
  std::fflush(stdout);  // or the child would send it again
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    f();
    std::fflush(stdout);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (status != 0) throw charm::Error(charm::Errc::system, "a measurement failed: " + text, "run it alone to see why");
  peak_mib = std::max(peak_mib, static_cast<double>(usage.ru_maxrss) / 1024);
  return text;
}

/// Starts CHARM if it is the runtime.
void start(const Options& options) {
  if (options.runtime != "charm") return;
  charm::Config config;
  config.workers = options.workers;
  charm::init(config);
}

/// Writes the suite's files, in a child: threads of OpenMP do not outlive a fork.
void prepare(const Options& options, Input& input, Side& side) {
  const std::string text = in_child(
      [&] {
        const workloads::Runner runner{"openmp", options.workers};
        auto graph = workloads::Graph::generate(input.options, runner);
        workloads::write_serialized(graph, runner, false, input.path + ".sg");
        workloads::write_serialized(graph, runner, true, input.path + ".wsg");
        auto& data = graph.data();
        fmt::print("{}\n", 1 << workloads::bucket_shift(data.loaded.graph, weights_of(data, runner), 0));
      },
      side.peak_mib);
  input.delta = text.substr(0, text.find('\n'));
}

void measure_ours(const Options& options, const Input& input, const std::string& kernel, Side& side) {
  const std::string text = in_child(
      [&] {
        start(options);
        const workloads::Runner runner{options.runtime, options.workers};
        auto graph = workloads::Graph::generate(input.options, runner);
        workloads::RunOptions run;
        run.trials = options.trials;
        auto result = workloads::run_kernel(kernel, runner, graph, run);
        if (!result.verified) {
          fmt::print("{}", result.detail);
          std::fflush(stdout);
          _exit(1);
        }
        for (double s : result.seconds) fmt::print("{}\n", s);
      },
      side.peak_mib);
  std::istringstream lines(text);
  for (double s = 0; lines >> s;) side.seconds.push_back(s);
}

void measure_gapbs(const Options& options, const Input& input, const std::string& kernel, Side& side) {
  const std::string program = options.gapbs + "/" + kernel;
  const std::string file = input.path + (kernel == "sssp" ? ".wsg" : ".sg");
  const std::string trials = std::to_string(options.trials);
  const std::string text = in_child(
      [&] {
        setenv("OMP_NUM_THREADS", std::to_string(options.workers).c_str(), 1);
        std::vector<const char*> arguments = {program.c_str(), "-f", file.c_str(), "-n", trials.c_str()};
        if (kernel == "sssp") arguments.insert(arguments.end(), {"-d", input.delta.c_str()});
        if (kernel == "bc") arguments.insert(arguments.end(), {"-i", "4"});
        if (kernel == "pr") arguments.insert(arguments.end(), {"-i", "1000", "-t", "1e-4"});
        arguments.push_back(nullptr);
        execv(program.c_str(), const_cast<char* const*>(arguments.data()));
        _exit(127);
      },
      side.peak_mib);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Trial Time:")) side.seconds.push_back(std::stod(line.substr(11)));
  }
}

double at_quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

std::string milliseconds(const std::vector<double>& seconds) {
  return fmt::format("{:8.2f} [{:.2f}, {:.2f}]", at_quantile(seconds, .5) * 1e3, at_quantile(seconds, 0) * 1e3,
                     at_quantile(seconds, 1) * 1e3);
}

/// A ratio of medians, and what it was measured on.
struct Compared {
  double ratio = 0;
  std::string what;
};

void compare(const Options& options, const std::string& kind, const std::string& order, std::vector<Compared>& all) {
  Input input;
  input.options = {options.scale, 16, 1, workloads::graph_kind_named(kind), workloads::vertex_order_named(order)};
  input.path = fmt::format("{}/charm-{}-{}-{}", options.folder, kind, options.scale, getpid());
  Side files;
  if (!options.gapbs.empty()) prepare(options, input, files);
  fmt::print("{} scale {}, order {}, {} workers, {} x {} trials; ms: median [min, max]\n", kind, options.scale, order,
             options.workers, options.rounds, options.trials);
  fmt::print("{:<6}{:>28}{:>28}{:>8}{:>16}{:>10}{:>10}{:>8}\n", "kernel", options.runtime, "gapbs", "ratio", "by round",
             "MiB", "gapbs", "ratio");
  for (const auto& kernel : options.kernels) {
    if (kernel == "tc" && input.options.kind == workloads::GraphKind::web) {
      fmt::print("tc    left out: the suite counts the triangles of undirected graphs only\n");
      continue;
    }
    Side ours;
    Side theirs;
    std::vector<double> by_round;
    for (int round = 0; round < options.rounds; ++round) {
      Side a;
      Side b;
      measure_ours(options, input, kernel, a);
      if (!options.gapbs.empty()) {
        measure_gapbs(options, input, kernel, b);
        by_round.push_back(at_quantile(a.seconds, .5) / at_quantile(b.seconds, .5));
      }
      ours.seconds.insert(ours.seconds.end(), a.seconds.begin(), a.seconds.end());
      theirs.seconds.insert(theirs.seconds.end(), b.seconds.begin(), b.seconds.end());
      ours.peak_mib = std::max(ours.peak_mib, a.peak_mib);
      theirs.peak_mib = std::max(theirs.peak_mib, b.peak_mib);
    }
    if (theirs.seconds.empty()) {
      fmt::print("{:<6}{:>28}{:>28}{:>8}{:>16}{:>10.0f}\n", kernel, milliseconds(ours.seconds), "-", "-", "-",
                 ours.peak_mib);
    } else {
      fmt::print("{:<6}{:>28}{:>28}{:>8.2f}{:>16}{:>10.0f}{:>10.0f}{:>8.2f}\n", kernel, milliseconds(ours.seconds),
                 milliseconds(theirs.seconds), at_quantile(ours.seconds, .5) / at_quantile(theirs.seconds, .5),
                 fmt::format("[{:.2f}, {:.2f}]", at_quantile(by_round, 0), at_quantile(by_round, 1)), ours.peak_mib,
                 theirs.peak_mib, ours.peak_mib / theirs.peak_mib);
      all.push_back({at_quantile(ours.seconds, .5) / at_quantile(theirs.seconds, .5),
                     fmt::format("{} on {} in order {}", kernel, kind, order)});
    }
    std::fflush(stdout);
  }
  for (const char* end : {".sg", ".wsg"}) std::filesystem::remove(input.path + end);
}

/// For each kernel the inputs on which it compares worst: a kernel is as fast as that, not as on the generator's order.
void print_worst(const Options& options, std::vector<Compared> all) {
  std::sort(all.begin(), all.end(), [](const Compared& a, const Compared& b) { return a.ratio > b.ratio; });
  for (const auto& kernel : options.kernels) {
    int shown = 0;
    for (const Compared& one : all)
      if (one.what.starts_with(kernel + " ") && shown++ < 3) fmt::print("{:.2f} {}\n", one.ratio, one.what);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Our graph kernels beside those of the GAP benchmark suite"};
  app.add_option("--gapbs", options.gapbs, "folder of the suite's built programs; without it only ours run");
  app.add_option("--runtime", options.runtime, "charm, openmp, tbb or serial");
  app.add_option("--graph", options.graphs, "kronecker, uniform, grid, web, roads, caterpillar")->delimiter(',');
  app.add_option("--order", options.orders, "of the vertices: given, reverse, random, rcm, …; `all` for each")
      ->delimiter(',');
  app.add_option("--folder", options.folder, "where the suite's files are written");
  app.add_option("--kernel", options.kernels, "bfs, pr, cc, sssp, bc, tc")->delimiter(',');
  app.add_option("--scale", options.scale, "2^scale vertices");
  app.add_option("--workers", options.workers, "of both");
  app.add_option("--rounds", options.rounds, "of turns between the two");
  app.add_option("--trials", options.trials, "in a round");
  CLI11_PARSE(app, argc, argv);
  if (options.orders == std::vector<std::string>{"all"}) options.orders = workloads::vertex_orders();
  try {
    std::vector<Compared> all;
    for (const auto& kind : options.graphs)
      for (const auto& order : options.orders) compare(options, kind, order, all);
    if (options.orders.size() > 1) print_worst(options, std::move(all));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
