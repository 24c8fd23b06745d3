// From whom a worker of the running runtime steals: all other workers have work and are kept from it, so that one thief
// takes everything, and the tasks tell in which order.
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

constexpr int all_workers = 8;
constexpr int tasks_each = 6;

/// The workers that the thief stole from, one for each task, in order.
std::vector<int> stolen_by(int thief) {
  std::atomic<int> there{0}, ready{0};
  std::atomic<bool> go{false}, done{false};
  std::vector<int> order;  // the thief's alone
  std::atomic<int> elsewhere{0}, left{(all_workers - 1) * tasks_each};
  const auto wait_for = [](const std::atomic<bool>& flag) {
    while (!flag) std::this_thread::sleep_for(std::chrono::microseconds(200));
  };
  std::vector<std::thread> callers;
  for (int worker = 0; worker < all_workers; ++worker) {
    callers.emplace_back([&, worker] {
      charm::call(worker, [&] {
        // Nobody has work before all are kept from taking any.
        ++there;
        while (there < all_workers) std::this_thread::sleep_for(std::chrono::microseconds(200));
        if (worker == thief) {
          ++ready;
          return wait_for(go);
        }
        charm::task_group group;
        for (int i = 0; i < tasks_each; ++i) {
          group.run([&, worker] {
            if (charm::worker_id() == thief)
              order.push_back(worker);
            else
              ++elsewhere;
            if (--left == 0) done = true;
          });
        }
        ++ready;
        wait_for(done);
        group.wait();
      });
    });
  }
  while (ready < all_workers) std::this_thread::sleep_for(std::chrono::microseconds(200));
  go = true;
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(elsewhere, 0);
  return order;
}

TEST(StealingOrder, ThiefEmptiesItsChipletThenPrefersItsSocket) {
  charm::Config config;
  config.workers = all_workers;
  config.topology = "pack:2 numa:1 l3:2 core:2 pu:1";
  config.policy = "local";
  config.counters = "none";
  charm::init(config);
  const auto cores = charm::worker_cores();
  int own_socket_first = 0, rounds = 0;
  for (int round = 0; round < 24; ++round) {
    const int thief = round % all_workers;
    const auto& its = cores[static_cast<std::size_t>(thief)];
    const auto order = stolen_by(thief);
    ASSERT_EQ(order.size(), static_cast<std::size_t>((all_workers - 1) * tasks_each));
    const auto neighbours =
        std::count_if(cores.begin(), cores.end(), [&](const auto& c) { return c.chiplet == its.chiplet; });
    const auto near = static_cast<std::size_t>((neighbours - 1) * tasks_each);
    ASSERT_EQ(near, static_cast<std::size_t>(tasks_each)) << "two workers on each chiplet";
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool on_its_chiplet = cores[static_cast<std::size_t>(order[i])].chiplet == its.chiplet;
      EXPECT_EQ(on_its_chiplet, i < near) << "task " << i << " of thief " << thief << " came from worker " << order[i];
    }
    ++rounds;
    own_socket_first += cores[static_cast<std::size_t>(order[near])].socket == its.socket ? 1 : 0;
  }
  EXPECT_GT(own_socket_first * 2, rounds) << "of the first steals beyond the chiplet";
  charm::finalize();
}

}  // namespace
