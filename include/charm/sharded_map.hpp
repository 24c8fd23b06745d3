// A map for many tasks at once, whose parts lie in the memory of the chiplets.
#pragma once

#include <charm/call.hpp>
#include <charm/error.hpp>
#include <charm/future.hpp>
#include <charm/memory_resource.hpp>
#include <charm/mutex.hpp>
#include <charm/per_chiplet.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace charm {

/// A hash map that any number of tasks and threads may use at once. Each key belongs to one chiplet (`chiplet_of`),
/// whose node's memory has its entry; within a chiplet keys are divided among several parts, with a lock each. A call
/// locks the part of its key, so what the callers pass in must not use the same map.
///
/// Any task may call everything from anywhere. Work whose data is large is better sent to the data: call() runs a
/// function on the key's chiplet, and for_each_local() visits all entries, each on its chiplet.
template <class Key, class Value, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
class sharded_map {
 public:
  /// On the chiplets that have workers now; on all where workers are not bound. \throws Error (not_running).
  sharded_map() : owners_(chiplets_with_workers()) {
    if (owners_.empty()) {
      for (const auto& chiplet : machine().chiplets) owners_.push_back(chiplet.id);
    }
  }

  /// Adds an entry if there is none with this key. \return whether it did.
  bool insert(const Key& key, Value value) {
    return locked(key, [&](Entries& entries) { return entries.try_emplace(key, std::move(value)).second; });
  }
  /// A copy of the value; nothing if there is none.
  [[nodiscard]] std::optional<Value> find(const Key& key) {
    return locked(key, [&](Entries& entries) -> std::optional<Value> {
      const auto found = entries.find(key);
      if (found == entries.end()) return {};
      return found->second;
    });
  }
  /// Calls `f(value)` under the lock, and returns what it returns; a key without an entry gets one first, with a
  /// Value().
  template <class F>
  auto update(const Key& key, F&& f) -> std::decay_t<std::invoke_result_t<F&, Value&>> {
    return locked(key, [&](Entries& entries) { return f(entries[key]); });
  }
  /// Calls `f(value)` under the lock if there is an entry. \return whether there was.
  template <class F>
  bool visit(const Key& key, F&& f) {
    return locked(key, [&](Entries& entries) {
      const auto found = entries.find(key);
      if (found == entries.end()) return false;
      f(found->second);
      return true;
    });
  }
  /// Removes an entry. \return whether there was one.
  bool erase(const Key& key) {
    return locked(key, [&](Entries& entries) { return entries.erase(key) != 0; });
  }
  /// How many entries there are; while others add and remove, how many there were at some time in each part.
  [[nodiscard]] std::size_t size() {
    std::size_t all = 0;
    each_part([&](Entries& entries) { all += entries.size(); });
    return all;
  }
  /// Removes all entries.
  void clear() {
    each_part([](Entries& entries) { entries.clear(); });
  }

  /// The chiplet that the key belongs to, an index in Machine::chiplets.
  [[nodiscard]] int chiplet_of(const Key& key) const { return owners_[mix(key) % owners_.size()]; }
  /// Runs `f` as a task on the key's chiplet, waits for it, and returns its value or rethrows its exception; as
  /// charm::call(), but on any worker if the chiplet has none any more.
  template <class F>
  auto call(const Key& key, F&& f) -> std::invoke_result_t<F&> {
    auto answer = start_on(chiplet_of(key), [&f]() -> std::invoke_result_t<F&> { return f(); });
    answer.wait();  // also where the caller is cancelled: `f` may refer to its variables
    return answer.get();
  }
  /// Calls `f(key, value)` for every entry, each on a worker of its chiplet, the parts in parallel; an entry that is
  /// added meanwhile may be left out. Under the part's lock.
  template <class F>
  void for_each_local(F&& f) {
    std::vector<future<void>> visits;
    visits.reserve(owners_.size() * parts_of_chiplet);
    std::exception_ptr not_started;
    try {
      for (const int owner : owners_) {
        for (Part& part : shards_.on(owner).parts) {
          visits.push_back(start_on(owner, [&part, &f] {
            const std::lock_guard lock(part.mutex);
            for (auto& [key, value] : part.entries) f(std::as_const(key), value);
          }));
        }
      }
    } catch (...) {
      not_started = std::current_exception();
    }
    for (auto& visit : visits) visit.wait();  // all, before an exception leaves: they refer to `f`
    if (not_started) std::rethrow_exception(not_started);
    for (auto& visit : visits) visit.get();
  }

 private:
  using Entries = std::pmr::unordered_map<Key, Value, Hash, Equal>;
  static constexpr std::size_t parts_of_chiplet = 16;
  struct alignas(64) Part {
    explicit Part(std::pmr::memory_resource* memory) : entries(memory) {}
    charm::mutex mutex;
    Entries entries;
  };
  struct Shard {
    explicit Shard(int chiplet) : memory(on_node{machine().chiplets[static_cast<std::size_t>(chiplet)].node}) {
      for (std::size_t p = 0; p < parts_of_chiplet; ++p) parts.emplace_back(&memory);
    }
    memory_resource memory;
    std::pmr::deque<Part> parts{&memory};
  };

  /// Spreads hashes that are the keys themselves.
  [[nodiscard]] static std::uint64_t mix(const Key& key) {
    std::uint64_t x = static_cast<std::uint64_t>(Hash()(key)) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 32)) * 0xbf58476d1ce4e5b9;
    return x ^ (x >> 29);
  }
  template <class F>
  auto locked(const Key& key, F&& f) {
    const std::uint64_t hash = mix(key);
    Part& part = shards_.on(owners_[hash % owners_.size()]).parts[(hash >> 32) % parts_of_chiplet];
    const std::lock_guard lock(part.mutex);
    return f(part.entries);
  }
  template <class F>
  void each_part(F&& f) {
    for (const int owner : owners_) {
      for (Part& part : shards_.on(owner).parts) {
        const std::lock_guard lock(part.mutex);
        f(part.entries);
      }
    }
  }
  template <class F>
  static auto start_on(int chiplet, F f) {
    try {
      return call_async(on_chiplet{chiplet}, f);
    } catch (const Error& error) {  // the controller has given its workers other chiplets
      if (error.code() != Errc::bad_input) throw;
    }
    return async(f);
  }

  std::vector<int> owners_;
  per_chiplet<Shard> shards_{[](int chiplet) { return Shard(chiplet); }};
};

}  // namespace charm
