#include "sched/run/node_inbox.hpp"

#include "assertion.hpp"

namespace {

using charm::sched::ListedJob;
using charm::sched::NodeInbox;
using Left = NodeInbox::Left;

struct Nothing : ListedJob {
  Nothing() : ListedJob([](charm::detail::Job*) noexcept {}) {}
};

TEST(NodeInbox, TakesJobsOnlyWhereSomebodyServesIt) {
  NodeInbox inbox;
  Nothing job;
  EXPECT_FALSE(inbox.post(&job));
  EXPECT_TRUE(inbox.empty());
  inbox.join();
  EXPECT_TRUE(inbox.post(&job));
  EXPECT_EQ(inbox.pop(), &job);
  EXPECT_EQ(inbox.pop(), nullptr);
}

TEST(NodeInbox, WhoLeavesLearnsWhatIsLeftBehind) {
  NodeInbox inbox;
  Nothing job;
  for (int i = 0; i < 3; ++i) inbox.join();
  EXPECT_EQ(inbox.leave(), Left::nothing);
  ASSERT_TRUE(inbox.post(&job));
  EXPECT_EQ(inbox.leave(), Left::jobs_of_others);
  EXPECT_EQ(inbox.leave(), Left::unserved);
  EXPECT_EQ(inbox.pop(), &job) << "the last one can still move it";
}

TEST(NodeInbox, NamesEachGroupOnce) {
  NodeInbox inbox;
  for (const int group : {2, 1, 2}) inbox.add_group(group);
  EXPECT_EQ(inbox.groups(), (std::vector<int>{2, 1}));
}

TEST(NodeInboxDeathTest, OnlyMembersLeaveAndPush) {
  NEEDS_ASSERTIONS();
  NodeInbox inbox;
  Nothing job;
  EXPECT_ASSERTION(static_cast<void>(inbox.leave()), "only a member leaves");
  EXPECT_ASSERTION(inbox.push(&job), "a member serves what it pushes");
  EXPECT_ASSERTION(inbox.push(nullptr), "a member pushes a job");
  EXPECT_ASSERTION(static_cast<void>(inbox.post(nullptr)), "somebody posts a job");
}

}  // namespace
