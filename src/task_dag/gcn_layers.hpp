// The convolutions of the network and its pool, as inlined code: gcn_layers_*.cpp are this file, compiled for several
// sets of instructions. It includes nothing with inlined functions, because the linker might choose a copy of such a
// function that not every processor can run.
//
// Rows are scaled by D^-1/2 when they are stored, so that a convolution adds rows of neighbours, and scales once. A
// block of nodes shares the loads of the weights. The second convolution's result goes straight into the pool. Vectors
// are as long as the processor's, because compilers split comparisons of longer ones into single numbers.
#pragma once

#include "task_dag/gcn_layers_of.hpp"

namespace charm::task_dag {
namespace {

#if defined(__AVX512F__)
constexpr unsigned lane = 16, gcn_block = 8;
#elif defined(__AVX2__)
constexpr unsigned lane = 8, gcn_block = 6;
#else
constexpr unsigned lane = 4, gcn_block = 2;
#endif
constexpr unsigned narrow_lane = lane < 8 ? lane : 8;  // for rows of 8
using GcnSize = decltype(sizeof 0);                    // <cstddef> has inlined functions

template <unsigned length>
struct LaneOf {
  using Type __attribute__((vector_size(length * sizeof(float)), aligned(4), may_alias)) = float;
};
template <unsigned length>
using Lane = typename LaneOf<length>::Type;
constexpr unsigned wide = 16 / lane;  // lanes of a row of the hidden layers
using WideLane = Lane<lane>;

template <unsigned length>
[[gnu::always_inline]] inline const Lane<length>& lane_at(const float* numbers, unsigned index) {
  return *reinterpret_cast<const Lane<length>*>(numbers + GcnSize{index} * length);
}
template <unsigned length>
[[gnu::always_inline]] inline Lane<length>& lane_at(float* numbers, unsigned index) {
  return *reinterpret_cast<Lane<length>*>(numbers + GcnSize{index} * length);
}

/// The sum of a node's row and its neighbours', times the node's scale. \tparam inputs numbers of a row.
template <unsigned inputs>
[[gnu::always_inline]] inline void gather(const GcnGraph& graph, const float* rows, unsigned node, float* sum) {
  constexpr unsigned length = inputs < lane ? narrow_lane : lane, lanes = inputs / length;
  Lane<length> total[lanes];
  for (unsigned l = 0; l < lanes; ++l) total[l] = lane_at<length>(rows, node * lanes + l);
  for (unsigned e = graph.offsets[node]; e < graph.offsets[node + 1]; ++e) {
    for (unsigned l = 0; l < lanes; ++l) total[l] += lane_at<length>(rows, graph.neighbours[e] * lanes + l);
  }
  for (unsigned l = 0; l < lanes; ++l) lane_at<length>(sum, l) = total[l] * graph.scales[node];
}

#if defined(__AVX512F__)
using Two __attribute__((may_alias)) = double;  // two neighbouring numbers of a row, which one load spreads
using Twos __attribute__((vector_size(64))) = double;

/// Weights as multiply() reads them: for each two inputs two lanes, with both weights of a column side by side.
template <unsigned inputs>
[[gnu::always_inline]] inline void arrange(const float* weights, float* arranged) {
  for (unsigned two = 0; two < inputs; two += 2) {
    for (unsigned half = 0; half < 4; half += 2) {
      for (unsigned at = 0; at < 16; ++at) *arranged++ = weights[(two + at % 2) * 16 + at / 4 * 4 + half + at % 4 / 2];
    }
  }
}

/// rows W of a block. Loads of this length are slower than the arithmetic, hence one of them for two products.
template <unsigned inputs, unsigned nodes>
[[gnu::always_inline]] inline void multiply(const float* rows, const float* arranged, WideLane (&total)[nodes][wide]) {
  WideLane low[nodes], high[nodes];
  for (unsigned i = 0; i < nodes; ++i) low[i] = high[i] = WideLane{};
  for (unsigned k = 0; k < inputs; k += 2) {
    const WideLane low_weights = lane_at<lane>(arranged, k), high_weights = lane_at<lane>(arranged, k + 1);
    for (unsigned i = 0; i < nodes; ++i) {
      const Two two = *reinterpret_cast<const Two*>(rows + GcnSize{i} * inputs + k);
      const auto spread = __builtin_bit_cast(WideLane, Twos{two, two, two, two, two, two, two, two});
      low[i] += low_weights * spread;
      high[i] += high_weights * spread;
    }
  }
  for (unsigned i = 0; i < nodes; ++i) {
    total[i][0] = __builtin_shufflevector(low[i], high[i], 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30) +
                  __builtin_shufflevector(low[i], high[i], 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31);
  }
}
#else
template <unsigned inputs>
[[gnu::always_inline]] inline void arrange(const float* weights, float* arranged) {
  for (unsigned i = 0; i < inputs * 16; ++i) arranged[i] = weights[i];
}

/// rows W of a block.
template <unsigned inputs, unsigned nodes>
[[gnu::always_inline]] inline void multiply(const float* rows, const float* weights, WideLane (&total)[nodes][wide]) {
  for (unsigned i = 0; i < nodes; ++i) {
    for (unsigned l = 0; l < wide; ++l) total[i][l] = WideLane{};
  }
  for (unsigned k = 0; k < inputs; ++k) {
    for (unsigned i = 0; i < nodes; ++i) {
      for (unsigned l = 0; l < wide; ++l) total[i][l] += lane_at<lane>(weights, k * wide + l) * rows[i * inputs + k];
    }
  }
}
#endif

/// relu(S rows W) of `nodes` nodes, with which `use` is called: (node, its row). \param order their numbers.
template <unsigned inputs, unsigned nodes, class Use>
[[gnu::always_inline]] inline void convolve(const GcnGraph& graph, const float* rows, const float* weights,
                                            const unsigned* order, Use&& use) {
  alignas(64) float sums[nodes * inputs];
  for (unsigned i = 0; i < nodes; ++i) gather<inputs>(graph, rows, order[i], sums + i * inputs);
  WideLane total[nodes][wide];
  multiply<inputs, nodes>(sums, weights, total);
  for (unsigned i = 0; i < nodes; ++i) {
    for (unsigned l = 0; l < wide; ++l) total[i][l] = total[i][l] > 0 ? total[i][l] : WideLane{};
    use(order[i], total[i]);
  }
}

template <unsigned inputs, class Use>
[[gnu::always_inline]] inline void convolve_all(const GcnGraph& graph, const float* rows, const float* weights,
                                                Use&& use) {
  unsigned i = 0;
  for (; i + gcn_block <= graph.nodes; i += gcn_block)
    convolve<inputs, gcn_block>(graph, rows, weights, graph.order + i, use);
  for (; i < graph.nodes; ++i) convolve<inputs, 1>(graph, rows, weights, graph.order + i, use);
}

[[gnu::always_inline]] inline void gcn_layers(const GcnGraph& given, const GcnWeights& weights, float* scratch,
                                              float* mean, float* most) {
  const GcnGraph graph = given;  // which no store can change, so that nothing is loaded twice
  float* hidden = scratch;       // a row is a cache line
  float* inputs = scratch + GcnSize{graph.nodes} * 16;
  for (unsigned i = 0; i < graph.nodes; ++i) {
    for (unsigned l = 0; l < 8 / narrow_lane; ++l) {
      const unsigned at = i * (8 / narrow_lane) + l;
      lane_at<narrow_lane>(inputs, at) =
          (lane_at<narrow_lane>(graph.values, at) - lane_at<narrow_lane>(weights.mean, l)) *
          lane_at<narrow_lane>(weights.one_by_scale, l) * graph.scales[i];
    }
  }
  alignas(64) float weights1[8 * 16], weights2[16 * 16];
  arrange<8>(weights.convolution1, weights1);
  arrange<16>(weights.convolution2, weights2);
  convolve_all<8>(graph, inputs, weights1, [&](unsigned node, const WideLane(&row)[wide]) {
    for (unsigned l = 0; l < wide; ++l) lane_at<lane>(hidden, node * wide + l) = row[l] * graph.scales[node];
  });
  WideLane sum[wide]{}, top[wide]{};
  convolve_all<16>(graph, hidden, weights2, [&](unsigned /*node*/, const WideLane(&row)[wide]) {
    for (unsigned l = 0; l < wide; ++l) {
      sum[l] += row[l];
      top[l] = row[l] > top[l] ? row[l] : top[l];
    }
  });
  for (unsigned l = 0; l < wide; ++l) {
    lane_at<lane>(mean, l) = sum[l] / static_cast<float>(graph.nodes);
    lane_at<lane>(most, l) = top[l];
  }
}

}  // namespace
}  // namespace charm::task_dag
