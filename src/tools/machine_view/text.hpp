// Small pieces of text for drawings: cpu ranges, boxes.
#pragma once

#include <charm/machine.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace charm::machine_view {

/// "0-7,192-199"; strides are folded too, as interleaved numbering has them: "0,2..62".
std::string format_cpus(const CpuSet& cpus);

/// Breaks at blanks and after commas; a piece that is longer than a line stays whole.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// The characters that a drawing is made of.
struct Glyphs {
  std::string_view core, separator, horizontal, vertical, top_left, top_right, bottom_left, bottom_right;
};
const Glyphs& glyphs(bool ascii);

/// `lines` in a frame of `width` columns with `title` in its upper edge.
std::vector<std::string> boxed(const std::string& title, const std::vector<std::string>& lines, std::size_t width,
                               const Glyphs& glyphs);

/// Whether two chiplets look alike: as many cores, as many threads on each, caches of the same size.
bool alike(const Machine& machine, const Chiplet& a, const Chiplet& b);

/// "8 cores x 2 threads"; "1-2 threads" where siblings of some cores are forbidden.
std::string cores_of(const Machine& machine, const Chiplet& chiplet);

/// All allowed cpus of the chiplet.
CpuSet cpus_of(const Machine& machine, const Chiplet& chiplet);

}  // namespace charm::machine_view
