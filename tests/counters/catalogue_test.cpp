// The catalogue: every row that libpfm can name is encoded alike there, every core of the paper's machines is found,
// and no model's rows count a source twice.
#include "counters/catalogue.hpp"

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "counters/event_text.hpp"
#include "os/perf/libpfm.hpp"

namespace charm::counters {
namespace {

/// The names between the bars; their masks are united.
std::vector<std::string> names_of(const EventRow& row) {
  std::vector<std::string> names;
  std::string all(row.libpfm);
  for (std::size_t start = 0; start <= all.size();) {
    const auto end = std::min(all.find('|', start), all.size());
    names.push_back(all.substr(start, end - start));
    start = end + 1;
  }
  return names;
}

TEST(Catalogue, EveryRowThatLibpfmKnowsIsEncodedAsItEncodesIt) {
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  if (!os::libpfm_available()) GTEST_SKIP() << "no libpfm here";
  std::map<std::string, int> compared;
  for (const EventRow& row : event_rows()) {
    if (row.libpfm.empty()) continue;
    Event united;
    bool known = true;
    for (const std::string& name : names_of(row)) {
      const os::NamedPerfEvent named = os::encode_libpfm_event(name);
      if (!named.event) {
        known = false;
        break;
      }
      united.type = named.event->type;
      united.config = named.event->config;
      united.config1 |= named.event->config1;
    }
    if (!known) continue;
    ++compared[std::string(row.model)];
    EXPECT_EQ(raw_text(united), raw_text(row.event)) << row.model << " " << row.name;
  }
  // Version 4.13 knows these; a newer one knows more. On a machine of another architecture it knows none of them.
#if defined(__x86_64__)
  for (const auto& [model, rows] : std::map<std::string, int>{
           {"zen2", 5}, {"zen3", 6}, {"zen4", 7}, {"skx", 6}, {"clx", 6}, {"icx", 8}, {"spr", 8}}) {
    EXPECT_GE(compared[model], rows) << model;
  }
#endif
}

TEST(Catalogue, KnowsTheCoresOfServers) {
  const auto name = [](const os::CpuIdentity& cpu) {
    const CpuModel* model = model_of(cpu);
    return model == nullptr ? "unknown" : std::string(model->name);
  };
  EXPECT_EQ(name({"amd", 0x17, 0x31, 0}), "zen2");
  EXPECT_EQ(name({"amd", 0x19, 0x01, 1}), "zen3");
  EXPECT_EQ(name({"amd", 0x19, 0x21, 0}), "zen3");
  EXPECT_EQ(name({"amd", 0x19, 0x11, 1}), "zen4");
  EXPECT_EQ(name({"amd", 0x19, 0xa0, 1}), "zen4");
  EXPECT_EQ(name({"amd", 0x1a, 0x02, 1}), "zen5");
  EXPECT_EQ(name({"intel", 6, 85, 4}), "skx");
  EXPECT_EQ(name({"intel", 6, 85, 7}), "clx");
  EXPECT_EQ(name({"intel", 6, 106, 6}), "icx");
  EXPECT_EQ(name({"intel", 6, 143, 8}), "spr");
  EXPECT_EQ(name({"intel", 6, 207, 2}), "emr");
  EXPECT_EQ(name({"intel", 6, 173, 1}), "gnr");
  EXPECT_EQ(name({"arm", 0x41, 0xd0c, 3}), "neoverse-n1");
  EXPECT_EQ(name({"arm", 0x41, 0xd4f, 0}), "neoverse-v2");
  EXPECT_EQ(name({"hisilicon", 0x48, 0xd01, 1}), "kunpeng920");
  EXPECT_EQ(name({"amd", 0x17, 0x01, 2}), "unknown");
  EXPECT_EQ(name({"intel", 6, 151, 2}), "unknown");
  EXPECT_EQ(name({}), "unknown");
}

TEST(Catalogue, HasNoCoreTwice) {
  for (const CpuModel& a : cpu_models()) {
    for (const CpuModel& b : cpu_models()) {
      if (&a == &b || a.vendor != b.vendor || a.family != b.family) continue;
      const bool apart = a.last_model < b.first_model || b.last_model < a.first_model ||
                         a.last_stepping < b.first_stepping || b.last_stepping < a.first_stepping;
      EXPECT_TRUE(apart) << a.name << " and " << b.name;
    }
  }
}

TEST(Catalogue, EveryRowBelongsToAModelAndSaysWhereItComesFrom) {
  std::set<std::string> with_rows;
  for (const EventRow& row : event_rows()) {
    EXPECT_NE(model_named(row.model), nullptr) << row.model;
    EXPECT_FALSE(row.origin.empty()) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    EXPECT_TRUE(row.covers.has(row.source)) << row.model << " " << row.name;
    with_rows.insert(std::string(row.model));
  }
  for (const CpuModel& model : cpu_models()) EXPECT_TRUE(with_rows.contains(std::string(model.name))) << model.name;
}

TEST(Catalogue, CountsNoSourceInTwoSums) {
  for (const CpuModel& model : cpu_models()) {
    for (const Shape& shape : {Shape{1, 1, 1}, Shape{2, 2, 2}, Shape{4, 4, 1}, Shape{8, 8, 2}, Shape{3, 2, 2}}) {
      std::map<FillSource, FillSet> classes;
      for (const EventRow* row : rows_for(model, shape)) {
        if (row->use != EventRow::Use::on_request && !row->minus) classes[row->source].add(row->covers);
      }
      FillSet seen;
      for (const auto& [source, covers] : classes) {
        for (const FillSource one : all_fill_sources) {
          EXPECT_FALSE(seen.has(one) && covers.has(one)) << model.name << " " << name(one);
        }
        seen.add(covers);
      }
      EXPECT_TRUE(seen.has(FillSource::local_dram)) << model.name;
      EXPECT_EQ(seen.has(FillSource::remote_dram), shape.nodes > 1) << model.name;
    }
  }
}

TEST(Catalogue, TellsIntelsDiesApartOnlyWithSubNumaClustering) {
  const auto counted_other = [](const Shape& shape) {
    FillSet told;
    for (const EventRow* row : rows_for(*model_named("spr"), shape)) {
      if (row->covers == FillSet{row->source}) told.add(row->source);
    }
    return told.has(FillSource::other_chiplet) && told.has(FillSource::own_chiplet);
  };
  EXPECT_FALSE(counted_other({2, 2, 2}));
  EXPECT_TRUE(counted_other({4, 4, 1}));
  EXPECT_FALSE(counted_other({3, 2, 2})) << "a CXL node is no cluster";
}

}  // namespace
}  // namespace charm::counters
