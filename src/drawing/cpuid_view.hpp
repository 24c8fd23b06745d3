// The machine as its processors describe it: packages, cores, caches and kinds of cores from recorded CPUID leaves.
// Pure, so that machines and hypervisors that are not here can be tested from their leaves.
//
// Leaves: 0xB and 0x1F (extended topology), 4 (Intel) and 0x8000001D (AMD) for caches, 0x8000001E for AMD's nodes, 0x1A
// for hybrid kinds. Cpus that share a cache have the same APIC id except for its lowest bits, as many as the number of
// sharers needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/cpuid.hpp"

namespace charm::drawing {

struct CpuidCpu {
  int cpu = 0;
  std::uint32_t apic_id = 0;
  std::uint32_t core = 0, package = 0;  ///< parts of the APIC id
  int node = -1;                        ///< AMD's; -1 where not told
  std::int64_t l3 = -1;                 ///< -1 where no L3 is told
  std::uint64_t l3_bytes = 0;
  std::string kind;  ///< "performance" or "efficiency" on hybrid processors; else empty
};

struct CpuidPicture {
  std::string vendor;  ///< "GenuineIntel", "AuthenticAMD", ...
  std::string name;
  bool hypervisor = false;
  std::vector<CpuidCpu> cpus;
};

CpuidPicture read_cpuid_picture(const std::vector<os::CpuidRecord>& records);

}  // namespace charm::drawing
