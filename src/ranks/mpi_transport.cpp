#include "ranks/mpi_transport.hpp"

#include <charm/error.hpp>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <mpi.h>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "os/processes/processes.hpp"
#include "os/processes/this_process.hpp"
#include "os/threads/affinity.hpp"
#include "ranks/impatience.hpp"
#include "ranks/mpi_steps.hpp"

namespace charm::remote {
namespace {

constexpr int usual_tag = 1;
constexpr int first_large_tag = 2;  // a large buffer has a tag of its own, which its announcement tells
constexpr int large_tags = 30000;
constexpr std::size_t posted_receives = 16;

/// By which the ranks of a host know each other.
struct Whereabouts {
  std::array<char, 64> host{};
  os::ProcessIdentity process;
  std::uint64_t processes = 0;  // the namespace in which the process number counts
  std::uint64_t cpus = 0;       // a hash of those that it may use
  std::uint64_t table = 0;      // of leases, that it can use
};

class MpiTransport : public Transport {
 public:
  MpiTransport(BufferPool& pool, int started, std::uint64_t table) : pool_(pool) {
    int running = 0;
    int level = 0;
    MPI_Finalized(&running);
    if (running != 0)
      throw Error(Errc::refused, "MPI has been ended in this process, and cannot start again",
                  "call charm::remote::init() and finalize() once, or begin with MPI_Init_thread and end with "
                  "MPI_Finalize yourself");
    MPI_Initialized(&running);
    if (running == 0) {
      const Impatience impatience(
          std::chrono::seconds(10), "waiting ranks",
          "init() has waited 10 s for the other ranks (MPI_Init); one that has ended, or does not "
          "call init(), lets all wait, unless mpirun ends them");
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
      ours_ = true;
    } else {
      MPI_Query_thread(&level);
    }
    if (level < MPI_THREAD_SERIALIZED)
      throw Error(Errc::refused, "this MPI allows one thread only (MPI_THREAD_SERIALIZED is not provided)",
                  ours_ ? "install an MPI library that was built with support for threads"
                        : "call MPI_Init_thread with MPI_THREAD_SERIALIZED, or leave it to charm::remote::init()");
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &ranks_);
    if (started > 1 && ranks_ == 1)
      throw Error(
          Errc::refused,
          "the program was started as one of " + std::to_string(started) + " ranks, and " + name() + " finds one",
          "start it with the mpirun of that library (mpirun.openmpi or mpirun.mpich), or with the srun --mpi that it "
          "supports");
    meet(table);
    receives_.resize(posted_receives);
    for (Receive& receive : receives_) post(receive);
  }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int ranks() const noexcept override { return ranks_; }
  [[nodiscard]] std::string name() const override {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    const std::string whole(text.data());
    return whole.substr(0, whole.find_first_of(",\n"));
  }

  [[nodiscard]] Crowd crowd() const override {
    const Whereabouts& mine = whereabouts_[static_cast<std::size_t>(rank_)];
    Crowd result{0, 0, mine.table != 0};
    for (const Whereabouts& other : whereabouts_) {
      if (&other == &mine) result.index = result.count;
      if (other.host == mine.host && other.table != mine.table) result.one_table = false;
      if (other.host == mine.host && other.cpus == mine.cpus) ++result.count;
    }
    return result;
  }

  std::string agree(const std::string& problem) override {
    using Text = std::array<char, 240>;
    Text mine{};
    std::memcpy(mine.data(), problem.data(), std::min(problem.size(), mine.size() - 1));
    std::vector<Text> all(static_cast<std::size_t>(ranks_));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(mine.data(), sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, all_, &request);
    if (std::string name; !finish(request, name)) rank_is_lost(name);
    for (std::size_t other = 0; other < all.size(); ++other) {
      if (all[other].front() != '\0') return "rank " + std::to_string(other) + " cannot start: " + all[other].data();
    }
    return {};
  }

  void send(int to, Buffer& buffer) override {
    if (buffer.capacity == Buffer::usual_bytes) return start(to, buffer, usual_tag);
    const int tag = first_large_tag + static_cast<int>(large_sent_++ % large_tags);
    announce(to, {buffer.bytes, static_cast<std::uint64_t>(tag)});
    start(to, buffer, tag);
  }

  Event poll(bool thorough) override {
    while (!sends_.empty() && done(sends_.front().request)) {
      pool_.give(sends_.front().buffer);
      sends_.pop_front();
    }
    for (auto large = large_.begin(); large != large_.end(); ++large) {
      if (!done(large->request)) continue;
      Buffer* buffer = large->buffer;
      large_.erase(large);
      return {Event::Kind::received, buffer, nullptr};
    }
    for (;;) {
      if (Receive* used = std::exchange(unposted_, nullptr); used != nullptr) post(*used);
      Receive& receive = receives_[next_];
      int arrived = 0;
      MPI_Status status;
      if (MPI_Test(&receive.request, &arrived, &status) != MPI_SUCCESS) return {};
      if (arrived == 0) {
        Collective* finished = thorough && steps_.under_way() ? steps_.advance() : nullptr;
        if (finished == nullptr) return {};
        return {Event::Kind::finished, nullptr, finished};
      }
      next_ = (next_ + 1) % receives_.size();
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      Buffer* buffer = receive.buffer;
      buffer->bytes = static_cast<std::size_t>(bytes);
      buffer->peer = status.MPI_SOURCE;
      unposted_ = &receive;  // by the next call: this message has been waited for long enough
      if (buffer->head().messages != 0 || buffer->bytes == sizeof(WireHead))
        return {Event::Kind::received, buffer, nullptr};
      read_announcement(*buffer);
      pool_.give(buffer);
    }
  }

  void gather(Collective& step, const void* mine, std::size_t bytes, void* all) override {
    steps_.gather(step, mine, bytes, all);
  }

  void broadcast(Collective& step, void* data, std::size_t bytes, int root) override {
    steps_.broadcast(step, data, bytes, root);
  }

  bool suspects() override {
    if (!reported_.empty()) return true;
    const auto dead = std::find_if(watches_.begin(), watches_.end(), [this](const Watch& watch) {
      return watch == Watch::near &&
             !is_alive(whereabouts_[static_cast<std::size_t>(&watch - watches_.data())].process);
    });
    suspect_ = dead != watches_.end() ? static_cast<int>(dead - watches_.begin()) : -1;
    return suspect_ >= 0;
  }

  int lost(std::string& description) override {
    // First the one of which others have told; the suspect has perhaps ended for this reason. Nor is it another one
    // that has ended since: what that has told may not have been read yet.
    int rank = -1;
    auto known = [this](int of) { return watches_[static_cast<std::size_t>(of)] == Watch::lost; };
    for (; rank < 0 && !reported_.empty(); reported_.pop_front())
      if (!known(reported_.front())) rank = reported_.front();
    const bool seen = rank < 0;
    if (seen) rank = std::exchange(suspect_, -1);
    if (rank < 0 || known(rank)) return -1;
    watches_[static_cast<std::size_t>(rank)] = Watch::lost;
    const Whereabouts& there = whereabouts_[static_cast<std::size_t>(rank)];
    description = "rank " + std::to_string(rank) + " (process " + std::to_string(there.process.pid) + " on " +
                  there.host.data() + ")";
    steps_.give_up();  // its caller goes on without it
    if (seen) report_lost(rank);
    return rank;
  }

  std::string close() override {
    std::string name;
    for (Send& send : sends_) {
      if (!finish(send.request, name)) return name;
      pool_.give(send.buffer);
    }
    sends_.clear();
    // Notes may still be on the way to any rank; they end before MPI_Finalize does, in receives that nobody reads.
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Ibarrier(all_, &barrier);
    if (!finish(barrier, name)) return name;
    for (Receive& receive : receives_) {
      if (&receive == unposted_) continue;
      MPI_Cancel(&receive.request);
      MPI_Wait(&receive.request, MPI_STATUS_IGNORE);
      pool_.give(receive.buffer);
    }
    MPI_Comm_free(&all_);
    if (!ours_) return {};
    if (on_several_hosts()) end_together();
    MPI_Finalize();
    return {};
  }

 private:
  struct Send {
    MPI_Request request;
    Buffer* buffer;
  };
  struct Receive {
    MPI_Request request = MPI_REQUEST_NULL;
    Buffer* buffer = nullptr;
  };

  [[nodiscard]] bool on_several_hosts() const {
    return std::any_of(whereabouts_.begin(), whereabouts_.end(),
                       [this](const Whereabouts& other) { return other.host != whereabouts_.front().host; });
  }

  /// In MPI_Finalize MPICH closes its connections, asks each of the others for an answer, and when it has them all
  /// waits for all ranks in a barrier in which it answers no more (pmodels/mpich pull request 6596 took that out). So a
  /// rank stands still for ever whose question comes then. It does not come then if the others put theirs behind no
  /// question that they have answered: if nobody receives anything any more when the first one begins.
  static void end_together() {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40200000
    constexpr std::chrono::seconds last_message(1);  // of the barrier, which TCP may have to send again and again
    MPI_Barrier(MPI_COMM_WORLD);
    std::this_thread::sleep_for(last_message);
#endif
  }

  /// How this rank learns of another one's end.
  enum class Watch { near, far, lost };

  [[nodiscard]] bool is_alive(const os::ProcessIdentity& process) const {
    const auto status = processes_.status(process.pid);
    return status && status->started == process.started && status->state != 'Z' && status->state != 'X';
  }

  /// Other hosts cannot see the processes of this one; those of this host have to know who was lost first.
  void report_lost(int rank) {
    for (int to = 0; to < ranks_; ++to) {
      if (const Watch watch = watches_[static_cast<std::size_t>(to)]; watch == Watch::far || watch == Watch::near)
        announce(to, {Announcement::no_buffer, static_cast<std::uint64_t>(rank)});
    }
  }

  void announce(int to, const Announcement& announcement) {
    Buffer& note = *pool_.take();
    note.begin();
    new (note.data + note.bytes) Announcement(announcement);
    note.bytes += sizeof(Announcement);
    start(to, note, usual_tag);
  }

  /// Waits for it. \return false if a rank was lost meanwhile, whose `name` is set.
  bool finish(MPI_Request& request, std::string& name) {
    constexpr std::int64_t check_ns = 100000000;
    for (std::int64_t next = base::monotonic_ns() + check_ns; !done(request); std::this_thread::yield()) {
      if (base::monotonic_ns() < next) continue;
      next += check_ns;
      if (!suspects()) continue;
      for (int quiet = 0; quiet < 3; ++quiet) {
        const Event event = poll(true);
        if (event.kind == Event::Kind::received) pool_.give(event.buffer);
        if (event.kind != Event::Kind::nothing) quiet = 0;
      }
      if (lost(name) >= 0) return false;
    }
    return true;
  }

  static bool done(MPI_Request& request) {
    int flag = 0;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  }

  void start(int to, Buffer& buffer, int tag) {
    Send send{MPI_REQUEST_NULL, &buffer};
    MPI_Isend(buffer.data, static_cast<int>(buffer.bytes), MPI_BYTE, to, tag, all_, &send.request);
    if (done(send.request))
      pool_.give(&buffer);
    else
      sends_.push_back(send);
  }

  void post(Receive& receive) {
    receive.buffer = pool_.take();
    MPI_Irecv(receive.buffer->data, static_cast<int>(Buffer::usual_bytes), MPI_BYTE, MPI_ANY_SOURCE, usual_tag, all_,
              &receive.request);
  }

  void read_announcement(const Buffer& note) {
    Announcement of;
    std::memcpy(&of, note.data + sizeof(WireHead), sizeof of);
    if (of.bytes == Announcement::no_buffer) {
      reported_.push_back(static_cast<int>(of.number));
      return;
    }
    Receive receive{MPI_REQUEST_NULL, pool_.take(of.bytes)};
    receive.buffer->bytes = of.bytes;
    receive.buffer->peer = note.peer;
    MPI_Irecv(receive.buffer->data, static_cast<int>(of.bytes), MPI_BYTE, note.peer, static_cast<int>(of.number), all_,
              &receive.request);
    large_.push_back(receive);
  }

  void meet(std::uint64_t table) {
    Whereabouts mine;
    const std::string host = os::host_name();
    std::memcpy(mine.host.data(), host.data(), std::min(host.size(), mine.host.size() - 1));
    mine.process = os::this_process();
    mine.processes = os::process_namespace();
    for (const int cpu : os::allowed_cpus()) mine.cpus = (mine.cpus ^ static_cast<unsigned>(cpu + 1)) * 0x100000001b3U;
    mine.table = table;
    whereabouts_.resize(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, whereabouts_.data(), sizeof mine, MPI_BYTE, all_);
    for (const Whereabouts& other : whereabouts_) {
      const bool near = other.host == mine.host && other.processes == mine.processes && other.process.started != 0;
      watches_.push_back(near ? Watch::near : Watch::far);
    }
    watches_[static_cast<std::size_t>(rank_)] = Watch::lost;  // nobody watches itself
    std::vector<int> hosts;                                   // the first rank of each rank's host
    for (const Whereabouts& each : whereabouts_) {
      const auto first = std::find_if(whereabouts_.begin(), whereabouts_.end(),
                                      [&](const Whereabouts& other) { return other.host == each.host; });
      hosts.push_back(static_cast<int>(first - whereabouts_.begin()));
    }
    steps_.start(all_, rank_, tree_of_ranks(hosts));
  }

  BufferPool& pool_;
  bool ours_ = false;  // whether MPI was initialised here
  MPI_Comm all_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
  std::deque<Send> sends_;
  std::vector<Receive> receives_;  // a ring: they match in the order in which they were posted
  std::size_t next_ = 0;
  Receive* unposted_ = nullptr;  // the one before, whose buffer was handed over
  std::vector<Receive> large_;
  std::uint64_t large_sent_ = 0;
  MpiSteps steps_;
  std::vector<Whereabouts> whereabouts_;
  std::vector<Watch> watches_;
  std::deque<int> reported_;  // lost ranks, in the order in which others have told of them
  int suspect_ = -1;          // whose process was not there when it was looked for last
  os::Processes processes_;
};

}  // namespace

bool mpi_is_running() {
  int running = 0;
  MPI_Initialized(&running);
  return running != 0;
}

std::unique_ptr<Transport> make_mpi_transport(BufferPool& pool, int started, std::uint64_t table) {
  return std::make_unique<MpiTransport>(pool, started, table);
}

}  // namespace charm::remote
