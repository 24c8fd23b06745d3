// TAPMM Fig. 8 (§4.2): threads of one die of a 2 × Kunpeng 920 read memory one after the other: local, of the other die
// of the socket (L1-cross), of the other socket (L2-cross), interleaved over all, and as TAPMM spreads it. The text
// gives the order for few threads, the crossing at four threads, and the largest lead over interleaving.
#include <algorithm>

#include "tools/sim/figures/all.hpp"
#include "tools/sim/figures/page_mapping.hpp"

namespace charm::sim {

Reproduction tapmm_figure_8(const Free& free) {
  const Model machine = model_with("kunpeng-920-128", free);
  const memory_traffic::Model forest = traffic_model(machine);
  const memory_traffic::Bandwidths all = capacities(forest);
  const char* text = "§4.2, text to Fig. 8";
  Reproduction out;
  out.x = "threads";
  out.y = "GB/s, or a ratio of them";
  const auto rate = [&](int threads, const memory_traffic::Weights& weights) {
    return gb_per_s_of(machine, {{0, threads, 0, 0, weights}}).front();
  };
  const memory_traffic::Weights paper = weights_of(forest, "paper", 0, all);
  double lead = 0;
  int crossing = 0;
  for (const int threads : {1, 2, 3, 4, 5, 6, 8, 16, 32}) {
    const double local = rate(threads, only_on(4, 0));
    const double other_die = rate(threads, only_on(4, 1));
    const double other_socket = rate(threads, only_on(4, 2));
    const double interleaved = rate(threads, memory_traffic::Weights(4, 1));
    const double tapmm = rate(threads, paper);
    const double demand = memory_traffic::demand_of(forest, threads);
    const double with_demand = rate(threads, weights_of(forest, "exact", 0, all, demand));
    if (threads <= 2) {
      const bool best = local >= other_socket && local >= interleaved && local >= tapmm;
      out.points.push_back(required("local over interleaved", threads, 1, local / interleaved, best,
                                    "with few threads local memory is best", text));
    }
    if (threads >= 8) {
      out.points.push_back(required("L1-cross over local", threads, 1, other_die / local, other_die > 0.95 * local,
                                    "the other die's memory is as fast as the own", text));
      out.points.push_back(required("TAPMM over the best other", threads, 1,
                                    tapmm / std::max({local, other_die, other_socket, interleaved}),
                                    tapmm > 1.05 * std::max({local, other_die, other_socket, interleaved}),
                                    "TAPMM is ahead of all others", text));
    }
    // The exact weights know what the threads can read: no crossing is needed.
    const double best = std::max({local, other_die, other_socket, interleaved, tapmm});
    out.points.push_back(required("exact with demand over the best", threads, 1, with_demand / best,
                                  with_demand > 0.99 * best, "weights that know the demand are never behind",
                                  "design: §3.3 has no demand"));
    if (crossing == 0 && tapmm > std::max(local, interleaved)) crossing = threads;
    lead = std::max(lead, tapmm / interleaved);
  }
  out.points.push_back(required("crossing, threads", 0, 4, crossing, crossing >= 3 && crossing <= 6,
                                "TAPMM takes the lead at about four threads", text));
  out.points.push_back(magnitude("TAPMM over interleaved, at most", 0, 1.44, lead, text));
  out.not_captured = {"What a core can read of another socket's memory at most, apart from its latency.",
                      "The curves between the points that the text names."};
  return out;
}

}  // namespace charm::sim
