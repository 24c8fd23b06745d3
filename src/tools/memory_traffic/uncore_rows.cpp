#include "tools/memory_traffic/uncore_rows.hpp"

#include <array>
#include <cstdio>

namespace charm::memory_traffic {
namespace {

constexpr std::string_view zen_2_and_3 = "zen2 zen3";
constexpr std::string_view ppr = "AMD's Processor Programming Reference, as perf's event lists have it";
constexpr std::string_view intel = "Intel's event lists (perfmon)";
constexpr std::string_view hisi = "Linux Documentation/admin-guide/perf/hisi-pmu.rst; bytes of a count: estimate";
constexpr std::string_view cmn = "Linux drivers/perf/arm-cmn.c";

constexpr std::array all_rows = {
    // AMD: the memory controllers' own counters (Zen 4 and later, Linux 6.10), else the data fabric's channels.
    UncoreRow{"amd", "amd_umc", Carries::memory, "", "umc_cas_cmd.rd", "event=0x0a,rdwrmask=0x1", 0, 0, 1, 64, ppr},
    UncoreRow{"amd", "amd_umc", Carries::memory, "", "umc_cas_cmd.wr", "event=0x0a,rdwrmask=0x2", 0, 0, 1, 64, ppr},
    UncoreRow{"amd", "amd_df", Carries::memory, zen_2_and_3, "", "event=%,umask=0x38", 0x07, 0x40, 8, 64, ppr},
    UncoreRow{"amd", "amd_df", Carries::memory, "zen4 zen5", "", "event=%,umask=0xffe", 0x1f, 0x40, 12, 64, ppr},
    UncoreRow{"amd", "amd_df", Carries::memory, "zen4 zen5", "", "event=%,umask=0xfff", 0x1f, 0x40, 12, 64, ppr},
    UncoreRow{"amd", "amd_df", Carries::out_of_socket, zen_2_and_3, "", "event=%,umask=0x02", 0x7c7, 0x40, 4, 32, ppr},
    UncoreRow{"amd", "amd_df", Carries::into_socket, "zen5", "", "event=%,umask=0xbfe", 0x41e, 0x40, 16, 32, ppr},
    // Intel: each column access moves a line; of nine flits eight have data, of 8 bytes.
    UncoreRow{"intel", "imc", Carries::memory, "", "cas_count_read", "event=0x05,umask=0xcf", 0, 0, 1, 64, intel},
    UncoreRow{"intel", "imc", Carries::memory, "", "cas_count_write", "event=0x05,umask=0xf0", 0, 0, 1, 64, intel},
    UncoreRow{"intel", "upi", Carries::into_socket, "", "", "event=0x03,umask=0x0f", 0, 0, 1, 64.0 / 9, intel},
    // HiSilicon: of requests from another socket (Hydra) and another die the home agent tells the number.
    UncoreRow{"hisilicon", "hisi_ddrc", Carries::memory, "", "flux_rd", "event=0x01", 0, 0, 1, 32, hisi},
    UncoreRow{"hisilicon", "hisi_ddrc", Carries::memory, "", "flux_wr", "event=0x00", 0, 0, 1, 32, hisi},
    UncoreRow{"hisilicon", "hisi_hha", Carries::memory, "", "rd_ddr_64b", "event=0x1c", 0, 0, 1, 64, hisi},
    UncoreRow{"hisilicon", "hisi_hha", Carries::memory, "", "wr_ddr_64b", "event=0x1d", 0, 0, 1, 64, hisi},
    UncoreRow{"hisilicon", "hisi_hha", Carries::memory, "", "rd_ddr_128b", "event=0x1e", 0, 0, 1, 128, hisi},
    UncoreRow{"hisilicon", "hisi_hha", Carries::memory, "", "wr_ddr_128b", "event=0x1f", 0, 0, 1, 128, hisi},
    UncoreRow{"hisilicon", "hisi_hha", Carries::out_of_socket, "", "rx_outer", "event=0x01", 0, 0, 1, 64, hisi},
    UncoreRow{"hisilicon", "hisi_hha", Carries::out_of_node, "", "rx_sccl", "event=0x02", 0, 0, 1, 64, hisi},
    // Arm: requests of the home nodes of the mesh to its memory controllers.
    UncoreRow{"arm", "cmn", Carries::memory, "", "hnf_mc_reqs", "type=0x5,eventid=0x0d", 0, 0, 1, 64, cmn},
};

}  // namespace

std::span<const UncoreRow> uncore_rows() { return all_rows; }

std::string terms_of(const UncoreRow& row, int i) {
  std::string text(row.terms);
  const std::size_t at = text.find('%');
  if (at == std::string::npos) return text;
  char digits[16];
  std::snprintf(digits, sizeof digits, "0x%x", row.event + row.step * static_cast<unsigned>(i));
  return text.replace(at, 1, digits);
}

}  // namespace charm::memory_traffic
