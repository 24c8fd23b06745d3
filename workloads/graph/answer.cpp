#include "workloads/graph/answer.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "workloads/graph/sssp.hpp"

namespace charm::workloads {
namespace {

Index number_of(Index vertex, const std::vector<Vertex>& numbers) {
  return numbers.empty() ? vertex : numbers[static_cast<std::size_t>(vertex)];
}

/// \param print appends the value of a vertex, which has the number that the kernel knew.
template <class Print>
std::string lines(const std::string& title, Index vertices, const std::vector<Vertex>& numbers, Print&& print) {
  std::string text = fmt::format("# {}\n", title);
  for (Index v = 0; v < vertices; ++v) {
    fmt::format_to(std::back_inserter(text), "{} ", v);
    print(text, number_of(v, numbers));
    text += '\n';
  }
  return text;
}

}  // namespace

std::string vertices_text(const std::string& title, const Array<Vertex>& values, const std::vector<Vertex>& numbers) {
  std::vector<Vertex> back(numbers.size());
  for (std::size_t v = 0; v < numbers.size(); ++v) back[static_cast<std::size_t>(numbers[v])] = static_cast<Vertex>(v);
  return lines(title, values.size(), numbers, [&](std::string& text, Index v) {
    const Vertex value = values[v];
    fmt::format_to(std::back_inserter(text), "{}", value < 0 ? Index{value} : number_of(value, back));
  });
}

std::string scores_text(const std::string& title, const Array<float>& values, const std::vector<Vertex>& numbers) {
  return lines(title, values.size(), numbers, [&](std::string& text, Index v) {
    fmt::format_to(std::back_inserter(text), "{:.9g}", static_cast<double>(values[v]));
  });
}

std::string distances_text(const std::string& title, const Array<std::uint32_t>& values,
                           const std::vector<Vertex>& numbers) {
  return lines(title, values.size(), numbers, [&](std::string& text, Index v) {
    fmt::format_to(std::back_inserter(text), "{}", values[v] == unreached ? std::int64_t{-1} : std::int64_t{values[v]});
  });
}

}  // namespace charm::workloads
