// Snapshots as metrics, for a monitoring system to scrape: totals since the watch began, and what is now, in the
// OpenMetrics text format 1.0.0 or in Prometheus' older format 0.0.4. Pure.
//
// Labels have few values: chiplets and nodes of the machine, and the sources of fills. Nothing is labelled by thread,
// core or process, because the number of series would grow without limit; the name of the watched program is in one
// metric only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "counters/fill_source.hpp"
#include "tools/top/snapshot.hpp"

namespace charm::top {

enum class MetricFormat { openmetrics, prometheus };

/// The media type of a format.
const char* media_type(MetricFormat format);

/// Metrics with one name; `labels` is what stands between the braces.
struct MetricFamily {
  enum class Type { counter, gauge, info } type = Type::gauge;
  std::string name;  ///< with its unit; without "_total" and "_info"
  std::string unit;  ///< "seconds", "bytes", "ratio"; empty: a number of things
  std::string help;
  std::vector<std::pair<std::string, double>> samples{};  ///< labels and value
};

class Metrics {
 public:
  /// \param version of the program that measures.
  explicit Metrics(std::string version) : version_(std::move(version)) {}

  /// Adds what has happened in an interval. Snapshots without an interval give the present state only.
  void add(const Snapshot& snapshot);

  /// All families, also those without a sample at present.
  [[nodiscard]] std::vector<MetricFamily> families() const;
  [[nodiscard]] std::string text(MetricFormat format) const;

 private:
  struct OfChiplet {
    int node = 0;
    std::size_t cores = 0;
    int threads = 0;
    double busy_s = 0;
    double watched_s = 0;
    std::array<double, counters::fill_sources> fills{};
    counters::FillSet has;
  };
  std::string version_;
  Snapshot last_;
  std::uint64_t intervals_ = 0;
  double watched_s_ = 0;
  double elsewhere_s_ = 0;  // of threads on cpus that belong to no chiplet
  double memory_bytes_ = 0;
  bool memory_known_ = false;
  std::array<double, counters::fill_sources> fills_{};
  counters::FillSet has_fills_;
  std::map<int, OfChiplet> chiplets_;
};

/// Writes families as a scrape answers them.
std::string exposition(const std::vector<MetricFamily>& families, MetricFormat format);

/// NAME="VALUE", escaped; of a long value the beginning.
std::string label(const std::string& name, const std::string& value);

}  // namespace charm::top
