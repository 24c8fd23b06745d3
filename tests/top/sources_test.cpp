// Where top's figures come from: /proc, and what a program tells of its controller.
#include <charm/charm.hpp>

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "tools/top/controller_state.hpp"
#include "tools/top/sampler.hpp"
#include "top/machines.hpp"
#include "trace/decision_file.hpp"

namespace {

using namespace charm;
using namespace charm::top;

using charm::test::Folder;

// ---- /proc ----

std::string stat_of(int id, const std::string& name, int ticks, int threads, int started, int cpu) {
  std::string text = std::to_string(id) + " (" + name + ") S 1 1 1 0 -1 0 5 0 2 0 " + std::to_string(ticks) +
                     " 0 0 0 20 0 " + std::to_string(threads) + " 0 " + std::to_string(started);
  for (int field = 23; field < 39; ++field) text += " 0";
  return text + " " + std::to_string(cpu) + " 0 0\n";
}

TEST(Sampler, LooksAtTheThreadsOfAProcessUntilItEnds) {
  Folder root;
  root.file("proc/stat", "cpu0 100 0 100 800 0 0 0 0\n");
  root.file("proc/42/stat", stat_of(42, "a (b) c", 30, 2, 555, 0));
  root.file("proc/42/task/42/stat", stat_of(42, "a (b) c", 10, 2, 555, 0));
  root.file("proc/42/task/43/stat", stat_of(43, "helper", 20, 2, 556, 3));
  root.file("proc/42/task/43/schedstat", "1500000000 250000000 12\n");
  Sampler sampler(Machine::from("pack:1 l3:1 core:4 pu:1"), 42, false, "none were asked for", root.root());
  EXPECT_EQ(sampler.program(), "a (b) c");
  const Sample sample = sampler.sample();
  ASSERT_EQ(sample.threads.size(), 2U);
  EXPECT_EQ(sample.threads[1].name, "helper");
  EXPECT_EQ(sample.threads[1].cpu, 3);
  EXPECT_DOUBLE_EQ(sample.threads[1].cpu_s, 1.5);
  EXPECT_DOUBLE_EQ(*sample.threads[1].waiting_s, 0.25);
  EXPECT_EQ(sample.threads[1].page_faults, 7U);
  EXPECT_FALSE(sample.threads[0].waiting_s);
  EXPECT_EQ(sample.cpus.size(), 1U);
  EXPECT_FALSE(sample.ended);
  root.file("proc/42/stat", stat_of(42, "another", 1, 1, 999, 0));
  EXPECT_TRUE(sampler.sample().ended) << "its number is another's now";
  EXPECT_THROW(Sampler(Machine::from("pack:1 l3:1 core:1 pu:1"), 77, false, "", root.root()), Error);
}

TEST(Sampler, OfTheMachineKeepsWhoSleeps) {
  Folder root;
  root.file("proc/42/stat", stat_of(42, "asleep", 30, 1, 5, 0));
  root.file("proc/42/task/42/stat", stat_of(42, "asleep", 30, 1, 5, 0));
  root.file("proc/50/stat", stat_of(50, "busy", 30, 1, 6, 1));
  root.file("proc/50/task/50/stat", stat_of(50, "busy", 30, 1, 6, 1));
  Sampler sampler(Machine::from("pack:1 l3:1 core:4 pu:1"), 0, false, "", root.root());
  EXPECT_EQ(sampler.sample().threads.size(), 2U);
  std::filesystem::remove_all(root.path("proc/42/task"));
  root.file("proc/50/stat", stat_of(50, "busy", 60, 1, 6, 1));
  root.file("proc/50/task/50/stat", stat_of(50, "busy", 60, 1, 6, 1));
  const Sample sample = sampler.sample();
  EXPECT_EQ(sample.processes, 2);
  EXPECT_EQ(sample.threads_of_all, 2);
  ASSERT_EQ(sample.threads.size(), 2U) << "a process that has not run is not looked into, and not forgotten";
}

/// Process `pid`, a child of `parent`, with two arguments and an owner.
void put_process(const Folder& root, int pid, int parent, const std::string& name, int ticks,
                 const std::string& children) {
  const std::string folder = "proc/" + std::to_string(pid) + "/";
  std::string stat = stat_of(pid, name, ticks, 1, 100 + pid, 0);
  stat.replace(stat.find(" S 1 "), 5, " S " + std::to_string(parent) + " ");
  const std::string resident = " 0 0 0";  // the second of the zeros behind the start is the resident set
  stat.replace(stat.find(resident, stat.rfind(std::to_string(100 + pid))), resident.size(), " 0 25 0");
  root.file(folder + "stat", stat);
  root.file(folder + "task/" + std::to_string(pid) + "/stat", stat);
  root.file(folder + "task/" + std::to_string(pid) + "/children", children);
  root.file(folder + "cmdline", std::string("/bin/") + name + std::string(1, '\0') + "-x\n" + std::string(1, '\0'));
  root.file(folder + "status", "Name:\tx\nUid:\t3000000001\t3000000000\t0\t0\n");
}

TEST(Sampler, KnowsWhoseAProcessIsHowItWasCalledAndItsFamily) {
  Folder root;
  put_process(root, 42, 1, "make", 10, "50 51 ");
  put_process(root, 50, 42, "sh", 10, "60");
  put_process(root, 51, 42, "cc", 10, "");
  put_process(root, 60, 50, "sleep", 10, "");
  put_process(root, 70, 1, "stranger", 10, "");
  const Machine machine = Machine::from("pack:1 l3:1 core:4 pu:1");
  Sampler sampler(machine, 42, false, "", root.root());
  Sample sample = sampler.sample();
  ASSERT_EQ(sample.by_process.size(), 1U) << "alone, as long as nobody asks for its family";
  EXPECT_EQ(sample.by_process[0].command, "/bin/make -x?");
  EXPECT_EQ(sample.by_process[0].user, "3000000000") << "a number, where the system knows no name";
  EXPECT_EQ(sample.by_process[0].view.parent, 1);
  EXPECT_EQ(sample.by_process[0].view.resident_bytes, 25 * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  sampler.with_family(true);
  Watch watch(machine, 42, "make");
  watch.next(sampler.sample());
  put_process(root, 60, 50, "sleep", 60, "");
  sample = sampler.sample();
  ASSERT_EQ(sample.by_process.size(), 4U);
  EXPECT_EQ(sample.by_process[3].view.pid, 60);
  sample.at_s += 1;  // the interval is a second and a little
  const Snapshot snapshot = watch.next(sample);
  EXPECT_EQ(snapshot.by_process[0].busy, 0);
  EXPECT_NEAR(snapshot.by_process[3].busy, 0.5, 0.1) << "50 ticks";
  EXPECT_EQ(snapshot.by_process[3].parent, 50);
  Sampler of_all(machine, 0, false, "", root.root());
  EXPECT_EQ(of_all.sample().by_process.size(), 5U);
}

TEST(Sampler, ReadsACommandLineAgainWhenTheProcessHasRun) {
  Folder root;
  put_process(root, 42, 1, "sh", 10, "");
  Sampler sampler(Machine::from("pack:1 l3:1 core:4 pu:1"), 0, false, "", root.root());
  EXPECT_EQ(sampler.sample().by_process.at(0).command, "/bin/sh -x?");
  root.file("proc/42/cmdline", "not read");
  EXPECT_EQ(sampler.sample().by_process.at(0).command, "/bin/sh -x?") << "it sleeps";
  put_process(root, 42, 1, "python3", 11, "");
  EXPECT_EQ(sampler.sample().by_process.at(0).command, "/bin/python3 -x?");
}

TEST(Sampler, SeesThisProcess) {
  Sampler sampler(Machine::from("pack:1 l3:1 core:4 pu:1"), getpid(), true, "");
  const Sample sample = sampler.sample();
  EXPECT_FALSE(sample.threads.empty());
  Snapshot snapshot;
  sampler.complete(snapshot);
  EXPECT_EQ(snapshot.why_no_fills.empty(), !sample.by_thread.empty());
}

// ---- what a program tells of its controller ----

TEST(DecisionFile, TellsTheLatestDecisionsAndGoesWithTheProgram) {
  Folder folder;
  const auto self = os::process(getpid());
  ASSERT_TRUE(self);
  {
    trace::DecisionFile file("adaptive", 4, folder.path("charm"));
    ASSERT_EQ(file.error(), "");
    auto controller = read_controller_state(*self, folder.path("charm"));
    ASSERT_TRUE(controller);
    EXPECT_EQ(controller->policy, "adaptive");
    EXPECT_EQ(controller->workers, 4);
    EXPECT_EQ(controller->spread, -1);
    for (int i = 0; i < 2000; ++i) {
      file.append(R"({"time_s": )" + std::to_string(i) +
                  R"(, "from": 1, "to": 2, "reason": "because\tof \u001b[31m it"})");
    }
    controller = read_controller_state(*self, folder.path("charm"));
    ASSERT_TRUE(controller);
    EXPECT_EQ(controller->decisions, 2000U);
    EXPECT_EQ(controller->latest.size(), trace::DecisionFile::kept_lines);
    EXPECT_EQ(controller->latest.back().time, 1999);
    EXPECT_EQ(controller->latest.back().reason, "because of  [31m it");
    EXPECT_EQ(controller->spread, 2);
    EXPECT_LE(std::filesystem::file_size(file.path()), trace::DecisionFile::most_bytes);
    const auto rights = std::filesystem::status(file.path()).permissions();
    EXPECT_EQ(rights, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    file.append("{\"reason\": \"" + std::string(100000, 'x') + "\"}");
    EXPECT_LE(std::filesystem::file_size(file.path()), trace::DecisionFile::most_bytes);
  }
  EXPECT_FALSE(read_controller_state(*self, folder.path("charm")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("charm")));
}

TEST(DecisionFile, IsNotBelievedWhereItIsNotOfThisProcess) {
  os::ProcessView process;
  process.pid = 42;
  process.started = 555;
  const std::string header = R"({"charm_decisions": 1, "pid": 42, "started": 555, "before": 3})";
  EXPECT_EQ(parse_decision_file(header + "\n", process)->decisions, 3U);
  EXPECT_FALSE(parse_decision_file(R"({"charm_decisions": 1, "pid": 42, "started": 554})", process))
      << "an older process's";
  EXPECT_FALSE(parse_decision_file(R"({"charm_decisions": 1, "pid": 43, "started": 555})", process));
  EXPECT_FALSE(parse_decision_file("", process));
  EXPECT_FALSE(parse_decision_file("[1, 2", process));
  const auto odd =
      parse_decision_file(header + "\n7\nnonsense\n{\"time_s\": \"x\", \"to\": 1e300}\n{\"time_s\": 1, \"fro", process);
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->latest.size(), 1U);
}

TEST(DecisionFile, SweepsAwayWhatTheKilledLeftBehind) {
  Folder folder;
  folder.file("charm/2000000000.decisions", "");
  folder.file("charm/1.decisions", "");
  folder.file("charm/leases", "");
  const trace::DecisionFile file("", 0, folder.path("charm"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("charm/2000000000.decisions")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("charm/1.decisions"))) << "its process is there";
  EXPECT_TRUE(std::filesystem::exists(folder.path("charm/leases"))) << "it is no decision file";
}

TEST(DecisionFile, SaysWhereItCannotBeOpened) {
  Folder folder;
  folder.file("file", "");
  EXPECT_NE(trace::DecisionFile("", 0, folder.path("file")).error().find("not a folder"), std::string::npos);
  EXPECT_NE(trace::DecisionFile("", 0, folder.path("no/where")).error(), "");
  trace::DecisionFile nowhere("", 0, folder.path("no/where"));
  nowhere.append("{}");
}

TEST(Pages, AreThoseOfAProcessOrOfTheMachine) {
  const Folder folder;
  (void)folder.file("proc/42/numa_maps",
                    "7f00 interleave:0-1 anon=4 N0=3 N1=1 kernelpagesize_kB=4\n8f00 default file=/x N1=2 "
                    "kernelpagesize_kB=2048\n");
  (void)folder.line("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 100 kB\nNode 0 MemUsed:   60 kB");
  const Machine machine = Machine::from("pack:1 numa:2 l3:1 core:1 pu:1");
  PageWatch process(machine, 42, folder.root());
  EXPECT_EQ(process.bytes_by_node(), (std::map<int, std::uint64_t>{{0, 3 * 4096}, {1, 4096 + 2 * 2097152}}));
  PageWatch whole(machine, 0, folder.root());
  EXPECT_EQ(whole.bytes_by_node(), (std::map<int, std::uint64_t>{{0, 60 * 1024}}));
  PageWatch gone(machine, 43, folder.root());
  EXPECT_TRUE(gone.bytes_by_node().empty());
}

}  // namespace
