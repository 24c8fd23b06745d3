// Recorded CPUID leaves of a machine, made from a description in a test: a temporary folder in the format of
// hwloc-gather-cpuid that goes with the object. A leaf that is not given answers with zeros.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/folder.hpp"

namespace charm::test {

/// eax, ebx, ecx and edx by leaf and subleaf.
using CpuidLeaves = std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<std::uint32_t, 4>>;

class CpuidDump {
 public:
  /// \param cpus the leaves of each cpu.
  explicit CpuidDump(const std::vector<CpuidLeaves>& cpus) {
    std::ofstream(folder_.path("hwloc-cpuid-info")) << "Architecture: x86\n";
    for (std::size_t cpu = 0; cpu < cpus.size(); ++cpu) {
      std::ofstream out(folder_.path("pu" + std::to_string(cpu)));
      out << std::hex;
      // A line is: which inputs matter (1 is eax, 4 is ecx), the inputs, and the answer. hwloc leaves in ecx what was
      // there where a leaf has no subleaves.
      for (const auto& [leaf, registers] : cpus[cpu]) {
        out << (has_subleaves(leaf.first) ? "5 " : "1 ") << leaf.first << " 0 " << leaf.second << " 0 =>";
        for (const std::uint32_t value : registers) out << ' ' << value;
        out << '\n';
      }
      out << "0 0 0 0 0 => 0 0 0 0\n";
    }
  }
  [[nodiscard]] std::string folder() const { return folder_.path(""); }

 private:
  static bool has_subleaves(std::uint32_t leaf) {
    constexpr std::array<std::uint32_t, 6> with{4, 7, 0xB, 0x1F, 0x8000001D, 0x80000026};
    return std::find(with.begin(), with.end(), leaf) != with.end();
  }

  Folder folder_;
};

/// A Zen 3 with two chiplets of four cores and two threads each; APIC ids without gaps.
/// \param l3_sharers hardware threads on an L3.
inline std::vector<CpuidLeaves> zen(int threads, std::uint32_t l3_sharers = 8) {
  std::vector<CpuidLeaves> cpus;
  for (std::uint32_t apic = 0; apic < static_cast<std::uint32_t>(threads); ++apic) {
    CpuidLeaves leaves;
    leaves[{0, 0}] = {0x10, 0x68747541, 0x444d4163, 0x69746e65};  // AuthenticAMD
    leaves[{1, 0}] = {0xA20F10, apic << 24 | 16U << 16, 1U << 21, 1U << 28};
    leaves[{0xB, 0}] = {1, 2, 0x100, apic};
    leaves[{0xB, 1}] = {4, 16, 0x201, apic};
    leaves[{0x80000000, 0}] = {0x8000001E, 0, 0, 0};
    leaves[{0x80000001, 0}] = {0, 0, 1U << 22, 0};  // topology extensions
    leaves[{0x80000008, 0}] = {0, 0, 15 | 4U << 12, 0};
    leaves[{0x8000001D, 0}] = {0x1 | 1U << 5 | 1U << 14, 63 | 7U << 22, 63, 0};
    leaves[{0x8000001D, 1}] = {0x3 | 3U << 5 | (l3_sharers - 1) << 14, 63 | 15U << 22, 32767, 0};
    leaves[{0x8000001E, 0}] = {apic, apic / 2 | 1U << 8, 0, 0};
    cpus.push_back(std::move(leaves));
  }
  return cpus;
}

}  // namespace charm::test
