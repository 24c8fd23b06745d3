// From Taskflow to CHARM. What it is in Taskflow is in the comments.
#include <charm/charm.hpp>
#include <charm/task_graph.hpp>

#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  charm::init();  // tf::Executor executor;

  std::string order;              // tf::Taskflow taskflow;
  charm::mutex mutex;             //
  charm::task_graph graph;        //
  const auto note = [&](char c) {
    const std::lock_guard lock(mutex);
    order += c;
  };
  auto [a, b, c, d] = graph.emplace([&] { note('a'); }, [&] { note('b'); }, [&] { note('c'); }, [&] { note('d'); });
  a.precede(b, c);  // the same, as is emplace()
  d.succeed(b, c);  // the same
  graph.run();      // executor.run(taskflow).wait();
  graph.run();      // again

  // taskflow.for_each(...), executor.run(...).wait():
  std::vector<int> values(1000, 1);
  charm::parallel_for_each(values, [](int& value) { value = 2; });

  // executor.async(...), std::future:
  auto answer = charm::async([] { return 6 * 7; });

  // A dynamic task (tf::Subflow) is any task: it may fork, spawn and wait.
  std::atomic<int> children{0};
  charm::run([&] {
    charm::task_group group;
    for (int i = 0; i < 10; ++i) group.run([&] { ++children; });
    group.wait();
  });
  const bool right = answer.get() == 42 && charm::all_of(values, [](int value) { return value == 2; }) && children == 10;
  charm::finalize();
  std::printf("%s\n", order.c_str());
  const auto once = [&](std::size_t at) {
    return order[at] == 'a' && order[at + 3] == 'd' && order.substr(at + 1, 2).find('b') != std::string::npos;
  };
  return right && order.size() == 8 && once(0) && once(4) ? 0 : 1;
}
