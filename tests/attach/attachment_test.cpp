// A program that is steered beside others: what it asks of the table of shares, and which cores it has of it.
#include "tools/attach/attachment.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "attach/steered_program.hpp"
#include "binding/masks.hpp"

namespace {

using charm::attach::Attachment;
using charm::test::FakeProgram;

class Attachments : public testing::Test {
 protected:
  Attachments() {
    std::string name = testing::TempDir() + "charm_attachment_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~Attachments() override { std::filesystem::remove_all(folder_); }

  /// After the program's threads have been started.
  void begin() {
    charm::lease::LeaseContext around;
    around.self = {100, 1};
    around.now_ms = [this] { return static_cast<std::int64_t>(now * 1000) + 1; };
    around.alive = [](const charm::os::ProcessIdentity&) { return true; };
    around.report = [](const std::string& text) { ADD_FAILURE() << text; };
    auto lease = std::make_unique<charm::lease::Lease>((folder_ / "shares").string(), machine, 100, 16, around);
    attachment = std::make_unique<Attachment>(program, charm::test::plan_on(machine, "local"), 0, machine.allowed_cpus,
                                              false, std::move(lease), nullptr, 0);
  }
  /// Another program that can use as many cores, and looks at the table as it should.
  void begin_another(int wants) {
    charm::lease::LeaseContext around;
    around.self = {200, 1};
    around.now_ms = [this] { return static_cast<std::int64_t>(now * 1000) + 1; };
    around.alive = [](const charm::os::ProcessIdentity&) { return true; };
    around.report = [](const std::string& text) { ADD_FAILURE() << text; };
    another = std::make_unique<charm::lease::Lease>((folder_ / "shares").string(), machine, 100, wants, around);
    another_wants = wants;
  }
  void pass(double seconds) {
    for (const double end = now + seconds; now < end; now += 0.01) {
      if (each_moment) each_moment();
      program.pass(0.01);
      const bool hears = program.tells_news() && now >= attachment->thread_placer().next_look();
      if (now >= due || hears) due = attachment->step(now);
      if (another) another->give_back(another->look(another_wants).give_up);
    }
  }
  /// Keeps so many children there that compute for three hundredths of a second and are followed by the next, as
  /// `xargs -P` does.
  void keep_short_children(int count) {
    each_moment = [this, count, moment = 0, next = 100]() mutable {
      if (moment++ % 3 != 0) return;
      for (const int child : short_children) program.end(child);
      short_children.clear();
      for (int i = 0; i < count; ++i) {
        const int child = program.start(1.0, first, next++);
        program.at(child).followed = false;
        short_children.push_back(child);
      }
    };
  }
  [[nodiscard]] charm::CoreCpuSet holds() const { return attachment->lease()->standing().holds; }

  charm::Machine machine = charm::test::uniform(1, 4, 4);
  FakeProgram program{machine.allowed_cpus};
  std::unique_ptr<Attachment> attachment;
  std::unique_ptr<charm::lease::Lease> another;
  int another_wants = 0;
  std::function<void()> each_moment;
  std::vector<int> short_children;
  int first = 1;
  double now = 0, due = 0;

 private:
  std::filesystem::path folder_;
};

TEST_F(Attachments, OneAloneHasAllWhateverItDoes) {
  const int one = program.start(1.0);
  begin();
  EXPECT_EQ(holds().size(), 16U);
  pass(10);
  EXPECT_EQ(holds().size(), 16U) << "with one busy thread";
  program.at(one).share = 0;
  pass(10);
  EXPECT_EQ(holds().size(), 16U) << "idle";
  EXPECT_EQ(program.at(one).mask, machine.allowed_cpus);
}

TEST_F(Attachments, BesideAnotherItAsksForACoreAWorkerAndForOneWhenItIsIdle) {
  std::vector<int> threads;
  for (int i = 0; i < 5; ++i) threads.push_back(program.start(1.0));
  begin();
  begin_another(16);
  EXPECT_EQ(holds().size(), 16U) << "the other has come a moment ago";
  pass(6);
  EXPECT_EQ(holds().size(), 5U);
  for (const int thread : threads) program.at(thread).share = 0;
  pass(4);
  EXPECT_EQ(holds().size(), 5U) << "a pause";
  pass(6);
  EXPECT_EQ(holds().size(), 1U);
  for (const int thread : threads) program.at(thread).share = 1;
  pass(1);
  EXPECT_EQ(holds().size(), 5U);
}

TEST_F(Attachments, ProcessesThatLastForAMomentCountAsMuchAsAWorker) {
  first = program.start(0.02);
  begin();
  begin_another(16);
  keep_short_children(6);
  program.cpus_worth = 1;  // they queue, and the cpu time is that of one
  pass(10);
  EXPECT_EQ(holds().size(), 6U);
  keep_short_children(3);
  program.cpus_worth = 100;
  pass(10);
  EXPECT_EQ(holds().size(), 3U);
}

TEST_F(Attachments, BurstsEveryThreeSecondsKeepTheirCores) {
  std::vector<int> threads;
  for (int i = 0; i < 6; ++i) threads.push_back(program.start(0.0));
  begin();
  begin_another(16);
  std::size_t fewest = 16;
  for (int burst = 0; burst < 5; ++burst) {
    for (const int thread : threads) program.at(thread).share = 1;
    pass(0.5);
    for (const int thread : threads) program.at(thread).share = 0;
    pass(3);
    if (burst > 0) fewest = std::min(fewest, holds().size());
  }
  EXPECT_EQ(fewest, 6U);
}

TEST_F(Attachments, ChildrenThatAreLeftToThemselvesAreNotLeftWithoutCores) {
  const int own = program.start(0.02);
  for (int i = 0; i < 6; ++i) program.at(program.start(1.0, own, 2)).followed = false;
  begin();
  begin_another(16);
  pass(10);
  EXPECT_EQ(holds().size(), 6U);
  for (const auto& [id, thread] : program.all)
    EXPECT_EQ(thread.mask, charm::binding::cpus_of_cores(machine, holds())) << id.thread;
}

TEST_F(Attachments, ACoreThatAProgramWithoutALeaseKeepsBusyIsExchanged) {
  for (int i = 0; i < 3; ++i) program.start(1.0);
  begin();
  begin_another(4);
  pass(6);
  const auto before = holds();
  ASSERT_EQ(before.size(), 3U);
  program.others[before.front()] = 1;
  pass(10);
  EXPECT_EQ(holds().size(), 3U);
  EXPECT_FALSE(holds().contains(before.front()));
  std::set<int> chiplets;
  for (const int core : holds()) chiplets.insert(core / 4);
  EXPECT_EQ(chiplets.size(), 1U) << "one on the same chiplet was quiet";
  for (const auto& [id, thread] : program.all)
    EXPECT_TRUE(thread.mask.is_subset_of(charm::binding::cpus_of_cores(machine, holds())));
  EXPECT_EQ(program.collisions, 0);
}

}  // namespace
