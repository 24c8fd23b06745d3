// Every template of the public headers is used here, since compilers say most about a template where it is used. This
// is only compiled.
#pragma once

template class charm::combinable<std::vector<int>>;
template class charm::channel<std::string>;
template class charm::counting_semaphore<>;
template class charm::task_barrier<>;
template class charm::task<int>;
template class charm::task<void>;
template class charm::future<int>;
template class charm::future<void>;
template class charm::task_local<int>;
template class charm::near<double>;
template class charm::interleaved<double>;
template class charm::partitioned<double>;
template class charm::replicated<double>;
template class charm::global_array<short>;
template class charm::global_ptr<short>;
template class charm::IdSet<charm::detail::CpuKind>;

namespace uses {

using namespace std::chrono_literals;

inline charm::task<int> one() { co_return 1; }
inline charm::task<void> none() {
  co_await charm::schedule();
  co_return;
}
inline charm::task<int> sum() {
  auto [a, nothing] = co_await charm::when_all(one(), none());
  (void)nothing;
  auto first = co_await charm::when_any(one(), none());
  (void)first;
  std::vector<charm::task<int>> some;
  some.push_back(one());
  const std::vector<int> all = co_await charm::when_all(std::move(some));
  std::vector<charm::task<int>> others;
  others.push_back(one());
  const auto any = co_await charm::when_any(std::move(others));
  (void)any;
  co_return a + all[0] + co_await charm::async([] { return 1; });
}

inline void algorithms() {
  std::vector<unsigned char> small(100);
  std::vector<double> large(100);
  std::vector<std::string> words(100);
  charm::parallel_for(0, 10, [](int) {}, {.schedule = charm::Schedule::static_});
  charm::parallel_for(std::size_t{0}, small.size(), [&](std::size_t low, std::size_t high) {
    for (; low < high; ++low) small[low] = 1;
  });
  charm::parallel_for(static_cast<unsigned char>(0), static_cast<unsigned char>(9), [](unsigned char) {});
  charm::parallel_for(std::int64_t{0}, std::int64_t{9}, [](std::int64_t) {}, {.schedule = charm::Schedule::affine});
  charm::parallel_for(charm::range2d{0, 3, 0, 4}, [](std::int64_t, std::int64_t) {});
  charm::parallel_for(charm::range2d{0, 3, 0, 4}, [](int, int) {});
  charm::parallel_for(charm::range2d{0, 3, 0, 4}, [](std::size_t, unsigned char) {});
  charm::parallel_for(charm::range2d{0, 3, 0, 4}, [](const charm::range2d&) {}, {.rows = 2});
  charm::parallel_for_each(large, [](double& x) { x = 1; });
  std::map<int, int> map;
  charm::parallel_for_each(map, [](auto& pair) { pair.second = 1; });
  charm::parallel_transform(large, large.begin(), [](double x) { return x; });
  (void)charm::parallel_reduce(
      0, 10, 0L, [](int low, int high, long x) { return x + high - low; }, [](long a, long b) { return a + b; });
  (void)charm::parallel_reduce(std::size_t{0}, small.size(), std::uint64_t{0},
                               [&](std::size_t low, std::size_t high, std::uint64_t x) {
                                 for (; low < high; ++low) x += small[low];
                                 return x;
                               },
                               std::plus<>(), {.deterministic = true});
  (void)charm::parallel_reduce(large, 0.0);
  (void)charm::parallel_reduce(small, 0U);
  (void)charm::parallel_transform_reduce(words, std::size_t{0}, std::plus<>(), &std::string::size);
  charm::inclusive_scan(large, large.begin());
  charm::exclusive_scan(large, large.begin(), 0.0);
  charm::inclusive_scan(small.begin(), small.end(), small.begin(),
                        [](unsigned char a, unsigned char b) { return static_cast<unsigned char>(a + b); });
  charm::sort(small);
  charm::sort(words, std::greater<>());
  charm::stable_sort(large);
  charm::stable_sort(words.begin(), words.end());
  charm::first_touch(std::span<double>(large));
  charm::first_touch(large.size(), [](std::size_t, std::size_t) {});
  charm::first_touch(large.size(), [](int, int) {});
  charm::combinable<std::vector<int>> parts([] { return std::vector<int>(3); });
  parts.local().push_back(1);
  parts.combine_each([](std::vector<int>&) {});
  (void)parts.combine([](std::vector<int> a, const std::vector<int>&) { return a; });
}

inline void tasks() {
  charm::init({.workers = 2});
  (void)charm::run([] { return 1; });
  charm::run([] {});
  charm::invoke([] {}, [] {}, [] {});
  charm::task_group group;
  group.run(charm::named("one", [] {}));
  group.wait();
  charm::async_scope scope;
  scope.spawn([] {});
  scope.spawn(one());
  scope.join();
  charm::future<int> a = charm::async([] { return 1; });
  charm::future<void> b = charm::async([] {});
  (void)charm::wait_any(a, b);
  (void)charm::wait_any_for(1ms, a, b);
  std::stop_source source;
  (void)charm::wait_any(source.get_token(), a, b);
  std::vector<charm::future<int>> several;
  (void)charm::wait_any(several);
  (void)charm::call(0, [] { return 1; });
  (void)charm::call_async(charm::on_chiplet{0}, [] {}).valid();
  charm::call_detached(charm::on_node{0}, [] {});
  charm::call_detached(charm::on_address{&a}, [] {});
  charm::run_detached([] {});
  charm::all_do([](int) {});
  charm::all_do([](std::size_t) {});
  charm::arena arena({.workers = 1, .name = "one"});
  (void)arena.execute([] { return 1; });
  (void)arena.async([] { return 1; }).get();
  arena.run_detached([] {});
  (void)charm::sync_wait(sum());
  charm::sync_wait(none());
  const charm::task_local<std::string> local;
  local.with("word", [] {});
  const charm::CpuSet set(std::vector<int>{1, 2});
  const std::vector<int> ids{1, 2};
  const charm::CpuSet same(ids.begin(), ids.end());
  (void)(set == same);
  charm::task_graph graph("graph");
  auto [x, y] = graph.emplace([] {}, [](charm::subgraph& inside) { inside.emplace([] {}); });
  charm::make_edge(x, y);
  graph.run_until([] { return true; });
  charm::memory_resource memory;
  const std::pmr::vector<int> numbers(3, &memory);
}

inline void waits() {
  std::stop_source source;
  const std::stop_token stop = source.get_token();
  charm::mutex mutex;
  std::unique_lock lock(mutex);
  charm::condition_variable condition;
  condition.wait(lock, [] { return true; });
  condition.wait(lock, stop, [] { return true; });
  (void)condition.wait_for(lock, 1ms);
  (void)condition.wait_for(lock, 1ms, [] { return true; });
  (void)condition.wait_until(lock, std::chrono::system_clock::now() + 1h);
  (void)mutex.try_lock_for(0.5s);
  charm::channel<int> numbers(4);
  charm::channel<std::string> lines(0);
  std::string line;
  charm::select(charm::recv_from(numbers, [](std::optional<int>) {}), charm::send_to(lines, line, [](bool) {}),
                charm::after(1ms, [] {}), charm::stopped_by(stop, [] {}));
  charm::select(charm::send_to(numbers, 3), charm::otherwise([] {}));
  std::vector<charm::channel<int>*> all{&numbers};
  (void)charm::recv_any(std::span<charm::channel<int>* const>(all));
  (void)charm::recv_any_for(1ms, std::span<charm::channel<int>* const>(all));
  (void)numbers.try_recv_for(1ms);
  int value = 3;
  (void)numbers.try_send_for(value, 1ms);
  charm::binary_semaphore semaphore(1);
  (void)semaphore.try_acquire_for(1ms);
  charm::latch latch(2);
  (void)latch.wait_for(1ms);
  charm::task_barrier barrier(2, []() noexcept {});
  (void)barrier.wait_for(barrier.arrive(), 1ms);
  charm::sleep_for(1ms);
  (void)charm::sleep_for(1ms, stop);
  charm::sleep_until(std::chrono::steady_clock::now());
  (void)charm::blocking([] { return 1; });
}

inline void ranks() {
  (void)charm::remote::call(
      1, [](int x, std::span<const double> all) { return x + static_cast<int>(all.size()); }, 1,
      std::span<const double>(std::vector<double>(2)));
  (void)charm::remote::call(charm::remote::on_worker{1, 0}, [] { return 1; });
  (void)charm::remote::call_async(charm::remote::on_node{1, 0}, [] {});
  charm::remote::post(0, [](double) {}, 0.5);
  charm::remote::call_detached(0, [] {});
  (void)charm::remote::reduce(1, std::plus<>());
  (void)charm::remote::broadcast(0.5, 0);
  charm::remote::parallel_for(0, 9, [](std::int64_t) {}, {.steal = true});
  charm::remote::parallel_for(0, 9, [](int) {});
  charm::remote::all_do([](int) {}, 1);
  const auto array = charm::gmalloc<short>(100, charm::GlobalLayout::cyclic);
  charm::remote::for_each_local(array, [](std::size_t, short& x) { x = 1; });
  charm::remote::for_each_local(array, [](int, short& x) { x = 1; });
  charm::remote::write(array[1], short{2});
  charm::remote::write(array[1], std::vector<short>(2));
  (void)charm::remote::read(array[1]);
  (void)charm::remote::read_async(array[1]);
  (void)charm::remote::fetch_add(array[1], short{2});
  charm::remote::add(array[1], short{2});
  short expected = 1;
  (void)charm::remote::compare_exchange(array[1], expected, short{2});
  charm::remote::run_tasks<int>(std::span<const int>(),
                                [](int task, charm::remote::MoreTasks<int>& more) { more.add(task); });
}

}  // namespace uses
