// Run times as noisy machines give them, from a seed: a series of runs in the order in which they are made, each with
// its base time and what the machine adds. Shared by the tests and by bench/compare/study.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "tools/compare/order.hpp"

namespace charm::compare::simulated {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11U) + 0.5) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  double exponential() { return -std::log(uniform()); }

 private:
  std::mt19937_64 engine_;
};

/// What the machine adds to the logarithm of a run's time: `moment` from 0 to 1 over all runs, `place` in the round.
using Machine = std::function<double(Dice& dice, double moment, std::size_t place)>;

struct Shape {
  std::string name;
  /// A new machine: shapes with a memory keep it inside.
  std::function<Machine()> make;
};

/// Noises of quiet machines.
inline std::vector<Shape> quiet_shapes() {
  const auto plain = [](auto machine) { return [machine] { return Machine(machine); }; };
  return {
      {"lognormal", plain([](Dice& d, double, std::size_t) { return 0.015 * d.normal(); })},
      {"skewed", plain([](Dice& d, double, std::size_t) { return 0.015 * d.exponential(); })},
      {"heavy tails", plain([](Dice& d, double, std::size_t) {
         const double usual = 0.007 * d.normal();
         return d.uniform() < 0.05 ? usual + 0.15 * d.exponential() : usual;
       })},
      {"student of 2 degrees", plain([](Dice& d, double, std::size_t) {
         const double normal = d.normal();  // before the divisor, whatever the compiler's order is
         return 0.007 * normal / std::sqrt(d.exponential());
       })},
      {"drift", plain([](Dice& d, double moment, std::size_t) { return 0.12 * moment + 0.01 * d.normal(); })},
      {"step",
       plain([](Dice& d, double moment, std::size_t) { return (moment > 0.45 ? 0.1 : 0.0) + 0.01 * d.normal(); })},
      {"waves",
       plain([](Dice& d, double moment, std::size_t) { return 0.03 * std::sin(40 * moment) + 0.008 * d.normal(); })},
      {"bimodal",
       plain([](Dice& d, double, std::size_t) { return (d.uniform() < 0.5 ? 0.03 : 0.0) + 0.004 * d.normal(); })},
      {"rare mode",
       plain([](Dice& d, double, std::size_t) { return (d.uniform() < 0.15 ? 0.06 : 0.0) + 0.004 * d.normal(); })},
      {"autocorrelated",
       [] {
         return Machine([state = 0.0](Dice& d, double, std::size_t) mutable {
           state = 0.85 * state + 0.011 * d.normal();
           return state;
         });
       }},
      {"second of the round slower",
       plain([](Dice& d, double, std::size_t place) { return (place == 1 ? 0.02 : 0.0) + 0.01 * d.normal(); })},
  };
}

/// So many disturbed runs that the interval is at times too wide to exclude a difference; one that is there is still
/// found.
inline std::vector<Shape> disturbed_shapes() {
  return {{"one run in twelve disturbed", [] {
             return Machine([](Dice& d, double, std::size_t) {
               const double usual = 0.007 * d.normal();
               return d.uniform() < 0.08 ? usual + 0.15 * d.exponential() : usual;
             });
           }}};
}

/// Machines that take something from most runs: only the fastest tell what the programs need.
inline std::vector<Shape> thieving_shapes() {
  const auto plain = [](auto machine) { return [machine] { return Machine(machine); }; };
  return {
      {"half of the runs disturbed", plain([](Dice& d, double, std::size_t) {
         const double usual = 0.006 * d.normal();
         return d.uniform() < 0.5 ? usual + 0.07 * d.exponential() : usual;
       })},
      {"most runs disturbed", plain([](Dice& d, double, std::size_t) {
         const double usual = 0.004 * d.normal();
         return d.uniform() < 0.7 ? usual + 0.05 * d.exponential() : usual;
       })},
  };
}

/// Noises that hide a difference of 5 percent.
inline std::vector<Shape> busy_shapes() {
  return {
      {"wide lognormal", [] { return Machine([](Dice& d, double, std::size_t) { return 0.2 * d.normal(); }); }},
      {"wide heavy tails",
       [] {
         return Machine([](Dice& d, double, std::size_t) {
           const double usual = 0.05 * d.normal();
           return d.uniform() < 0.3 ? usual + 0.5 * d.exponential() : usual;
         });
       }},
      {"wide modes",
       [] {
         return Machine(
             [](Dice& d, double, std::size_t) { return (d.uniform() < 0.5 ? 0.3 : 0.0) + 0.01 * d.normal(); });
       }},
  };
}

struct Times {
  std::vector<double> first, second;  // by round
};

/// \param ratio of the second program's time to the first one's.
inline Times simulate(const Shape& shape, std::size_t rounds, double ratio, std::uint64_t seed) {
  Dice dice(seed * 0x9E3779B97F4A7C15ULL + 1);
  const Machine machine = shape.make();
  Times times;
  const auto order = make_order(2, rounds, seed);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t place = 0; place < 2; ++place) {
      const double moment = static_cast<double>(2 * round + place) / static_cast<double>(2 * rounds);
      const double noise = std::exp(machine(dice, moment, place));
      if (order[round][place] == 0)
        times.first.push_back(noise);
      else
        times.second.push_back(ratio * noise);
    }
  }
  return times;
}

}  // namespace charm::compare::simulated
