#include "sched/run/loan.hpp"

#include <thread>

#include "assertion.hpp"

namespace {

using charm::fiber::Fiber;
using charm::sched::Loan;
using Then = Loan::Then;

const auto busy = [] { return true; };
const auto nobody = [] { return false; };

TEST(Loan, AGuestIsSeenFromShowToHide) {
  Loan loan;
  Fiber stack;
  loan.begin();
  EXPECT_FALSE(loan.guest_waits());
  loan.show_guest(stack);
  EXPECT_TRUE(loan.guest_waits());
  const Fiber* seen = nullptr;
  loan.with_guest([&](const Fiber& guest) { seen = &guest; });
  EXPECT_EQ(seen, &stack);
  loan.hide_guest();
  loan.with_guest([](const Fiber&) { ADD_FAILURE() << "it has gone"; });
  loan.end();
  loan.wait_for_end();
}

TEST(Loan, AsksForASearchOnceWhereSomebodyIsBusy) {
  Loan loan;
  EXPECT_EQ(loan.after(nobody), Then::nothing);
  EXPECT_FALSE(loan.search_is_due());
  EXPECT_EQ(loan.after(busy), Then::ring);
  EXPECT_TRUE(loan.search_is_due());
  EXPECT_EQ(loan.after(busy), Then::nothing);  // the own thread knows
  EXPECT_TRUE(loan.search_is_due());
}

TEST(Loan, HandsTheWorkerOverWhenASearchIsOverdue) {
  Loan loan;
  ASSERT_EQ(loan.after(busy), Then::ring);
  loan.search_is_overdue();
  EXPECT_EQ(loan.after(busy), Then::wake);
  EXPECT_EQ(loan.after(busy), Then::ring);  // and begins anew
  loan.searches();
  EXPECT_FALSE(loan.search_is_due());
}

TEST(LoanDeathTest, OnlyTheHomeThreadBorrows) {
  NEEDS_ASSERTIONS();
  EXPECT_ASSERTION(
      {
        Loan loan;
        std::thread([&] { loan.begin(); }).join();
      },
      "only the thread that called init borrows worker 0");
}

TEST(LoanDeathTest, OneLoanAndOneGuestAtATime) {
  NEEDS_ASSERTIONS();
  Loan loan;
  Fiber stack;
  EXPECT_ASSERTION(loan.show_guest(stack), "a guest has borrowed the worker");
  EXPECT_ASSERTION(loan.end(), "only a loan that has begun ends");
  EXPECT_ASSERTION(loan.hide_guest(), "a guest that is hidden was shown");
  EXPECT_ASSERTION(static_cast<void>(loan.guest()), "a worker that is lent has a guest");
  loan.begin();
  EXPECT_ASSERTION(loan.begin(), "worker 0 is lent once at a time");
  loan.show_guest(stack);
  EXPECT_ASSERTION(loan.show_guest(stack), "there is one guest at a time");
  EXPECT_ASSERTION(loan.end(), "the guest's stack is hidden before its loan ends");
}

TEST(LoanDeathTest, OnlyASearchThatWasAskedForIsOverdue) {
  NEEDS_ASSERTIONS();
  Loan loan;
  EXPECT_ASSERTION(loan.search_is_overdue(), "only a search that was asked for becomes overdue");
}

}  // namespace
