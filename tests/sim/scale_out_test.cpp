// Many machines: messages and network against numbers worked out by hand, and against what must hold for any network.
#include "tools/sim/network/scale_out.hpp"

#include <charm/error.hpp>

#include <cmath>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "ranks/buffer.hpp"
#include "ranks/engine.hpp"
#include "workloads/ranks/outbox.hpp"

namespace charm::sim {
namespace {

constexpr Network endless{"endless", "", 0, 0, 1e15, 1e18, 1 << 30, 1, ""};

ScaleOutOptions weak_gups(int scale, int workers) {
  ScaleOutOptions options;
  options.scale = scale;
  options.workers = workers;
  options.weak = true;
  return options;
}

ScaleOutOptions free_messages(ScaleOutOptions options) {
  options.messaging.item_ns = 0;
  options.messaging.message_ns = 0;
  options.messaging.buffer_us = 0;
  return options;
}

struct Nobody {
  void receive(std::span<const std::uint64_t> /*items*/) {}
};

TEST(Messaging, HasTheSizesOfRemote) {
  const Messaging messaging;
  EXPECT_EQ(messaging.buffer_bytes, remote::Buffer::usual_bytes);
  EXPECT_EQ(messaging.buffer_head_bytes, sizeof(remote::WireHead));
  EXPECT_EQ(messaging.message_bytes, sizeof(remote::MessageHead) + sizeof(std::uintptr_t));
  EXPECT_EQ(messaging.item_bytes, sizeof(std::uint64_t));
  EXPECT_EQ(messaging.lot, (workloads::Outbox<std::uint64_t, Nobody>::most_items));
  EXPECT_EQ(messaging.waiting, remote::Engine::most_waiting);
  EXPECT_EQ(messaging.items_per_message(2), 128);
  EXPECT_EQ(messaging.items_per_message(64), 14);  // (1024 - 128) / 64
  EXPECT_EQ(messaging.items_per_message(2000), 1);
}

TEST(Messaging, HasTheWindowOfRemote) {
  for (const int workers : {1, 4, 64}) {
    for (const int machines : {2, 4, 64}) {
      ScaleOutOptions options = weak_gups(20, workers);
      const ScaleOut one = scale_out(model("epyc-7713"), endless, machines, options);
      options.messaging.window = remote::Engine::window_of(workers, machines);
      const ScaleOut other = scale_out(model("epyc-7713"), endless, machines, options);
      EXPECT_EQ(one.buffer_memory, other.buffer_memory);
      EXPECT_EQ(one.seconds, other.seconds);
    }
  }
}

TEST(ScaleOut, OfOneMachineIsTheMachine) {
  const Model machine = model("epyc-7713");
  const ScaleOut one = scale_out(machine, network("ethernet-10"), 1, weak_gups(24, 8));
  RunOptions options;
  options.seconds = 20;
  options.warm_up = 60;
  const RunResult here = run(machine, "gups:total_mb=128", "charm", 8, options);
  EXPECT_NEAR(one.throughput / here.throughput, 1, 1e-9);
  EXPECT_NEAR(one.efficiency, 1, 1e-9);
  EXPECT_EQ(one.limit(), Part::own_work);
  EXPECT_EQ(one.buffer_memory, 0);
  EXPECT_EQ(one.sent_bytes, 0);
}

TEST(ScaleOut, IsPerfectWhereTalkingCostsNothing) {
  const Model machine = model("epyc-7713");
  for (const char* workload : {"gups", "bfs"}) {
    ScaleOutOptions options = free_messages(weak_gups(22, 4));
    options.workload = workload;
    EXPECT_NEAR(scale_out(machine, endless, 64, options).efficiency, 1, 1e-9) << workload;
  }
}

// One worker each of 4 machines, 2^20 words: 2^22 updates each, three quarters of them sent, 2^20 to each of the
// others: 8,192 lots of 128, of which 15 fit a buffer (16 + 1,024 bytes each), in 547 buffers. So 3 * (8192 * 1040 +
// 547 * 8) bytes go through a wire of 1 MB/s.
TEST(ScaleOut, TakesAsLongAsTheWireDoes) {
  const Network wire{"wire", "", 0, 0, 1e-3, 1e18, 64, 1, ""};
  const ScaleOut four = scale_out(model("epyc-7713"), wire, 4, free_messages(weak_gups(20, 1)));
  const double bytes = 3 * (8192 * 1040.0 + 547 * 8);
  EXPECT_EQ(four.limit(), Part::adapter);
  EXPECT_DOUBLE_EQ(four.sent_bytes, bytes);
  EXPECT_NEAR(four.seconds, bytes / 1e6, 1e-6);
  EXPECT_NEAR(four.filled, bytes / 3 / 547 / 16384, 1e-9);
  EXPECT_EQ(four.items_per_message, 128);
  EXPECT_EQ(four.buffer_memory, 3 * 16384 * (1 + 2 + 2 * 8));
}

// The same with two switches of two machines and half of the bandwidth between them: two thirds of the bytes leave the
// switch, through .5 MB/s.
TEST(ScaleOut, FeelsAThinUpperLevel) {
  const Network thin{"thin", "", 0, 0, 1e-3, 1e18, 2, .5, ""};
  const ScaleOut four = scale_out(model("epyc-7713"), thin, 4, free_messages(weak_gups(20, 1)));
  EXPECT_EQ(four.limit(), Part::upper_switches);
  EXPECT_NEAR(four.seconds, four.sent_bytes * 2 / 3 / .5e6, 1e-6);
}

// What is measured of two ranks on two cores that are far from each other (docs/remote.md). A post for each update, on
// a table in the cache: 14.7 million updates a second and rank, and 88 of a worker by itself; half of them go to the
// other rank. A round of two buffers, and what runs of them, takes call() 1.3 us. In lots of 128, on a table of 2^23
// words: 85 million updates of two ranks, and 127.5 of two workers.
TEST(Messaging, CostsWhatWasMeasured) {
  const Messaging messaging;
  EXPECT_NEAR(messaging.message_ns, (1e3 / 14.7 - 1e3 / 88) / .5, 1);
  EXPECT_NEAR(messaging.buffer_us, 1.3 / 2, .01);
  EXPECT_NEAR(messaging.item_ns + messaging.message_ns / 128, 2 * (1e3 / 85 - 1e3 / 127.5) / .5, 1);
}

// A buffer holds 15 lots of 128 items. It occupies one of 8 places for 2 * 500 us, its own .65, and half of the time of
// its 8192 / 547 messages and their items; 547 of them go to each.
TEST(ScaleOut, WaitsForItsWindow) {
  const Network far{"far", "", 500, 0, 1e15, 1e18, 64, 1, ""};
  const ScaleOut four = scale_out(model("epyc-7713"), far, 4, weak_gups(20, 1));
  const double run_us = 8192 / 547.0 * (128 * 15 + 113) / 2 * 1e-3;
  EXPECT_NEAR(four.parts[static_cast<std::size_t>(Part::window)], 547 / 8.0 * (1000.65 + run_us) * 1e-6, 1e-9);
  // Two waves up and down a tree of two rounds.
  EXPECT_NEAR(four.parts[static_cast<std::size_t>(Part::steps)], 8 * 500.65e-6, 1e-12);
}

TEST(ScaleOut, OfTooSmallAProblemSendsEmptyBuffersAndStops) {
  ScaleOutOptions options;
  options.workload = "bfs";
  options.workers = 64;
  options.scale = 22;
  const auto points = scale_out(model("epyc-7713"), network("infiniband-hdr"), {64, 128, 256}, options);
  EXPECT_LT(points[2].filled, .02);
  EXPECT_LT(points[2].throughput / points[1].throughput, 1.5);
  EXPECT_EQ(points[2].limit(), Part::messages);
}

TEST(ScaleOut, OfABetterNetworkIsNeverSlower) {
  const Model machine = model("epyc-7713");
  rc::check("less latency, more bandwidth, cheaper messages", [&] {
    const int machines = 1 << *rc::gen::inRange(1, 9);
    const auto tenths = [] { return *rc::gen::inRange(1, 1000) / 10.0; };
    const Network network{"a",
                          "",
                          tenths(),
                          tenths(),
                          tenths(),
                          1e5 * tenths(),
                          *rc::gen::inRange(1, 64),
                          *rc::gen::inRange(1, 11) / 10.0,
                          ""};
    ScaleOutOptions options = weak_gups(*rc::gen::inRange(10, 24), *rc::gen::inRange(1, 65));
    options.workload = *rc::gen::element<std::string>("gups", "bfs");
    const ScaleOut before = scale_out(machine, network, machines, options);
    RC_ASSERT(before.filled <= 1 && before.filled > 0 && before.efficiency <= 1 + 1e-9);
    Network better = network;
    ScaleOutOptions cheaper = options;
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        better.latency_us /= 2;
        break;
      case 1:
        better.gb_per_s *= 2;
        break;
      case 2:
        better.messages_per_s *= 2;
        break;
      case 3:
        better.taper = 1;
        break;
      case 4:
        cheaper.messaging.message_ns /= 2;
        break;
      default:
        cheaper.messaging.window *= 2;
        break;
    }
    RC_ASSERT(scale_out(machine, better, machines, cheaper).throughput >= before.throughput * (1 - 1e-12));
  });
}

TEST(ScaleOut, SaysWhatItCannotDo) {
  const Model machine = model("epyc-7713");
  ScaleOutOptions options;
  options.workload = "sgd";
  EXPECT_THROW(scale_out(machine, endless, 2, options), Error);
  options.workload = "gups";
  options.workers = 65;
  EXPECT_THROW(scale_out(machine, endless, 2, options), Error);
  options.workers = 4;
  options.scale = 12;
  EXPECT_THROW(scale_out(machine, endless, 8, options), Error);
  EXPECT_THROW(network("token-ring"), Error);
}

}  // namespace
}  // namespace charm::sim
