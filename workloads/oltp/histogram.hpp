// Latencies in buckets whose width grows with the value, as in Tene's HdrHistogram (which Debian does not package for
// C++): 128 buckets for each power of two, so that a percentile is at most 0.8 % too large, from 1 ns to centuries.
// Adding takes a few instructions and no memory is taken after the constructor.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace charm::workloads {

/// The percentiles that are reported.
inline constexpr std::array latency_percentiles = {50.0, 95.0, 99.0, 99.9};

class Histogram {
 public:
  Histogram() : counts_(buckets) {}

  void add(std::uint64_t value) {
    ++counts_[bucket_of(value)];
    ++count_;
    if (value > most_) most_ = value;
  }

  void add(const Histogram& other) {
    for (std::size_t i = 0; i < buckets; ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    if (other.most_ > most_) most_ = other.most_;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t most() const { return most_; }

  /// The least value that `percent` of all values do not exceed, rounded up to its bucket's end; 0 without values.
  [[nodiscard]] std::uint64_t percentile(double percent) const {
    if (count_ == 0) return 0;
    const double wanted = percent / 100 * static_cast<double>(count_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets; ++i) {
      seen += counts_[i];
      if (seen > 0 && static_cast<double>(seen) >= wanted) return std::min(last_of(i), most_);
    }
    return most_;
  }

 private:
  static constexpr unsigned fine_bits = 7;
  static constexpr std::uint64_t fine = 1U << fine_bits;
  static constexpr std::size_t buckets = (64 - fine_bits + 1) * fine;

  // Values below 2^8 have buckets of their own; above, the leading eight bits decide.
  static std::size_t bucket_of(std::uint64_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    if (width <= fine_bits + 1) return value;
    const unsigned shift = width - fine_bits - 1;
    return (shift + 1) * fine + ((value >> shift) - fine);
  }
  static std::uint64_t last_of(std::size_t bucket) {
    if (bucket < 2 * fine) return bucket;
    const std::size_t shift = bucket / fine - 1;
    return ((bucket % fine + fine + 1) << shift) - 1;
  }

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t most_ = 0;
};

}  // namespace charm::workloads
