// Sources of live traffic, each on a machine that is a folder and a made-up kernel.
#include "tools/memory_traffic/source.hpp"

#include <charm/error.hpp>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "memory_traffic/fake_uncore.hpp"
#include "memory_traffic/machines.hpp"
#include "tools/memory_traffic/traffic_recording.hpp"
#include "tools/memory_traffic/uncore_device.hpp"
#include "tools/memory_traffic/uncore_rows.hpp"

namespace charm::memory_traffic::test {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

/// Four nodes of four cpus, two a socket, as kunpeng() has them.
class Sources : public testing::Test {
 protected:
  Sources() { around_ = {&model_, &machine_, folder_.root(), kernel_, {}, {}}; }

  void device(const std::string& name, int type, const std::string& cpus,
              const std::map<std::string, std::string>& formats,
              const std::map<std::string, std::string>& events = {}) const {
    const std::string at = "sys/bus/event_source/devices/" + name + "/";
    (void)folder_.line(at + "type", std::to_string(type));
    (void)folder_.line(at + "cpumask", cpus);
    for (const auto& [term, bits] : formats) (void)folder_.line(at + "format/" + term, bits);
    for (const auto& [event, text] : events) (void)folder_.line(at + "events/" + event, text);
  }
  void count(int type, std::uint64_t config, int cpu, std::uint64_t value) {
    kernel_->counts[{static_cast<std::uint32_t>(type), {config, 0, 0}, cpu}] = value;
  }
  [[nodiscard]] std::string refusal(const std::string& words) const {
    try {
      open_source(around_, words);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  charm::test::Folder folder_;
  Model model_ = kunpeng(30);
  Machine machine_ = Machine::from("pack:2 numa:2 l3:1 core:4 pu:1");
  std::shared_ptr<FakeUncore> kernel_ = std::make_shared<FakeUncore>();
  Surroundings around_;
};

}  // namespace

TEST_F(Sources, HiSiliconUnitsBelongToTheNodeOfTheirCpu) {
  // Two controllers on die 1, one on die 2, and the home agents of dies 0 and 2.
  for (const auto& [name, type, cpu] :
       {std::tuple{"hisi_sccl3_ddrc0", 11, "4"}, {"hisi_sccl3_ddrc2", 12, "4"}, {"hisi_sccl5_ddrc0", 13, "8"}})
    device(name, type, cpu, {{"event", "config:0-7"}}, {{"flux_rd", "config=0x1"}});
  for (const auto& [name, type, cpu] : {std::tuple{"hisi_sccl1_hha0", 21, "0"}, {"hisi_sccl5_hha4", 22, "8"}})
    device(name, type, cpu, {{"event", "config:0-7"}});
  const auto source = open_source(around_, "hisilicon");
  kernel_->ns = second;
  count(11, 1, 4, 250'000'000);  // of 32 bytes: 8 GB/s
  count(12, 0, 4, 125'000'000);  // written: 4
  count(13, 1, 8, 500'000'000);
  count(22, 1, 8, 100'000'000);  // requests from the other socket, of 64 bytes
  count(22, 2, 8, 50'000'000);   // from the other die
  const Bandwidths used = source->read(1);
  EXPECT_EQ(used.memory, (std::vector<double>{0, 12, 16, 0}));
  EXPECT_NEAR(used.out[2], 6.4, 1e-9);  // socket 1
  EXPECT_NEAR(used.out[5], 3.2, 1e-9);  // its first die
  EXPECT_NEAR(used.out[1], 0, 1e-9);
  EXPECT_NE(source->description().find("on 2 sockets"), std::string::npos);
}

TEST_F(Sources, WhatTakesTurnsOnACounterIsScaled) {
  device("hisi_sccl1_ddrc0", 11, "0", {{"event", "config:0-7"}});
  const auto source = open_source(around_, "auto");
  kernel_->shares = 4;
  kernel_->ns = second;
  count(11, 1, 0, 250'000'000);  // in a quarter of the second
  EXPECT_NEAR(source->read(1).memory[0], 32, 1e-9);
  // An event that had no counter meanwhile keeps its value.
  EXPECT_NEAR(source->read(2).memory[0], 32, 1e-9);
}

TEST_F(Sources, AmdChannelsAreDealtOutToTheNodesOfASocket) {
  around_.cpu = {"amd", 0x19, 1, 1, false};  // Zen 3
  device("amd_df", 9, "0,8", {{"event", "config:0-7,32-35,59-60"}, {"umask", "config:8-15"}});
  const auto source = open_source(around_, "amd");
  EXPECT_EQ(kernel_->opened.size(), 2U * (8 + 4));
  kernel_->ns = second;
  count(9, 0x3807, 0, 10'000'000);                                      // channel 0 of socket 0: 0.64 GB/s
  count(9, 0x3807 | (1ULL << 32U) | 0xc0U, 0, 1'000'000'000);           // channel 7, event 0x1c7: 64 GB/s
  count(9, (0x02ULL << 8U) | 0xc7U | (7ULL << 32U), 8, 1'000'000'000);  // the link 0x7c7 of socket 1
  const Bandwidths used = source->read(1);
  EXPECT_NEAR(used.memory[0], 0.64, 1e-9);
  EXPECT_NEAR(used.memory[1], 64, 1e-9);
  EXPECT_NEAR(used.out[2], 32, 1e-9);
  EXPECT_FALSE(source->notes().empty());
}

TEST_F(Sources, TheDriversOwnNamesAndScalesWin) {
  const std::map<std::string, std::string> format = {{"event", "config:0-7"}, {"umask", "config:8-15"}};
  for (int i = 0; i < 4; ++i) {
    device("uncore_imc_" + std::to_string(i), 30 + i, "0,8", format,
           {{"cas_count_read", "event=0x04,umask=0x03"},
            {"cas_count_read.scale", "6.103515625e-5"},
            {"cas_count_read.unit", "MiB"}});
  }
  device("uncore_upi_0", 40, "0,8", format);
  device("uncore_imc_free_running_0", 50, "0", {{"event", "config:0-7"}, {"umask", "config:8-15"}});
  const auto source = open_source(around_, "intel");
  kernel_->ns = second;
  count(31, 0x304, 8, 100'000'000);   // the second of four controllers of socket 1: its first node
  count(33, 0xf005, 8, 100'000'000);  // writes by the known code
  count(40, 0x0f03, 8, 900'000'000);
  const Bandwidths used = source->read(1);
  EXPECT_NEAR(used.memory[2], 6.4, 1e-6);
  EXPECT_NEAR(used.memory[3], 6.4, 1e-6);
  EXPECT_NEAR(used.in[2], 6.4, 1e-6);
  for (const auto& [descriptor, key] : kernel_->opened) EXPECT_NE(std::get<0>(key), 50U);
}

TEST_F(Sources, ResctrlTellsLocalAndOtherBytes) {
  for (int cpu = 0; cpu < 16; ++cpu)
    (void)folder_.line("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index3/id",
                       std::to_string(cpu / 4));
  const auto tell = [&](const std::string& group, int id, const std::string& total, const std::string& local) {
    const std::string at = "sys/fs/resctrl/" + group + "mon_data/mon_L3_0" + std::to_string(id) + "/";
    (void)folder_.line(at + "mbm_total_bytes", total);
    (void)folder_.line(at + "mbm_local_bytes", local);
  };
  tell("", 0, "1000", "0");
  tell("", 1, "Unavailable", "Unavailable");
  tell("own/", 0, "5000000000", "5000000000");
  const auto source = open_source(around_, "resctrl");
  source->read(10);
  tell("", 0, "4000001000", "2000000000");
  tell("own/", 0, "11000000000", "11000000000");
  const Bandwidths used = source->read(12);
  EXPECT_NEAR(used.memory[0], 4, 1e-6);  // 2 GB and 6 GB in two seconds
  EXPECT_NEAR(used.memory[2], 0.5, 1e-6);
  EXPECT_NEAR(used.memory[3], 0.5, 1e-6);
  EXPECT_NEAR(used.in[1], 1, 1e-6);
  EXPECT_NEAR(used.out[2], 1, 1e-6);
}

TEST_F(Sources, ARecordingIsPlayedOverAndOver) {
  const std::string text = traffic_heading(model_) + traffic_line({1, flow_on_buses(model_, sccl0, {1, 2, 3, 4})}) +
                           traffic_line({2, flow_on_buses(model_, sccl0, {5, 0, 0, 0})});
  const auto source = open_source(around_, "replay:" + folder_.file("traffic.csv", text));
  const auto read = [&](double at) { return source->read(at).memory; };
  EXPECT_EQ(read(100), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(read(101.5), (std::vector<double>{5, 0, 0, 0}));
  EXPECT_EQ(read(102.5), (std::vector<double>{1, 2, 3, 4}));
  const auto readings = recorded_traffic(model_, text, "it");
  EXPECT_NEAR(readings.at(0).used.out[2], 7, 1e-9);
}

TEST_F(Sources, ARecordingThatIsWrongIsAnErrorWithItsLine) {
  const auto refused = [&](const std::string& text) { return refusal("replay:" + folder_.file("wrong.csv", text)); };
  EXPECT_NE(refused("seconds\n").find("wrong.csv:1: it does not begin"), std::string::npos);
  EXPECT_NE(refused("# charm traffic 1\nseconds,memory:9\n").find("has no 'memory:9'"), std::string::npos);
  EXPECT_NE(refused("# charm traffic 1\nseconds,memory:0\n1,-3\n").find(":3: a value"), std::string::npos);
  EXPECT_NE(refused("# charm traffic 1\nseconds,memory:0\n2,3\n1,3\n").find(":4: the time"), std::string::npos);
  EXPECT_NE(refused("# charm traffic 1\nseconds,memory:0\n1,3,4\n").find(":3: there are more"), std::string::npos);
  EXPECT_NE(refused("# charm traffic 1\nseconds,memory:0\n").find("there is no reading"), std::string::npos);
}

TEST_F(Sources, WhereThereIsNoneEachSaysWhy) {
  around_.access.guest = true;
  const std::string none = refusal("auto");
  for (const char* part :
       {"amd: the kernel has no unit amd_df or amd_umc here (a virtual machine)",
        "intel: ", "hisilicon: ", "arm: ", "resctrl: no bandwidth monitoring is mounted", "charm malloc weights"})
    EXPECT_NE(none.find(part), std::string::npos) << none;
  device("hisi_sccl1_ddrc0", 11, "0", {{"event", "config:0-7"}});
  kernel_->error = EACCES;
  around_.access.paranoid = 4;
  EXPECT_NE(refusal("hisilicon").find("perf_event_paranoid is 4; it takes 0 or less"), std::string::npos);
  kernel_->error = EINVAL;
  EXPECT_NE(refusal("hisilicon").find("takes none of the events"), std::string::npos);
  EXPECT_NE(refusal("amdd").find("choose one of amd, intel"), std::string::npos);
  EXPECT_NE(refusal("replay").find("give replay:FILE"), std::string::npos);
  EXPECT_NE(refusal("amd:x").find("takes nothing behind a colon"), std::string::npos);
  EXPECT_NE(refusal("replay:/no/such").find("cannot be read"), std::string::npos);
}

TEST_F(Sources, AValueThatDoesNotFitItsBitsIsNoEvent) {
  device("amd_umc_10", 9, "0", {{"event", "config:0-7"}, {"rdwrmask", "config1:8-9"}});
  device("amd_umc_9", 8, "0", {{"event", "config:0-7"}});
  const auto devices = uncore_devices(folder_.root());
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].name, "amd_umc_9");  // by number
  EXPECT_EQ(encoded(devices[1], "event=0x0a,rdwrmask=0x2")->config, (std::array<std::uint64_t, 3>{0x0a, 0x200, 0}));
  EXPECT_FALSE(encoded(devices[1], "event=0x100"));
  EXPECT_FALSE(encoded(devices[1], "umask=1"));
  EXPECT_FALSE(encoded(devices[1], "event=ten"));
}

TEST_F(Sources, EveryRowBelongsToAKindOfSource) {
  for (const UncoreRow& row : uncore_rows()) {
    bool known = false;
    for (const SourceKind& kind : source_kinds()) known = known || kind.name == row.source;
    EXPECT_TRUE(known) << row.source;
    EXPECT_FALSE(row.origin.empty());
    EXPECT_GT(row.bytes, 0);
    EXPECT_EQ(row.count > 1, row.terms.find('%') != std::string_view::npos) << row.terms;
  }
}

}  // namespace charm::memory_traffic::test
