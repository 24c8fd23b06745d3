#include "drawing/cpuid_view.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace charm::drawing {
namespace {

using os::CpuidRecord;
using os::CpuidRegisters;

std::uint32_t bits(std::uint32_t value, int high, int low) { return (value >> low) & ((1U << (high - low + 1)) - 1U); }

/// Bits that number `count` things.
int width_of(std::uint32_t count) { return count <= 1 ? 0 : static_cast<int>(std::bit_width(count - 1)); }

std::string text_of(std::initializer_list<std::uint32_t> words) {
  std::string text;
  for (std::uint32_t word : words) {
    char bytes[4];
    std::memcpy(bytes, &word, 4);
    text.append(bytes, 4);
  }
  text = text.substr(0, text.find('\0'));
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

struct Shifts {
  bool known = false;
  std::uint32_t apic_id = 0;
  int core = 0;     // to the core's id
  int package = 0;  // to the package's
};

Shifts extended_topology(const CpuidRecord& record) {
  Shifts shifts;
  for (const std::uint32_t leaf : {0x1FU, 0xBU}) {
    for (std::uint32_t sub = 0; sub < 8; ++sub) {
      const CpuidRegisters r = record.at(leaf, sub);
      const std::uint32_t type = bits(r[2], 15, 8);
      if (type == 0 || bits(r[1], 15, 0) == 0) break;
      shifts.known = true;
      shifts.apic_id = r[3];
      const int shift = static_cast<int>(bits(r[0], 4, 0));
      if (type == 1) shifts.core = shift;
      shifts.package = shift;
    }
    if (shifts.known) return shifts;
  }
  return shifts;
}

/// Processors and hypervisors without the extended leaves.
Shifts old_topology(const CpuidRecord& record, bool amd) {
  Shifts shifts;
  shifts.apic_id = bits(record.at(1)[1], 31, 24);
  const std::uint32_t logical = bits(record.at(1)[1], 23, 16);
  shifts.package = width_of(logical);
  if (amd) {
    const std::uint32_t size = bits(record.at(0x80000008U)[2], 15, 12);
    const std::uint32_t threads = bits(record.at(0x80000008U)[2], 7, 0) + 1;
    shifts.package = size > 0 ? static_cast<int>(size) : width_of(threads);
    shifts.core = width_of(bits(record.at(0x8000001EU)[1], 15, 8) + 1);
  } else if ((record.at(4)[0] & 0x1FU) != 0) {
    const std::uint32_t cores = bits(record.at(4)[0], 31, 26) + 1;
    shifts.core = std::max(0, shifts.package - width_of(cores));
  }
  return shifts;
}

void add_l3(const CpuidRecord& record, CpuidCpu& cpu) {
  for (const std::uint32_t leaf : {0x8000001DU, 4U}) {
    for (std::uint32_t sub = 0; sub < 8; ++sub) {
      const CpuidRegisters r = record.at(leaf, sub);
      const std::uint32_t type = bits(r[0], 4, 0);
      if (type == 0) break;
      if (bits(r[0], 7, 5) != 3 || type == 2) continue;
      const std::uint32_t sharers = bits(r[0], 25, 14) + 1;
      cpu.l3 = cpu.apic_id >> width_of(sharers);
      cpu.l3_bytes = std::uint64_t{bits(r[1], 11, 0) + 1} * (bits(r[1], 21, 12) + 1) * (bits(r[1], 31, 22) + 1) *
                     (std::uint64_t{r[2]} + 1);
      return;
    }
  }
}

}  // namespace

CpuidPicture read_cpuid_picture(const std::vector<os::CpuidRecord>& records) {
  CpuidPicture picture;
  for (const CpuidRecord& record : records) {
    const CpuidRegisters first = record.at(0);
    if (picture.vendor.empty()) {
      picture.vendor = text_of({first[1], first[3], first[2]});
      picture.hypervisor = (record.at(1)[2] >> 31) != 0;
      std::string name;
      for (std::uint32_t leaf = 0x80000002U; leaf <= 0x80000004U; ++leaf) {
        const CpuidRegisters r = record.at(leaf);
        for (std::uint32_t word : r) {
          char bytes[4];
          std::memcpy(bytes, &word, 4);
          name.append(bytes, 4);
        }
      }
      picture.name = std::string(name.c_str());
      while (!picture.name.empty() && picture.name.back() == ' ') picture.name.pop_back();
    }
    const bool amd = picture.vendor == "AuthenticAMD" || picture.vendor == "HygonGenuine";
    Shifts shifts = extended_topology(record);
    if (!shifts.known) shifts = old_topology(record, amd);
    CpuidCpu cpu;
    cpu.cpu = record.cpu;
    cpu.apic_id = shifts.apic_id;
    cpu.core = shifts.apic_id >> shifts.core;
    cpu.package = shifts.apic_id >> shifts.package;
    // The register is 0 throughout on processors without the leaf, which is also a node's number.
    if (amd && record.leaves.contains({0x8000001EU, 0}))
      cpu.node = static_cast<int>(bits(record.at(0x8000001EU)[2], 7, 0));
    add_l3(record, cpu);
    const bool hybrid = (record.at(7)[3] & (1U << 15)) != 0;
    const std::uint32_t kind = bits(record.at(0x1A)[0], 31, 24);
    if (hybrid && kind == 0x40) cpu.kind = "performance";
    if (hybrid && kind == 0x20) cpu.kind = "efficiency";
    picture.cpus.push_back(std::move(cpu));
  }
  return picture;
}

}  // namespace charm::drawing
