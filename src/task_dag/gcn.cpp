#include "task_dag/gcn.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "task_dag/gcn_layers_of.hpp"

namespace charm::task_dag {

namespace {

GcnLayers* best_layers() {
#if defined(CHARM_GCN_X86)
  if (__builtin_cpu_supports("avx512f")) return gcn_layers_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return gcn_layers_avx2;
#endif
  return gcn_layers_plain;
}

/// 1 / sqrt(1 + degree), from a table where the degree is small, as most are.
class Scales {
 public:
  Scales() {
    for (std::uint32_t d = 0; d < few_.size(); ++d) few_[d] = computed(d);
  }
  float operator()(std::uint32_t degree) const { return degree < few_.size() ? few_[degree] : computed(degree); }

 private:
  static float computed(std::uint32_t degree) { return 1 / std::sqrt(static_cast<float>(degree) + 1); }
  std::array<float, 64> few_;
};

/// Memory for the rows, aligned to 64 bytes. What a small graph needs stays with the thread: getting it anew costs more
/// than the layers.
class Scratch {
 public:
  explicit Scratch(std::size_t floats) {
    static constexpr std::size_t kept = std::size_t{4096} * 25;
    thread_local Memory small;
    if (floats <= kept) {
      if (small == nullptr) small = memory(kept);
      rows_ = small.get();
    } else {
      large_ = memory(floats);
      rows_ = large_.get();
    }
  }
  [[nodiscard]] float* rows() const { return rows_; }

 private:
  struct Free {
    void operator()(float* rows) const noexcept { ::operator delete(rows, std::align_val_t{64}); }
  };
  using Memory = std::unique_ptr<float, Free>;
  static Memory memory(std::size_t floats) {
    return Memory(static_cast<float*>(::operator new(floats * sizeof(float), std::align_val_t{64})));
  }
  Memory large_;
  float* rows_;
};

}  // namespace

std::array<float, Gcn::classes> Gcn::logits(const NodeTable& table) const {
  static GcnLayers* const layers = best_layers();
  static const Scales scale_of;
  const std::size_t nodes = table.nodes;
  const Scratch scratch(nodes * (inputs + hidden + 1));
  float* scales = scratch.rows() + nodes * (inputs + hidden);
  for (std::size_t i = 0; i < nodes; ++i) scales[i] = scale_of(table.offsets[i + 1] - table.offsets[i]);
  std::array<float, inputs> one_by_scale;
  std::transform(scale.begin(), scale.end(), one_by_scale.begin(), [](float s) { return 1 / s; });

  std::array<float, pooled> pool;
  layers(
      {table.nodes, table.values.data(), table.offsets.data(), table.neighbours.data(), scales, table.by_degree.data()},
      {convolution1.data(), convolution2.data(), mean.data(), one_by_scale.data()}, scratch.rows(), pool.data(),
      pool.data() + hidden);
  pool[2 * hidden] = static_cast<float>(std::log1p(static_cast<double>(nodes)));

  std::array<float, hidden> dense = bias1;
  for (std::size_t k = 0; k < pooled; ++k) {
    for (std::size_t c = 0; c < hidden; ++c) dense[c] += pool[k] * dense1[k * hidden + c];
  }
  std::array<float, classes> out = bias2;
  for (std::size_t k = 0; k < hidden; ++k) {
    for (std::size_t c = 0; c < classes; ++c) out[c] += std::max(0.0F, dense[k]) * dense2[k * classes + c];
  }
  return out;
}

}  // namespace charm::task_dag
