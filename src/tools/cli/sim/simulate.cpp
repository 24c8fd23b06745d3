#include <charm/error.hpp>

#include <algorithm>
#include <charconv>

#include "tools/base/parallel.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/sim/options.hpp"
#include "tools/sim/generator.hpp"

namespace charm::cli {
namespace {

int number(const char* option, const std::string& text, const std::string& all) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 65536) {
    throw Error(Errc::bad_config,
                std::string(option) + " '" + all + "': '" + text + "' is not a whole number from 1 to 65536",
                "give numbers such as 8,16,32 or 8..128");
  }
  return value;
}

}  // namespace

std::vector<int> parse_counts(const char* option, const std::string& text) {
  std::vector<int> out;
  for (const std::string& part : split_list(text)) {
    const auto dots = part.find("..");
    if (dots == std::string::npos) {
      out.push_back(number(option, part, text));
      continue;
    }
    const int from = number(option, part.substr(0, dots), text), to = number(option, part.substr(dots + 2), text);
    if (from > to) {
      throw Error(Errc::bad_config, std::string(option) + " '" + text + "': " + part + " goes down",
                  "write the smaller number first");
    }
    for (int w = from; w < to; w *= 2) out.push_back(w);
    out.push_back(to);
  }
  return out;
}

std::vector<int> parse_workers(const std::string& text) { return parse_counts("--workers", text); }

std::vector<sim::RunResult> simulate(const SimRequest& request) {
  struct Piece {
    std::size_t machine;
    const std::string *workload, *policy;
    int workers;
  };
  std::vector<sim::Model> models;
  std::vector<Piece> pieces;
  for (const auto& name : request.machines) {
    models.push_back(sim::model(name));
    auto workers = request.workers;
    if (workers.empty()) workers.push_back(std::min<int>(64, static_cast<int>(models.back().machine.cores.size())));
    for (const auto& workload : request.workloads) {
      for (const int count : workers) {
        for (const auto& policy : request.policies) pieces.push_back({models.size() - 1, &workload, &policy, count});
      }
    }
  }
  // What is not there is said before hours of computing, not after them.
  for (const Piece& piece : pieces) {
    sim::plan_for(*piece.policy, models[piece.machine], sim::workload(*piece.workload, piece.workers), piece.workers);
  }
  std::vector<sim::RunResult> results(pieces.size());
  base::for_each_piece(pieces.size(), request.jobs, [&](std::size_t i) {
    const Piece& piece = pieces[i];
    results[i] = sim::run(models[piece.machine], *piece.workload, *piece.policy, piece.workers, request.run);
  });
  return results;
}

}  // namespace charm::cli
