// The processor's description of itself (x86's CPUID) as recorded leaves: read here for this machine, given as data in
// tests for others. Some leaves answer differently on each cpu, so each cpu is queried separately.
#pragma once

#include <charm/id_set.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace charm::os {

/// eax, ebx, ecx, edx.
using CpuidRegisters = std::array<std::uint32_t, 4>;

/// The leaves of one cpu that tell of topology, by leaf and subleaf.
struct CpuidRecord {
  int cpu = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters> leaves;
  /// Zeros where the leaf was not recorded.
  [[nodiscard]] CpuidRegisters at(std::uint32_t leaf, std::uint32_t subleaf = 0) const;
};

/// Binds a thread of its own to each cpu in turn; the caller's binding stays. Cpus that it cannot be bound to are left
/// out. Nothing on processors without CPUID.
std::vector<CpuidRecord> read_cpuid(const CpuSet& cpus);

}  // namespace charm::os
