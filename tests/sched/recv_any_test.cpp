// recv_any(): the first of a number of channels that is known at run time only.
#include <charm/charm.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;
using charm::channel;

class ReceiveAny : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, ReceiveAny, testing::Values(1, 2, 4));

TEST_P(ReceiveAny, ReceivesFromAnyNumberOfChannels) {
  std::vector<std::unique_ptr<channel<int>>> channels;
  std::vector<channel<int>*> all;
  for (int i = 0; i < 100; ++i) all.push_back(channels.emplace_back(std::make_unique<channel<int>>()).get());
  std::vector<charm::future<void>> senders;
  for (int i = 0; i < 100; ++i) {
    senders.push_back(charm::async([&channels, i] {
      channels[static_cast<std::size_t>(i)]->send(i);
      channels[static_cast<std::size_t>(i)]->close();
    }));
  }
  std::set<int> values;
  const auto receive_all = [&] {
    while (!all.empty()) {
      const auto [index, value] = charm::recv_any(std::span<channel<int>* const>(all));
      if (value)
        EXPECT_TRUE(values.insert(*value).second);
      else
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
    }
  };
  if (GetParam() % 2 == 0)
    charm::run(receive_all);
  else
    receive_all();  // in this thread
  EXPECT_EQ(values.size(), 100U);
  for (auto& sender : senders) sender.get();
}

TEST_P(ReceiveAny, ReceivesFromNoneWhereThereIsNoneOrNoTime) {
  channel<int> empty;
  channel<int>* const one[] = {&empty};
  EXPECT_FALSE(charm::recv_any_for(1ms, std::span<channel<int>* const>(one)).has_value());
  EXPECT_THROW(charm::recv_any(std::span<channel<int>* const>()), charm::Error);
}

}  // namespace
