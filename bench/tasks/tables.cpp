#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace charm::bench {
namespace {

struct Spread {
  double median, low, high;
};

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

Spread spread_of(const Row& row) { return spread_of(row.values); }

/// Trials are interleaved: the n-th of one row ran beside the n-th of the other.
Spread ratio(const Row& row, const Row& to) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < row.values.size(); ++i) ratios.push_back(row.values[i] / to.values[i]);
  return spread_of(std::move(ratios));
}

bool is_charm(const Row& row) { return row.origin->runtime == "charm"; }
bool is_peer(const Row& row) { return !is_charm(row) && !is_serial(*row.origin); }

using Key = std::pair<std::string, int>;  // program, workers
Key key_of(const Row& row) { return {row.origin->program, row.workers}; }

std::map<Key, const Row*> best_peers(const std::vector<Row>& rows) {
  std::map<Key, const Row*> best;
  for (const Row& row : rows) {
    if (!is_peer(row)) continue;
    auto [place, first] = best.emplace(key_of(row), &row);
    if (spread_of(row).median < spread_of(*place->second).median) place->second = &row;
  }
  return best;
}

/// Three digits that count.
std::string short_number(double value) {
  char text[32];
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string with_range(const Spread& s) {
  return short_number(s.median) + " (" + short_number(s.low) + "–" + short_number(s.high) + ")";
}

double mebibytes(const Row& row) { return static_cast<double>(row.peak_rss_bytes) / (1 << 20); }

/// Whether the row is CHARM's and behind its best peer by as much as the printed ratio shows.
bool is_behind(const Row& row, const Row& peer) {
  return is_charm(row) && spread_of(row).median >= 1.005 * spread_of(peer).median;
}

}  // namespace

void print_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    const Spread s = spread_of(row);
    results.push_back({{"program", row.origin->program},
                       {"runtime", row.origin->runtime},
                       {"workers", row.workers},
                       {"value", s.median},
                       {"unit", row.origin->unit},
                       {"min", s.low},
                       {"max", s.high},
                       {"peak_rss_bytes", row.peak_rss_bytes}});
  }
  std::printf("%s\n", nlohmann::ordered_json{{"results", results}}.dump(2).c_str());
}

void print_text(const std::vector<Row>& rows, bool colour) {
  const auto best = best_peers(rows);
  std::printf("%-21s %-8s %7s %11s %11s %11s  %-10s %12s %9s\n", "program", "runtime", "workers", "median", "min",
              "max", "unit", "of best peer", "peak MiB");
  int behind = 0;
  for (const Row& row : rows) {
    const Spread s = spread_of(row);
    const auto peer = best.find(key_of(row));
    const std::string of_peer = peer == best.end() ? "-" : short_number(s.median / spread_of(*peer->second).median);
    const bool loses = peer != best.end() && is_behind(row, *peer->second);
    behind += loses;
    std::printf("%s%-21s %-8s %7d %11.2f %11.2f %11.2f  %-10s %12s %9.1f%s\n", loses && colour ? "\x1b[31m" : "",
                row.origin->program.c_str(), row.origin->runtime.c_str(), row.workers, s.median, s.low, s.high,
                row.origin->unit.c_str(), of_peer.c_str(), mebibytes(row), loses && colour ? "\x1b[0m" : "");
  }
  if (behind > 0)
    std::printf("\nCHARM is behind its best peer in %d row%s%s.\n", behind, behind == 1 ? "" : "s",
                colour ? ", printed in \x1b[31mred\x1b[0m" : "");
}

void print_markdown(const std::vector<Row>& rows) {
  const auto best = best_peers(rows);
  std::printf("| program | workers | CHARM | best peer | CHARM / peer | serial | MiB | other peers |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const Row& row : rows) {
    if (!is_charm(row)) continue;
    std::string peer = "–";
    std::string to_peer = "–";
    const Row* first = nullptr;
    if (const auto found = best.find(key_of(row)); found != best.end()) {
      first = found->second;
      peer = first->origin->runtime + " " + with_range(spread_of(*first));
      to_peer = with_range(ratio(row, *first));
    }
    std::string serial = "–";
    std::string others;
    for (const Row& other : rows) {
      if (other.origin->program != row.origin->program) continue;
      if (is_serial(*other.origin)) serial = short_number(spread_of(other).median);
      if (!is_peer(other) || other.workers != row.workers || &other == first) continue;
      others += (others.empty() ? "" : ", ") + other.origin->runtime + " " + short_number(spread_of(other).median);
    }
    std::printf("| %s, %s | %d | %s | %s | %s | %s | %.0f | %s |\n", row.origin->program.c_str(),
                row.origin->unit.c_str(), row.workers, with_range(spread_of(row)).c_str(), peer.c_str(),
                to_peer.c_str(), serial.c_str(), mebibytes(row), others.c_str());
  }
}

}  // namespace charm::bench
