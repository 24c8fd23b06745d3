#include "tools/evaluate/assumptions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/base/parallel.hpp"
#include "tools/evaluate/judge.hpp"

namespace charm::evaluate {
namespace {

using sim::Free;

using Kind = Assumption::Kind;

constexpr Assumption all[] = {
    {"streamcluster_turns", &Free::streamcluster_turns, Kind::fitted, "turns", "CHARM Fig. 9"},
    {"streamcluster_fresh", &Free::streamcluster_fresh, Kind::fitted, "share", "CHARM Tab. 2"},
    {"blind_writes", &Free::blind_writes, Kind::fitted, "share", "CHARM Tab. 1"},
    {"gups_buffers_mb", &Free::gups_buffers_mb, Kind::chosen, "MiB of a node",
     "the artifact's 4,096 buffers of 8 KiB to send and as many to receive; CHARM Tab. 1 in view"},
    {"gups_update_ns", &Free::gups_update_ns, Kind::chosen, "ns",
     "the artifact's remark \"should be 5e7\" a second of eight threads; CHARM Fig. 7 in view"},
    {"asymsched_lines", &Free::asymsched_lines, Kind::chosen, "lines/s of a worker", "CHARM Fig. 7 in view"},
    {"clean_forward", &Free::clean_forward, Kind::estimate, "probability", "estimate"},
    {"message_ns", &Free::message_ns, Kind::estimate, "ns", "estimate"},
};

std::string name_of(const Reproduction& figure, const Point& point) {
  std::string x = std::to_string(point.x);
  x.erase(x.find_last_not_of('0') + 1);
  if (x.ends_with('.')) x.pop_back();
  return std::string(figure.experiment->name) + ": " + point.series + " at " + x;
}

using Experiments = std::vector<const Experiment*>;

std::vector<Reproduction> all_of(const Experiments& experiments, const Free& free) {
  std::vector<Reproduction> made;
  for (const Experiment* each : experiments) made.push_back(reproduce(*each, free));
  return made;
}

void compare(const std::vector<Reproduction>& base, const std::vector<Reproduction>& now, Sensitivity& out) {
  for (std::size_t f = 0; f < base.size(); ++f) {
    for (std::size_t p = 0; p < base[f].plan.points.size(); ++p) {
      const Point &before = base[f].plan.points[p], &after = now[f].plan.points[p];
      if (before.predicted && after.predicted) {
        const double change = std::abs(*after.predicted / *before.predicted - 1);
        if (change > out.largest_change) out.largest_change = change, out.changed_most = name_of(base[f], before);
      }
      if (before.expect == Expect::nothing) continue;
      ++out.hard;
      if (!agrees(before) || agrees(after)) continue;
      out.fallen.push_back(name_of(base[f], before));
      if (before.basis == Basis::predicted) out.predicted.push_back(out.fallen.back());
    }
  }
}

/// Mean deviation from the paper's values, as a factor: .1 is 10 % too high or too low.
template <class Takes>
double error_of(const Reproduction& figure, Takes&& takes) {
  double sum = 0;
  int count = 0;
  for (const Point& point : figure.plan.points) {
    if (!takes(point) || !point.published || !point.predicted) continue;
    sum += std::abs(std::log(*point.predicted / *point.published));
    ++count;
  }
  return count > 0 ? std::expm1(sum / count) : 0;
}

struct Split {
  const char *number, *figure, *fitted_to, *predicts;
  const char* others;  // figure of the points that are predicted
  bool (*train)(const Point&);
  bool (*test)(const Point&);
};

bool starts(const Point& point, std::string_view text) { return point.series.starts_with(text); }
bool ring(const Point& point) { return point.series.ends_with(", RING"); }

constexpr Split splits[] = {
    {"blind_writes", "charm-tab1", "Tab. 1, RING: BFS", "Tab. 1, RING: PR, CC, SSSP", "charm-tab1",
     [](const Point& p) { return ring(p) && starts(p, "bfs"); },
     [](const Point& p) { return ring(p) && (starts(p, "pr") || starts(p, "cc") || starts(p, "sssp")); }},
    {"blind_writes", "charm-tab1", "Tab. 1, RING: SSSP", "Tab. 1, RING: BFS, PR, CC", "charm-tab1",
     [](const Point& p) { return ring(p) && starts(p, "sssp"); },
     [](const Point& p) { return ring(p) && (starts(p, "pr") || starts(p, "cc") || starts(p, "bfs")); }},
    {"streamcluster_fresh", "charm-tab2", "Tab. 2: CHARM", "Tab. 2: SHOAL", "charm-tab2",
     [](const Point& p) { return starts(p, "CHARM, local"); },
     [](const Point& p) { return starts(p, "SHOAL, local"); }},
    {"streamcluster_turns", "charm-fig9", "Fig. 9: SHOAL", "Fig. 9: CHARM", "charm-fig9",
     [](const Point& p) { return p.series == "SHOAL" && p.x > 8; }, [](const Point& p) { return p.series == "CHARM"; }},
    {"streamcluster_turns", "charm-fig9", "Fig. 9 up to 32 cores", "Fig. 9: 40, 64 and 128 cores", "charm-fig9",
     [](const Point& p) { return (p.series == "SHOAL" || p.series == "CHARM") && p.x <= 32; },
     [](const Point& p) { return (p.series == "SHOAL" || p.series == "CHARM") && p.x > 32; }},
};

CrossValidation cross_validate(const Split& split) {
  const Assumption& number =
      *std::find_if(std::begin(all), std::end(all), [&](const Assumption& one) { return one.name == split.number; });
  CrossValidation out{split.number, split.fitted_to, split.predicts, 0, sim::free_defaults.*number.member, 0, 0, true};
  double least = INFINITY;
  Free best;
  for (const double factor : {0.25, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0}) {
    const Free free = moved(number, factor);
    const double error = error_of(reproduce(*chosen({split.figure}).front(), free), split.train);
    if (error < least) least = error, best = free;
  }
  const Reproduction there = reproduce(*chosen({split.others}).front(), best);
  out.value = best.*number.member;
  out.error_there = least;
  out.error = error_of(there, split.test);
  for (const Point& point : there.plan.points)
    if (split.test(point) && point.unit == "share")
      out.shape_holds = out.shape_holds && near_published(point).value_or(true);
  return out;
}

}  // namespace

std::span<const Assumption> assumptions() { return all; }

Free moved(const Assumption& assumption, double factor) {
  Free free;
  free.*assumption.member *= factor;
  return free;
}

std::vector<const Experiment*> dependent_experiments() {
  Experiments dependent = reproducible();
  std::erase_if(dependent, [](const Experiment* each) {
    const bool figure = each->name.starts_with("charm-") || each->name.starts_with("olap-");
    return !figure ||
           (each->paper.find("Fig.") == std::string_view::npos && each->paper.find("Tab.") == std::string_view::npos);
  });
  return dependent;
}

std::vector<Sensitivity> sensitivities(std::span<const Assumption> of, const Experiments& figures, int jobs) {
  const std::vector<Reproduction> base = all_of(figures, {});
  constexpr std::array factors{0.7, 1.3};
  std::vector<Sensitivity> out(of.size() * factors.size());
  base::for_each_piece(out.size(), jobs, [&](std::size_t i) {
    out[i].assumption = &of[i / factors.size()];
    out[i].factor = factors[i % factors.size()];
    compare(base, all_of(figures, moved(*out[i].assumption, out[i].factor)), out[i]);
  });
  return out;
}

BasisCount count(std::span<const Reproduction> figures) {
  BasisCount out;
  for (const Reproduction& figure : figures) {
    for (const Point& point : figure.plan.points) {
      if (point.basis == Basis::fitted) ++out.fitted;
      if (point.basis == Basis::assumed) ++out.assumed;
      if (point.basis != Basis::predicted) continue;
      ++out.predicted;
      if (agrees(point)) ++out.predicted_held;
    }
  }
  return out;
}

std::vector<CrossValidation> cross_validate(int jobs) {
  std::vector<CrossValidation> out(std::size(splits));
  base::for_each_piece(out.size(), jobs, [&](std::size_t i) { out[i] = cross_validate(splits[i]); });
  return out;
}

}  // namespace charm::evaluate
