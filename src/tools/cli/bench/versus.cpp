#include "tools/cli/bench/versus.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/format.hpp"
#include "base/present.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

using Contender = std::pair<std::string, std::string>;  // runtime and policy

Contender contender_of(const Result& row) { return {row.runtime, row.policy}; }

std::string name_of(const Contender& contender) {
  return contender.second == "none" ? contender.first : contender.first + " " + contender.second;
}

template <class T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

std::vector<Contender> contenders_of(const std::vector<Result>& results) {
  std::vector<Contender> all;
  for (const Result& row : results) add_once(all, contender_of(row));
  return all;
}

std::vector<std::string> kernels_of(const std::vector<Result>& results) {
  std::vector<std::string> all;
  for (const Result& row : results) add_once(all, row.kernel);
  return all;
}

const Result* row_of(const std::vector<Result>& results, const std::string& kernel, const Contender& contender) {
  const auto found = std::find_if(results.begin(), results.end(), [&](const Result& row) {
    return row.kernel == kernel && contender_of(row) == contender;
  });
  return found == results.end() ? nullptr : &*found;
}

void add_to(std::vector<double>& sums, const std::vector<double>& seconds) {
  sums.resize(std::max(sums.size(), seconds.size()));
  for (std::size_t i = 0; i < seconds.size(); ++i) sums[i] += seconds[i];
}

Versus compare_with(const std::vector<Result>& results, const Contender& charm, const Contender& peer) {
  Versus all{charm.second, name_of(peer), {}, 0, {}};
  std::vector<double> charms;
  std::vector<double> peers;
  double logarithms = 0;
  int ratios = 0;
  for (const auto& kernel : kernels_of(results)) {
    const Result* a = row_of(results, kernel, peer);
    const Result* b = row_of(results, kernel, charm);
    std::optional<compare::Ratio> ratio;
    if (a != nullptr && b != nullptr && a->verified && b->verified && a->seconds.size() == b->seconds.size())
      ratio = compare::paired_ratio(a->seconds, b->seconds, 1);
    if (ratio) {
      logarithms += std::log(ratio->value);
      ++ratios;
      add_to(peers, a->seconds);
      add_to(charms, b->seconds);
    }
    all.kernels.push_back({kernel, ratio});
  }
  if (ratios > 0) all.geometric_mean = std::exp(logarithms / ratios);
  all.in_all = compare::paired_ratio(peers, charms, 1);
  return all;
}

std::string sentence(const Versus& each) {
  const compare::Ratio& in_all = base::present(each.in_all);
  const auto ratios = std::count_if(each.kernels.begin(), each.kernels.end(), [](const auto& k) { return k.ratio; });
  std::string text = fmt::format("charm {} takes {:.3f} times as long as {}", each.policy, in_all.value, each.peer);
  text += fmt::format(" in all (95 %: {:.3f} to {:.3f}), geometric mean of {} quer{} {:.3f}\n", in_all.at95.low,
                      in_all.at95.high, ratios, ratios == 1 ? "y" : "ies", each.geometric_mean);
  return text;
}

}  // namespace

std::vector<Versus> versus(const std::vector<Result>& results) {
  std::vector<Versus> all;
  const auto contenders = contenders_of(results);
  for (const auto& charm : contenders) {
    if (charm.first != "charm") continue;
    for (const auto& peer : contenders) {
      if (peer.first != "charm") all.push_back(compare_with(results, charm, peer));
    }
  }
  return all;
}

std::string peer_lines(const BenchResult& outcome) {
  std::string text;
  for (const Versus& each : versus(outcome.results)) {
    const bool is_peer = std::any_of(outcome.results.begin(), outcome.results.end(),
                                     [&](const Result& row) { return row.runtime == each.peer && !row.peer.empty(); });
    if (!is_peer) continue;
    for (const auto& [kernel, ratio] : each.kernels) {
      if (!ratio) continue;
      text += fmt::format("{}: charm {} takes {:.3g} times as long as {} (95 %: {:.3g} to {:.3g})\n", kernel,
                          each.policy, ratio->value, each.peer, ratio->at95.low, ratio->at95.high);
    }
  }
  return text;
}

std::string versus_table(const BenchResult& outcome, bool colour) {
  using Align = Column::Align;
  const auto contenders = contenders_of(outcome.results);
  const auto compared = versus(outcome.results);
  std::vector<Column> columns = {{"query", Align::left}};
  for (const auto& each : contenders) columns.push_back({name_of(each), Align::right});
  if (!compared.empty()) {
    columns.push_back({"ratio to " + compared.front().peer, Align::right});
    columns.push_back({"95 %", Align::left});
  }
  columns.push_back({"verified", Align::left});
  std::vector<std::vector<Cell>> rows;
  const auto kernels = kernels_of(outcome.results);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::vector<Cell> cells = {{kernels[i], "1"}};
    bool right = true;
    for (const auto& each : contenders) {
      const Result* row = row_of(outcome.results, kernels[i], each);
      right = right && row != nullptr && row->verified;
      cells.push_back({row != nullptr ? base::format_seconds(row->median_s()) : "–", ""});
    }
    if (!compared.empty()) {
      const auto& ratio = compared.front().kernels[i].ratio;
      cells.push_back({ratio ? fmt::format("{:.3f}", ratio->value) : "–", ""});
      cells.push_back({ratio ? fmt::format("{:.3f} to {:.3f}", ratio->at95.low, ratio->at95.high) : "", ""});
    }
    cells.push_back({right ? "yes" : "WRONG", right ? "32" : "1;31"});
    rows.push_back(std::move(cells));
  }
  std::string text = outcome.input.description + "\n\n" + render_table(columns, rows, colour) + "\n";
  for (const auto& each : compared) {
    if (each.in_all) text += sentence(each);
  }
  return text;
}

}  // namespace charm::cli
