// k-means: each iteration assigns points to centres and sums them, with a partial sum for each worker. The schedule
// `affine` gives a chiplet the same points in every iteration, so that they stay in its cache.
#include <charm/charm.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

struct Point {
  double x = 0, y = 0;
};
struct Sums {
  std::array<Point, 4> sum{};
  std::array<long, 4> count{};
};

int main() {
  charm::init();
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.5);
  std::vector<Point> points;
  for (int i = 0; i < 200'000; ++i) points.push_back({(i % 2) * 10 + noise(random), (i / 2 % 2) * 10 + noise(random)});

  std::array<Point, 4> centres{points[0], points[1], points[2], points[3]};
  for (int iteration = 0; iteration < 10; ++iteration) {
    charm::combinable<Sums> parts;
    charm::parallel_for(
        std::size_t{0}, points.size(),
        [&](std::size_t low, std::size_t high) {
          Sums& mine = parts.local();
          for (std::size_t i = low; i < high; ++i) {
            std::size_t best = 0;
            double least = 1e300;
            for (std::size_t c = 0; c < centres.size(); ++c) {
              const double d = std::hypot(points[i].x - centres[c].x, points[i].y - centres[c].y);
              if (d < least) {
                least = d;
                best = c;
              }
            }
            mine.sum[best].x += points[i].x;
            mine.sum[best].y += points[i].y;
            ++mine.count[best];
          }
        },
        {.schedule = charm::Schedule::affine});
    const Sums all = parts.combine([](Sums a, const Sums& b) {
      for (std::size_t c = 0; c < a.sum.size(); ++c) {
        a.sum[c].x += b.sum[c].x;
        a.sum[c].y += b.sum[c].y;
        a.count[c] += b.count[c];
      }
      return a;
    });
    for (std::size_t c = 0; c < centres.size(); ++c) {
      if (all.count[c] == 0) continue;
      const auto n = static_cast<double>(all.count[c]);
      centres[c] = {all.sum[c].x / n, all.sum[c].y / n};
    }
  }
  charm::finalize();
  double error = 0;
  for (std::size_t c = 0; c < 4; ++c) {
    const double x = static_cast<double>(c % 2) * 10;
    const double y = static_cast<double>(c / 2) * 10;
    std::printf("centre %zu: %.3f %.3f\n", c, centres[c].x, centres[c].y);
    error += std::hypot(centres[c].x - x, centres[c].y - y);
  }
  return error < 0.1 ? 0 : 1;
}
