// Which record a transaction asks for: uniform, or by Zipf's law with the generator of Gray, Sundaresan, Englert,
// Baclawski and Weinberger ("Quickly generating billion-record synthetic databases", SIGMOD 1994), which is YCSB's.
//
// The ranks are not scrambled here: the keys are (ycsb.hpp), so that the records asked for most are far apart in the
// table, and each record has exactly one rank. YCSB scrambles by a hash modulo the number of records, which gives some
// records several ranks and others none.
#pragma once

#include <cstdint>

#include "workloads/oltp/random.hpp"

namespace charm::workloads::oltp {

enum class Distribution : std::uint8_t { zipfian, uniform, latest };

class Zipfian {
 public:
  /// \param count number of ranks, at least 1. \param theta YCSB's constant, in (0, 1).
  explicit Zipfian(std::uint64_t count, double theta = .99);

  /// The rank for a number in [0, 1): 0 is the most frequent.
  [[nodiscard]] std::uint64_t rank(double u) const;
  std::uint64_t next(Random& random) const { return rank(random.fraction()); }
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// The sum of 1/i^theta for i from 1 to count, to nine digits.
  static double zeta(std::uint64_t count, double theta);

 private:
  std::uint64_t count_;
  double theta_;
  double zeta_;
  double alpha_;
  double eta_;
};

}  // namespace charm::workloads::oltp
