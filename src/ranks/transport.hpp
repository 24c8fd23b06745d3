// What carries buffers between ranks. The engine calls a transport from one thread at a time, and never waits in it.
#pragma once

#include <charm/detail/job.hpp>

#include <cstddef>
#include <string>

#include "ranks/apart.hpp"
#include "ranks/buffer.hpp"
#include "ranks/doing.hpp"

namespace charm::remote {

/// A step that all ranks take together; `run` is called as a job when it is done.
struct Collective : charm::detail::ListedJob {
  using ListedJob::ListedJob;
  StepKind kind = StepKind::gather;
  std::string problem{};  ///< why the ranks could not take it, when it is done; else empty
};

class Transport {
 public:
  struct Event {
    enum class Kind { nothing, received, finished } kind = Kind::nothing;
    Buffer* buffer = nullptr;  ///< received: with peer and bytes; the caller owns it
    Collective* collective = nullptr;
  };

  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int ranks() const noexcept = 0;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Of the ranks that this host runs on the same cpus.
  [[nodiscard]] virtual Crowd crowd() const { return {}; }
  /// Called once by all ranks, before anything else. \param problem why this rank cannot start, or nothing. \return the
  /// same of any other rank, with its number. \throws Error (remote) if a rank is lost.
  virtual std::string agree(const std::string& problem) = 0;
  /// Sends a buffer to another rank, and gives it to the pool when it was sent.
  virtual void send(int to, Buffer& buffer) = 0;
  /// What has happened since, one event at a time. \param thorough false: it may leave steps out, to take less time.
  virtual Event poll(bool thorough) = 0;
  /// One collective at a time; the memory stays until it is finished.
  virtual void gather(Collective& step, const void* mine, std::size_t bytes, void* all) = 0;
  virtual void broadcast(Collective& step, void* data, std::size_t bytes, int root) = 0;
  /// Whether lost() would find one. Before that is asked, all messages are read that have come: a rank may have told of
  /// the one because of which it has ended itself.
  virtual bool suspects() = 0;
  /// A rank that has ended without finalize(), "rank 2 (process 4711)", once each, as far as a rank on its host has
  /// noticed it; \return its number, or -1. The collective that is under way is given up then.
  virtual int lost(std::string& description) = 0;
  /// The end, to which all ranks have come and no buffer is on the way. \return nothing, or the rank that was lost
  /// meanwhile, as lost() describes it: then this transport and its buffers have to stay.
  virtual std::string close() = 0;
};

/// \param name as Transport::lost() describes it. \throws Error (remote).
[[noreturn]] void rank_is_lost(const std::string& name);

}  // namespace charm::remote
