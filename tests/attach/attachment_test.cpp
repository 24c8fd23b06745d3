// A program that is steered beside others: what it asks of the table of shares, and which cores it has of it.
#include "attach/attachment.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "attach/steered_program.hpp"
#include "steering/masks.hpp"

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
    around.tell = [](const std::string& text) { ADD_FAILURE() << text; };
    auto lease = std::make_unique<charm::lease::Lease>((folder_ / "shares").string(), machine, 100, 16, around);
    attachment = std::make_unique<Attachment>(program, charm::test::plan_on(machine, "local"), 0, machine.allowed_cpus,
                                              false, std::move(lease), nullptr, 0);
  }
  void pass(double seconds) {
    for (const double end = now + seconds; now < end; now += 0.01) {
      program.pass(0.01);
      if (now >= due) due = attachment->step(now);
    }
  }
  [[nodiscard]] charm::CoreCpuSet holds() const { return attachment->lease()->standing().holds; }

  charm::Machine machine = charm::test::uniform(1, 4, 4);
  FakeProgram program{machine.allowed_cpus};
  std::unique_ptr<Attachment> attachment;
  double now = 0, due = 0;

 private:
  std::filesystem::path folder_;
};

TEST_F(Attachments, AProgramAsksForACoreAWorkerAndForOneWhenItIsIdle) {
  std::vector<int> threads;
  for (int i = 0; i < 5; ++i) threads.push_back(program.start(1.0));
  begin();
  EXPECT_EQ(holds().size(), 16U) << "until it is known what it is";
  pass(6);
  EXPECT_EQ(holds().size(), 5U);
  for (const int thread : threads) program.at(thread).share = 0;
  pass(10);
  EXPECT_EQ(holds().size(), 1U);
}

TEST_F(Attachments, ChildrenThatAreLeftToThemselvesAreNotLeftWithoutCores) {
  const int own = program.start(0.02);
  for (int i = 0; i < 6; ++i) program.at(program.start(1.0, own, 2)).followed = false;
  begin();
  pass(10);
  EXPECT_EQ(holds().size(), 6U);
  for (const auto& [id, thread] : program.all)
    EXPECT_EQ(thread.mask, charm::steering::cpus_of_cores(machine, holds())) << id.thread;
}

TEST_F(Attachments, ACoreThatAProgramWithoutALeaseKeepsBusyIsExchanged) {
  for (int i = 0; i < 3; ++i) program.start(1.0);
  begin();
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
    EXPECT_TRUE(thread.mask.is_subset_of(charm::steering::cpus_of_cores(machine, holds())));
  EXPECT_EQ(program.collisions, 0);
}

}  // namespace
