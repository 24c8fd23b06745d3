// Recordings read back what was written, and a file that is none is refused with the line that is wrong.
#include "counters/recording.hpp"

#include <charm/error.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/folder.hpp"
#include "counters/fake_perf.hpp"
#include "counters/software.hpp"

namespace charm::counters {
namespace {

const std::string header = recording_header({});

Recording parse(const std::string& text) {
  std::istringstream in(text);
  return read_recording(in, "file");
}

std::string complaint_about(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

struct TemporaryFile {
  test::Folder folder;
  std::string path;
  explicit TemporaryFile(const std::string& text) : path(folder.file("recording.csv", text)) {}
};

RC_GTEST_PROP(Recording, ReadsBackWhatWasWritten, ()) {
  Reading reading;
  const auto number = [] { return *rc::gen::arbitrary<std::uint64_t>(); };
  const auto fill_in = [&](bool& has, std::uint64_t& value) {
    has = *rc::gen::arbitrary<bool>();
    if (has) value = number();
  };
  reading.time_ns = number();
  fill_in(reading.has.instructions, reading.instructions);
  fill_in(reading.has.cycles, reading.cycles);
  for (const FillSource source : all_fill_sources) {
    bool has = false;
    fill_in(has, reading.fills[index(source)]);
    if (has) reading.has.fills.add(source);
  }
  fill_in(reading.has.page_faults, reading.page_faults);
  fill_in(reading.has.migrations, reading.migrations);
  fill_in(reading.has.waiting, reading.waiting_ns);
  reading.counted_share = *rc::gen::inRange(0, 1000) / 1000.0;
  const int worker = *rc::gen::inRange(0, 1000);
  const Recording recording = parse(header + recording_line(worker, reading));
  const Reading& back = recording.workers.at(worker).front();
  RC_ASSERT(back.time_ns == reading.time_ns);
  RC_ASSERT(back.instructions == reading.instructions);
  RC_ASSERT(back.cycles == reading.cycles);
  RC_ASSERT(back.fills == reading.fills);
  RC_ASSERT(back.page_faults == reading.page_faults);
  RC_ASSERT(back.migrations == reading.migrations);
  RC_ASSERT(back.waiting_ns == reading.waiting_ns);
  RC_ASSERT(back.has == reading.has);
  RC_ASSERT(back.counted_share == reading.counted_share);
}

TEST(Recording, KeepsWhatItsNumbersMean) {
  Description description;
  description.classes = {
      {FillSource::own_chiplet, {FillSource::own_chiplet, FillSource::other_chiplet}, "both: a sum"}};
  const Recording recording = parse(recording_header(description) + recording_line(0, {}));
  ASSERT_EQ(recording.classes.size(), 1U);
  EXPECT_EQ(recording.classes[0].covers, description.classes[0].covers);
  EXPECT_EQ(recording.classes[0].meaning, "both: a sum");
  const FillSet three = {FillSource::own_chiplet, FillSource::remote_cache, FillSource::other};
  description.classes = {{FillSource::own_chiplet, three, "three"}};
  EXPECT_EQ(parse(recording_header(description) + recording_line(0, {})).classes.at(0).covers, three);
}

TEST(Recording, SaysWhichLineIsWrong) {
  EXPECT_NE(complaint_about("").find("file:1: this is no recording"), std::string::npos);
  EXPECT_NE(complaint_about("time,worker\n").find("file:1"), std::string::npos);
  EXPECT_NE(complaint_about(header).find("no reading"), std::string::npos);
  EXPECT_NE(complaint_about(header + "1,0,5\n").find("file:4: there are 3 columns"), std::string::npos);
  EXPECT_NE(complaint_about(header + "1,0,5,6\n").find("file:4: there are 4 columns"), std::string::npos);
  EXPECT_NE(complaint_about(header + "1,pressure,5\n").find("file:4: there are 3 columns"), std::string::npos);
  EXPECT_NE(complaint_about(header + "1,0,x,,,,,,,,,,,,1\n").find("'x' is no whole number"), std::string::npos);
  EXPECT_NE(complaint_about(header + "1,0,,,,,,,,,,,,,1.5\n").find("not between 0 and 1"), std::string::npos);
  EXPECT_NE(complaint_about(header + "1,0,,,,,,,,,,,,,.5x\n").find("not between 0 and 1"), std::string::npos);
  EXPECT_NE(complaint_about(header + "1,0,,,,,,,,,,,,,-.5\n").find("not between 0 and 1"), std::string::npos);
  EXPECT_EQ(complaint_about(header + "1,65535,,,,,,,,,,,,,1\n"), "");
  EXPECT_NE(complaint_about(header + "1,65536,,,,,,,,,,,,,1\n").find("worker 65536 is not below"), std::string::npos);
  EXPECT_NE(complaint_about(header + "2,0,5,,,,,,,,,,,,1\n3,0,4,,,,,,,,,,,,1\n").find("goes back"), std::string::npos);
  EXPECT_NE(complaint_about("# charm counters 1\n# class l9: l9: x\n").find("no class"), std::string::npos);
  EXPECT_NE(complaint_about("# charm counters 1\nt,w\n").find("the columns are not"), std::string::npos);
}

TEST(Replay, GivesEachWorkerItsLinesInProportionToTheTime) {
  const TemporaryFile file(
      header + "100,0,0,,,,,,,,,,,,1\n200,0,1000,,,,,,,,,,,,1\n100,1,0,,,,,,,,,,,,1\n200,1,60,,,,,,,,,,,,1\n");
  FakeMachine machine;
  const auto source = replay_source(file.path, Pace::clock, machine.around().clock);
  const auto first = source->open_for_this_thread(0);
  const auto second = source->open_for_this_thread(1);
  const auto third = source->open_for_this_thread(2);
  EXPECT_EQ(first->read().instructions, 0U);
  *machine.time += 25;
  EXPECT_EQ(first->read().instructions, 250U);
  EXPECT_EQ(second->read().instructions, 15U);
  EXPECT_EQ(third->read().instructions, 250U) << "more workers than were recorded take lines in turn";
  *machine.time += 1000;
  EXPECT_EQ(first->read().instructions, 1000U) << "behind the end nothing more happens";
  EXPECT_EQ(first->read().time_ns, 1125U);
  EXPECT_FALSE(first->read().has.cycles);
}

TEST(Replay, DividesEveryNumberByItself) {
  const TemporaryFile file(header + "100,0,1000,2000,0,10,20,30,40,50,60,70,80,90,.5\n" +
                           "200,0,1100,2200,300,410,520,630,740,850,960,1070,1180,1290,1\n");
  FakeMachine machine;
  const auto source = replay_source(file.path, Pace::clock, machine.around().clock);
  const auto thread = source->open_for_this_thread(0);
  (void)thread->read();
  *machine.time += 25;
  const Reading reading = thread->read();
  EXPECT_EQ(reading.instructions, 1025U);
  EXPECT_EQ(reading.cycles, 2050U);
  const std::uint64_t fills[] = {75, 110, 145, 180, 215, 250, 285};
  for (std::size_t i = 0; i < fill_sources; ++i) EXPECT_EQ(reading.fills[i], fills[i]) << i;
  EXPECT_EQ(reading.page_faults, 320U);
  EXPECT_EQ(reading.migrations, 355U);
  EXPECT_EQ(reading.waiting_ns, 390U);
  EXPECT_EQ(reading.counted_share, 1);
}

TEST(Recording, KeepsThePressure) {
  const Recording recording = parse(header + recording_line(0, {}) + recording_line(150, Pressure{7, 8, true}));
  ASSERT_EQ(recording.pressure.size(), 1U);
  EXPECT_EQ(recording.pressure[0].time_ns, 150U);
  EXPECT_EQ(recording.pressure[0].pressure.cpu_us, 7U);
  EXPECT_EQ(recording.pressure[0].pressure.memory_us, 8U);
  EXPECT_TRUE(recording.pressure[0].pressure.known);
}

TEST(Pressure, IsThatOfCpusAndMemory) {
  const test::Folder folder;
  EXPECT_FALSE(read_pressure(folder.path("")).known);
  std::filesystem::create_directories(folder.path("proc/pressure"));
  folder.file("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=123\n");
  folder.file("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=45\n");
  const Pressure pressure = read_pressure(folder.path(""));
  EXPECT_TRUE(pressure.known);
  EXPECT_EQ(pressure.cpu_us, 123U);
  EXPECT_EQ(pressure.memory_us, 45U);
}

TEST(Replay, BeginsWithTheFirstLineOfAnyWorker) {
  const TemporaryFile file(header + "200,0,0,,,,,,,,,,,,1\n300,0,100,,,,,,,,,,,,1\n" +
                           "100,1,0,,,,,,,,,,,,1\n300,1,200,,,,,,,,,,,,1\n");
  FakeMachine machine;
  const auto source = replay_source(file.path, Pace::clock, machine.around().clock);
  EXPECT_EQ(source->describe().name, "replay of " + file.path);
  const auto late = source->open_for_this_thread(0);
  const auto early = source->open_for_this_thread(1);
  *machine.time += 50;
  EXPECT_EQ(late->read().instructions, 0U) << "its first line is still to come";
  EXPECT_EQ(early->read().instructions, 50U);
  *machine.time += 100;
  EXPECT_EQ(late->read().instructions, 50U);
  EXPECT_EQ(early->read().instructions, 150U);
}

TEST(Replay, OfALongRecordingHasEachLineOnce) {
  const TemporaryFile file("");
  FakeMachine machine;
  constexpr std::size_t readings = 5000;  // some times 64 KiB
  {
    auto hardware = try_hardware(model_named("zen4"), {2, 2, 2}, {}, machine.around());
    const auto source = recording_source(std::move(hardware.source), file.path);
    const auto thread = source->open_for_this_thread(0);
    for (std::size_t i = 0; i < readings; ++i) {
      machine.pass(1000);
      thread->read();
    }
  }
  std::ifstream in(file.path);
  EXPECT_EQ(read_recording(in, "file").workers.at(0).size(), readings);
}

TEST(Replay, ByLinesGivesALineAReading) {
  const TemporaryFile file(header + "100,0,5,,,,,,,,,,,,1\n200,0,7,,,,,,,,,,,,.5\n");
  const auto source = replay_source(file.path, Pace::lines, [] { return std::uint64_t{0}; });
  const auto thread = source->open_for_this_thread(0);
  EXPECT_EQ(thread->read().instructions, 5U);
  EXPECT_EQ(thread->read().counted_share, .5);
  EXPECT_EQ(thread->read().instructions, 7U);
}

TEST(Replay, OfARecordingIsWhatWasRecorded) {
  const TemporaryFile file("");
  FakeMachine machine;
  {
    auto hardware = try_hardware(model_named("zen2"), {2, 2, 2}, {}, machine.around());
    const auto source = recording_source(std::move(hardware.source), file.path);
    const auto thread = source->open_for_this_thread(3);
    for (std::uint64_t i = 1; i <= 3; ++i) {
      machine.perf->counter(4, 0x243)->value = 10 * i;
      machine.pass(1000);
      thread->read();
    }
  }
  const auto source = replay_source(file.path, Pace::lines, machine.around().clock);
  EXPECT_EQ(source->describe().kind, Description::Kind::replay);
  EXPECT_FALSE(told_apart(source->describe().classes).has(FillSource::own_chiplet));
  EXPECT_TRUE(source->describe().has.fills.has(FillSource::own_chiplet));
  const auto thread = source->open_for_this_thread(3);
  EXPECT_EQ(thread->read().fill(FillSource::own_chiplet), 10U);
  EXPECT_EQ(thread->read().fill(FillSource::own_chiplet), 20U);
  EXPECT_EQ(thread->read().fill(FillSource::own_chiplet), 30U);
}

}  // namespace
}  // namespace charm::counters
