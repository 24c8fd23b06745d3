// The format is that of GAPBS's writer.h: a byte "directed", the numbers of arcs and vertices, the offsets and the
// neighbours, 32 bits each and with weights a weight of 32 bits behind each; of a directed graph then the same of its
// transpose. Nothing reads the weights of the transpose; they are written as 1.
#include "workloads/graph/serialized_output.hpp"

#include <charm/error.hpp>

#include <cstdint>
#include <fstream>
#include <vector>

#include "workloads/graph/input.hpp"

namespace charm::workloads {
namespace {

template <class T>
void write(std::ofstream& file, const T* first, std::size_t count) {
  file.write(reinterpret_cast<const char*>(first), static_cast<std::streamsize>(count * sizeof(T)));
}

template <class WeightOf>
void write_lists(std::ofstream& file, const Csr& lists, bool weighted, WeightOf&& weight_of) {
  const auto arcs = lists.neighbours.size();
  write(file, lists.offsets.data(), static_cast<std::size_t>(lists.offsets.size()));
  if (!weighted) return write(file, lists.neighbours.data(), static_cast<std::size_t>(arcs));
  std::vector<std::int32_t> pairs;
  constexpr std::size_t lot = 1U << 20;
  for (Index i = 0; i < arcs; ++i) {
    pairs.push_back(lists.neighbours[i]);
    pairs.push_back(weight_of(i));
    if (pairs.size() >= lot || i + 1 == arcs) {
      write(file, pairs.data(), pairs.size());
      pairs.clear();
    }
  }
}

}  // namespace

void write_serialized(const Graph& graph, const Runner& runner, bool weighted, const std::string& path) {
  auto& data = graph.data();
  const CsrGraph& csr = data.loaded.graph;
  std::ofstream file(path, std::ios::binary);
  const bool directed = csr.directed;
  const Index sizes[] = {csr.arcs(), csr.vertices};
  write(file, &directed, 1);
  write(file, sizes, 2);
  if (weighted) {
    weights_of(data, runner).visit([&](const auto* weights) {
      write_lists(file, csr.out, true, [weights](Index i) { return static_cast<std::int32_t>(weights[i]); });
    });
  } else {
    write_lists(file, csr.out, false, [](Index) { return 1; });
  }
  if (directed) write_lists(file, csr.transposed, weighted, [](Index) { return 1; });
  file.close();
  if (!file) throw Error(Errc::system, path + " cannot be written", "make room, or take another folder");
}

}  // namespace charm::workloads
