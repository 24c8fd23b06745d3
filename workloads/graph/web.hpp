// A directed graph with three properties of graphs of web pages (Boldi and Vigna, "The WebGraph framework I", WWW
// 2004): most links lead to pages that are near in the order of the pages, the number of links to a page has a heavy
// tail, and so has the number of links on a page.
//  - Page v has floor(degree / 2 / sqrt(r)) links, r uniform in (0, 1]: a Pareto distribution of mean `degree`, cut at
//    4096 links and at a quarter of the pages.
//  - Four links in five lead 1 to 1024 pages forwards or backwards; short distances d have a chance in proportion to
//    1/d.
//  - The others lead to the page of rank k in a fixed random order, with a chance in proportion to 1/k.
// A link is a function of the seed, the page and the number of the link on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "workloads/graph/kronecker.hpp"

namespace charm::workloads {

class Web {
 public:
  static constexpr bool directed = true;
  Web(int scale, int degree, std::uint64_t seed)
      : scale_(scale), degree_(degree), seed_(mix(seed ^ 0x77656270616765U)), order_(scale, 1, seed_) {}

  [[nodiscard]] Index vertices() const { return Index{1} << scale_; }
  [[nodiscard]] Index links_on(Vertex v) const {
    const Index most = std::min<Index>(4096, std::max<Index>(1, vertices() / 4));
    const double drawn = fraction(random_at(seed_ ^ 0x6f7574U, static_cast<std::uint64_t>(v)));
    return std::min(most, static_cast<Index>(degree_ / 2. / std::sqrt(drawn)));
  }
  [[nodiscard]] Vertex link(Vertex v, Index number) const {
    const std::uint64_t stream = mix(seed_ + static_cast<std::uint64_t>(v));
    const std::uint64_t drawn = random_at(stream, static_cast<std::uint64_t>(number));
    const double where = 1 - fraction(drawn);  // in [0, 1)
    const std::uint64_t choice = drawn & 0xffU;
    const auto mask = static_cast<std::uint64_t>(vertices() - 1);
    if (choice >= 205) {
      const double rank = std::exp2(where * scale_) - 1;
      return order_.label(static_cast<std::uint32_t>(rank));
    }
    const auto away = static_cast<std::uint64_t>(std::exp2(where * 10));
    const auto from = static_cast<std::uint64_t>(v);
    return static_cast<Vertex>((choice % 2 == 0 ? from + away : from - away) & mask);
  }

 private:
  /// The upper bits as a number in (0, 1].
  static double fraction(std::uint64_t drawn) { return (static_cast<double>(drawn >> 11) + 1) * 0x1p-53; }

  int scale_;
  int degree_;
  std::uint64_t seed_;
  Kronecker order_;
};

}  // namespace charm::workloads
