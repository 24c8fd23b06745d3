#include "os/cpuid.hpp"

#include <thread>

#include "os/affinity.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace charm::os {

CpuidRegisters CpuidRecord::at(std::uint32_t leaf, std::uint32_t subleaf) const {
  const auto found = leaves.find({leaf, subleaf});
  return found == leaves.end() ? CpuidRegisters{} : found->second;
}

#if defined(__x86_64__) || defined(__i386__)
namespace {

CpuidRegisters ask(std::uint32_t leaf, std::uint32_t subleaf) {
  CpuidRegisters r{};
  __cpuid_count(leaf, subleaf, r[0], r[1], r[2], r[3]);
  return r;
}

void record_here(CpuidRecord& record) {
  const auto keep = [&](std::uint32_t leaf, std::uint32_t subleaf = 0) {
    return record.leaves[{leaf, subleaf}] = ask(leaf, subleaf);
  };
  const std::uint32_t basic = keep(0)[0];
  const std::uint32_t extended = keep(0x80000000U)[0];
  keep(1);
  if (basic >= 7) keep(7);
  // The last subleaf of a list says that it is the last; the bounds are for hypervisors that never do.
  for (std::uint32_t sub = 0; basic >= 4 && sub < 8 && (keep(4, sub)[0] & 0x1FU) != 0; ++sub) {
  }
  for (const std::uint32_t leaf : {0xBU, 0x1FU}) {
    for (std::uint32_t sub = 0; basic >= leaf && sub < 8 && (keep(leaf, sub)[2] & 0xFF00U) != 0; ++sub) {
    }
  }
  if (basic >= 0x1A) keep(0x1A);
  for (std::uint32_t leaf = 0x80000001U; leaf <= 0x80000008U && leaf <= extended; ++leaf) keep(leaf);
  for (std::uint32_t sub = 0; extended >= 0x8000001DU && sub < 8 && (keep(0x8000001DU, sub)[0] & 0x1FU) != 0; ++sub) {
  }
  if (extended >= 0x8000001EU) keep(0x8000001EU);
}

}  // namespace

std::vector<CpuidRecord> read_cpuid(const CpuSet& cpus) {
  std::vector<CpuidRecord> records;
  std::thread reader([&] {
    for (int cpu : cpus) {
      if (!bind_this_thread({cpu})) continue;
      records.push_back({cpu, {}});
      record_here(records.back());
    }
  });
  reader.join();
  return records;
}
#else
std::vector<CpuidRecord> read_cpuid(const CpuSet& /*cpus*/) { return {}; }
#endif

}  // namespace charm::os
