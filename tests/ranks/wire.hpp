// A network for tests: the ranks are engines of one process, and buffers go through queues, as late and as mixed as a
// seed says. Between two ranks they keep their order, as MPI's messages do.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ranks/buffer.hpp"
#include "ranks/engine.hpp"
#include "ranks/transport.hpp"

namespace charm::remote {

class Wire {
 public:
  Wire(int ranks, std::uint64_t seed) : random_(seed), ranks_(static_cast<std::size_t>(ranks)), ends_(ranks_) {
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      End& end = ends_[rank];
      end.from.resize(ranks_);
      end.transport = std::make_unique<AtEnd>(*this, static_cast<int>(rank));
    }
  }
  ~Wire() {
    for (End& end : ends_)
      for (auto& queue : end.from)
        for (Buffer* buffer : queue) end.pool.give(buffer);
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  Transport& transport(int rank) { return *end(rank).transport; }
  BufferPool& pool(int rank) { return end(rank).pool; }
  /// A share of the polls find nothing although something has come.
  void delay(double share) {
    const std::lock_guard guard(mutex_);
    delay_ = share;
  }
  /// Nothing reaches the rank until this is called with false.
  void sleep(int rank, bool asleep) {
    const std::lock_guard guard(mutex_);
    end(rank).asleep = asleep;
  }
  /// What one rank sends to another stays on the way.
  void hold(int from, int to, bool held) {
    const std::lock_guard guard(mutex_);
    end(to).held = held ? from : -1;
  }
  /// Whether the rank waits for the others in a collective.
  bool joined(int rank) {
    const std::lock_guard guard(mutex_);
    return end(rank).gathering.step != nullptr;
  }
  /// The rank has died: all others hear of it.
  void kill(int rank) {
    const std::lock_guard guard(mutex_);
    for (std::size_t other = 0; other < ranks_; ++other)
      if (other != static_cast<std::size_t>(rank)) ends_[other].lost.push_back(rank);
  }
  /// The most buffers with messages that ever lay between two ranks.
  std::size_t most_between() {
    const std::lock_guard guard(mutex_);
    return most_between_;
  }

 private:
  struct Gathering {
    Collective* step = nullptr;
    const void* mine = nullptr;
    void* all = nullptr;
    std::size_t bytes = 0;
    int root = -1;  // of a broadcast
  };
  class AtEnd : public Transport {
   public:
    AtEnd(Wire& wire, int rank) : wire_(wire), rank_(rank) {}
    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int ranks() const noexcept override { return static_cast<int>(wire_.ranks_); }
    [[nodiscard]] std::string name() const override { return "wire"; }
    void send(int to, Buffer& buffer) override { wire_.send(rank_, to, buffer); }
    Event poll(bool /*thorough*/) override { return wire_.poll(rank_); }
    void gather(Collective& step, const void* mine, std::size_t bytes, void* all) override {
      wire_.join(rank_, {&step, mine, all, bytes, -1});
    }
    void broadcast(Collective& step, void* data, std::size_t bytes, int root) override {
      wire_.join(rank_, {&step, data, data, bytes, root});
    }
    bool suspects() override { return wire_.suspects(rank_); }
    int lost(std::string& description) override { return wire_.lost(rank_, description); }
    std::string agree(const std::string& problem) override { return problem; }
    std::string close() override { return {}; }

   private:
    Wire& wire_;
    int rank_;
  };
  struct End {
    BufferPool pool;
    std::unique_ptr<AtEnd> transport;
    std::vector<std::deque<Buffer*>> from;  // by sender
    std::vector<int> lost;                  // that it has not been told
    Gathering gathering;
    Collective* finished = nullptr;
    bool asleep = false;
    int held = -1;
  };

  End& end(int rank) { return ends_[static_cast<std::size_t>(rank)]; }

  void send(int from, int to, Buffer& buffer) {
    Buffer* copy = end(to).pool.take(buffer.capacity);
    std::memcpy(copy->data, buffer.data, buffer.bytes);
    copy->bytes = buffer.bytes;
    copy->peer = from;
    end(from).pool.give(&buffer);
    const std::lock_guard guard(mutex_);
    auto& queue = end(to).from[static_cast<std::size_t>(from)];
    queue.push_back(copy);
    const auto with_messages = static_cast<std::size_t>(
        std::count_if(queue.begin(), queue.end(), [](Buffer* each) { return each->head().messages != 0; }));
    most_between_ = std::max(most_between_, with_messages);
  }

  Transport::Event poll(int rank) {
    using Kind = Transport::Event::Kind;
    const std::lock_guard guard(mutex_);
    End& here = end(rank);
    if (here.asleep) return {};
    if (here.finished != nullptr) return {Kind::finished, nullptr, std::exchange(here.finished, nullptr)};
    if (std::uniform_real_distribution<>(0, 1)(random_) < delay_) return {};
    const std::size_t first = random_() % ranks_;
    for (std::size_t i = 0; i < ranks_; ++i) {
      const std::size_t from = (first + i) % ranks_;
      auto& queue = here.from[from];
      if (queue.empty() || static_cast<int>(from) == here.held) continue;
      Buffer* buffer = queue.front();
      queue.pop_front();
      return {Kind::received, buffer, nullptr};
    }
    return {};
  }

  void join(int rank, const Gathering& with) {
    const std::lock_guard guard(mutex_);
    end(rank).gathering = with;
    for (const End& each : ends_)
      if (each.gathering.step == nullptr) return;
    for (End& to : ends_) {
      for (std::size_t from = 0; from < ranks_; ++from) {
        const Gathering& part = ends_[from].gathering;
        auto* all = static_cast<std::byte*>(to.gathering.all);
        if (part.root < 0)
          std::memcpy(all + from * part.bytes, part.mine, part.bytes);
        else if (static_cast<std::size_t>(part.root) == from && all != part.mine)
          std::memcpy(all, part.mine, part.bytes);
      }
    }
    for (End& each : ends_) each.finished = std::exchange(each.gathering.step, nullptr);
  }

  bool suspects(int rank) {
    const std::lock_guard guard(mutex_);
    return !end(rank).lost.empty();
  }

  int lost(int rank, std::string& description) {
    const std::lock_guard guard(mutex_);
    End& here = end(rank);
    if (here.lost.empty()) return -1;
    const int gone = here.lost.back();
    here.lost.pop_back();
    here.gathering = {};
    here.finished = nullptr;
    description = "rank " + std::to_string(gone);
    return gone;
  }

  std::mutex mutex_;
  std::mt19937_64 random_;
  double delay_ = 0;
  std::size_t ranks_;
  std::vector<End> ends_;
  std::size_t most_between_ = 0;
};

}  // namespace charm::remote
