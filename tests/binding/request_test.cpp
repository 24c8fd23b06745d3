// How many workers the settings ask for: the same for charm::init and for the commands.
#include "binding/request.hpp"

#include <gtest/gtest.h>

#include "base/notices.hpp"
#include "placement/machines.hpp"

namespace {

using charm::binding::placement_request;
using charm::binding::worker_count;

TEST(Request, AskedForNoNumberThereIsAWorkerForEachPhysicalCore) {
  charm::Machine machine = charm::test::uniform(1, 2, 4, 2);
  charm::base::Settings settings;
  EXPECT_EQ(worker_count(machine, settings), 8);
  settings.smt = charm::base::Smt::on;
  EXPECT_EQ(worker_count(machine, settings), 8) << "hardware threads are for those who ask for so many workers";
  machine.cpu_quota = 2.5;
  EXPECT_EQ(worker_count(machine, settings), 3);
  machine.cpu_quota = 0.2;
  EXPECT_EQ(worker_count(machine, settings), 1);
  machine.cpu_quota = 100;
  EXPECT_EQ(worker_count(machine, settings), 8);
  settings.workers = 12;
  EXPECT_EQ(worker_count(machine, settings), 12);
}

TEST(Request, WhereTheWidthDecidesThereIsAWorkerForEachHardwareThread) {
  charm::Machine machine = charm::test::uniform(1, 2, 4, 2);
  charm::base::Settings settings;
  settings.smt = charm::base::Smt::automatic;
  EXPECT_EQ(worker_count(machine, settings), 16);
  EXPECT_TRUE(placement_request(settings).smt);
  EXPECT_TRUE(settings.adapts_width());
  machine.cpu_quota = 2.5;
  EXPECT_EQ(worker_count(machine, settings), 3);
}

TEST(Request, TakesThePlacementFromTheSettings) {
  charm::base::Settings settings;
  settings.smt = charm::base::Smt::on;
  settings.share_cores = true;
  settings.spread = 3;
  settings.sockets = charm::base::SocketOrder::balance;
  const auto request = placement_request(settings);
  EXPECT_TRUE(request.smt);
  EXPECT_TRUE(request.share_cores);
  EXPECT_EQ(request.spread, 3);
  EXPECT_EQ(request.sockets, charm::placement::SocketOrder::balance);
}

TEST(Request, SaysThatWorkersBeyondAQuotaAreThrottled) {
  charm::Machine machine = charm::test::uniform(1, 2, 4);
  charm::base::Settings settings;
  settings.workers = 5;
  const std::size_t before = charm::base::notices().size();
  EXPECT_EQ(charm::binding::request_for(machine, settings).workers, 5);
  machine.cpu_quota = 4.5;
  (void)charm::binding::request_for(machine, settings);
  EXPECT_EQ(charm::base::notices().size(), before);
  machine.cpu_quota = 4;
  (void)charm::binding::request_for(machine, settings);
  ASSERT_EQ(charm::base::notices().size(), before + 1);
  EXPECT_NE(charm::base::notices().back().find("5 workers share a cgroup quota of 4"), std::string::npos);
}

}  // namespace
