// Answers of kernels as text, for `--output`: a line that says what follows, then `vertex value` a line by ascending
// vertex. Vertices have the numbers of the file or generator, also where the kernels ran on others (order.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

/// \param numbers that the kernel's graph gave the vertices; empty: their own.
/// Each value that is a vertex is translated, too, and -1 stays: "no parent".
std::string vertices_text(const std::string& title, const Array<Vertex>& values, const std::vector<Vertex>& numbers);
std::string scores_text(const std::string& title, const Array<float>& values, const std::vector<Vertex>& numbers);
/// A distance that is none is written as -1.
std::string distances_text(const std::string& title, const Array<std::uint32_t>& values,
                           const std::vector<Vertex>& numbers);

}  // namespace charm::workloads
