// Many machines: messages and network against numbers worked out by hand, and against what must hold for any network.
#include "sim/network/scale_out.hpp"

#include <charm/error.hpp>

#include <cmath>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "remote/buffer.hpp"
#include "remote/engine.hpp"

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
  options.messaging.message_ns = 0;
  options.messaging.buffer_us = 0;
  return options;
}

TEST(Messaging, HasTheSizesOfRemote) {
  const Messaging messaging;
  EXPECT_EQ(messaging.buffer_bytes, remote::Buffer::usual_bytes);
  EXPECT_EQ(messaging.buffer_head_bytes, sizeof(remote::WireHead));
  EXPECT_EQ(messaging.message_bytes, sizeof(remote::MessageHead) + sizeof(std::uint64_t));
  EXPECT_EQ(messaging.waiting, remote::Engine::most_waiting);
  EXPECT_EQ(messaging.messages_per_buffer(), 1023);  // (16384 - 8) / 16
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
// others: 1,026 buffers of at most 1,023. So 16 * 3 * 2^20 + 8 * 3 * 1026 bytes go through a wire of 1 MB/s.
TEST(ScaleOut, TakesAsLongAsTheWireDoes) {
  const Network wire{"wire", "", 0, 0, 1e-3, 1e18, 64, 1, ""};
  const ScaleOut four = scale_out(model("epyc-7713"), wire, 4, free_messages(weak_gups(20, 1)));
  const double bytes = 16 * 3 * 1048576.0 + 8 * 3 * 1026;
  EXPECT_EQ(four.limit(), Part::adapter);
  EXPECT_DOUBLE_EQ(four.sent_bytes, bytes);
  EXPECT_NEAR(four.seconds, bytes / 1e6, 1e-6);
  EXPECT_NEAR(four.filled, 1048576.0 / 1026 / 1023, 1e-9);
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

// A buffer of 1,021 messages of 100 ns occupies one of 8 places for 2 * 500 + 2 + 51.05 us; 1,028 of them go to each.
// What is measured of two ranks on two cores (docs/remote.md): 9.0 million updates a second and rank on a table in the
// cache, of which a rank by itself does 35.1; half of them go to the other rank.
TEST(Messaging, CostsWhatWasMeasured) { EXPECT_NEAR(Messaging().message_ns, (1e3 / 9.0 - 1e3 / 35.1) / .5, 1); }

TEST(ScaleOut, WaitsForItsWindow) {
  const Network far{"far", "", 500, 0, 1e15, 1e18, 64, 1, ""};
  ScaleOutOptions options = weak_gups(20, 1);
  options.messaging.message_ns = 100;
  const ScaleOut four = scale_out(model("epyc-7713"), far, 4, options);
  const double run_us = 1048576.0 / 1026 * .05;
  EXPECT_NEAR(four.parts[static_cast<std::size_t>(Part::window)], 1026 / 8.0 * (1002 + run_us) * 1e-6, 1e-9);
  // Two waves up and down a tree of two rounds.
  EXPECT_NEAR(four.parts[static_cast<std::size_t>(Part::steps)], 8 * 502e-6, 1e-12);
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
