// Several processes as one program: each process is a rank with a runtime of its own, and calls functions on the others
// (CHARM §4.6, whose interface comes from Grappa and RING). docs/remote.md has a whole program.
//
// Link charm::remote. Under mpirun the ranks are those of MPI; without it the program is the only rank, and everything
// here works the same. All ranks must run the same build of the program.
//
// Small messages to a rank are collected and sent together: when a buffer is full, when a worker has nothing else to
// do, and by flush(), fence() and barrier(). If the other rank does not keep up, the tasks that send to it are
// suspended. Messages to one rank may overtake each other.
#pragma once

#include <charm/config.hpp>
#include <charm/detail/remote.hpp>
#include <charm/future.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// The ranks of a program that runs as several processes.
namespace charm::remote {

/// Starts this rank, and the runtime by charm::init(config), on the thread that calls finalize() later. Every rank has
/// to call it. \throws Error as charm::init() does; refused under an mpirun whose MPI is not the one that
/// libcharm_remote was built with, if MPI cannot be used by several threads in turn (MPI_THREAD_SERIALIZED), or if the
/// ranks do not run the same build of the program; bad_input if it was called before, or inside a task.
CHARM_SAME_BUILD void init(const Config& config = {});

/// Waits as barrier() does, and ends this rank, and the runtime by charm::finalize(). Every rank has to call it. After
/// a rank was lost it does not wait. \throws Error: not_running without init(); bad_input inside a task; remote, when
/// this rank has ended, if another was lost and no call has said so before.
void finalize();

/// Number of this rank, 0 .. ranks()-1. \throws Error (not_running) before init(); so do all that follow.
[[nodiscard]] int rank();
/// How many ranks the program has.
[[nodiscard]] int ranks();
/// What carries the messages: "loopback" or the name and version of the MPI library.
[[nodiscard]] std::string transport();

/// Runs `function(arguments...)` on another rank (or this one), as a task there, and waits for its value. The caller is
/// suspended meanwhile. `function` is a plain function or a function object whose captures can be copied as bytes; so
/// can the arguments and the value. Neither may contain pointers or references, which mean nothing in another process.
/// The last argument may be a std::span, whose elements are sent; the function gets a std::span<const T> that is valid
/// during the call.
/// \throws Error: bad_input for a rank that does not exist; remote if the function has thrown (an Error keeps its
/// code), with its text and the rank, or if the rank is gone.
template <class F, class... Arguments>
auto call(int rank, const F& function, const Arguments&... arguments) {
  auto sent = detail::sent_as(function);
  using Result = detail::ResultOf<decltype(sent), Arguments...>;
  static_assert(std::is_void_v<Result> || detail::sendable<Result>, "the value of a call is copied as bytes");
  detail::AwaitedReply<Result> reply(rank);
  detail::send_request(rank, reply, true, sent, arguments...);
  detail::await(reply.done);
  return reply.result.take();
}

/// As call(), without waiting: the future has the value or the error.
template <class F, class... Arguments>
auto call_async(int rank, const F& function, const Arguments&... arguments) {
  auto sent = detail::sent_as(function);
  using Result = detail::ResultOf<decltype(sent), Arguments...>;
  static_assert(std::is_void_v<Result> || detail::sendable<Result>, "the value of a call is copied as bytes");
  auto reply = std::make_unique<detail::FutureReply<Result>>(rank);
  detail::send_request(rank, *reply, false, sent, arguments...);
  return future<Result>(reply.release());
}

/// As call(), without waiting and without a value: the function runs as a separate task on the other rank, and may wait
/// there. An exception that leaves it ends the program.
template <class F, class... Arguments>
void call_detached(int rank, const F& function, const Arguments&... arguments) {
  detail::send_call(rank, detail::Kind::detached, nullptr, false, detail::sent_as(function), arguments...);
}

/// For very many short functions, such as one update each: runs `function(arguments...)` on another rank. The messages
/// of one buffer run one after the other in one task, so each costs only some nanoseconds. The function must not wait
/// for messages that come later. Messages of different buffers run in parallel, so what they change has to be atomic.
/// An exception that leaves the function ends the program.
template <class F, class... Arguments>
void post(int rank, const F& function, const Arguments&... arguments) {
  detail::send_call(rank, detail::Kind::post, nullptr, false, detail::sent_as(function), arguments...);
}

/// A destination of calls: a worker of a rank.
struct on_worker {
  int rank;    ///< 0 .. ranks()-1
  int worker;  ///< 0 .. num_workers()-1 of that rank
};
/// A destination of calls: any worker of a chiplet of a rank.
struct on_chiplet {
  int rank;     ///< 0 .. ranks()-1
  int chiplet;  ///< index in Machine::chiplets of that rank
};
/// A destination of calls: any worker of a NUMA node of a rank.
struct on_node {
  int rank;  ///< 0 .. ranks()-1
  int node;  ///< index in Machine::nodes of that rank
};

namespace detail {
inline Destination destination(const on_worker& to) {
  return {to.rank, {Spot::Kind::worker, static_cast<std::uint64_t>(to.worker)}};
}
inline Destination destination(const on_chiplet& to) {
  return {to.rank, {Spot::Kind::chiplet, static_cast<std::uint64_t>(to.chiplet)}};
}
inline Destination destination(const on_node& to) {
  return {to.rank, {Spot::Kind::node, static_cast<std::uint64_t>(to.node)}};
}
/// A global_ptr: on the NUMA node of its page.
template <class Address>
  requires requires(const Address& to) {
    { to.rank() } -> std::same_as<int>;
    to.local();
  }
Destination destination(const Address& to) {
  return {to.rank(), {Spot::Kind::address, reinterpret_cast<std::uintptr_t>(to.local())}};
}
}  // namespace detail

/// A place within a rank: on_worker, on_chiplet, on_node, or a global_ptr, which stands for the NUMA node on which its
/// page lies (as charm::on_address does).
template <class Where>
concept Place = requires(const Where& where) { detail::destination(where); };

/// As call() to a rank, at a place there (charm::call tells what that means). Costs a further switch of tasks on that
/// rank. \throws Error also as charm::call() there: bad_input if no worker is at that place.
template <Place Where, class F, class... Arguments>
auto call(const Where& where, const F& function, const Arguments&... arguments) {
  const detail::Destination to = detail::destination(where);
  return call(to.rank, detail::placed(to.spot, function), arguments...);
}
/// As call_async() to a rank, at a place there.
template <Place Where, class F, class... Arguments>
auto call_async(const Where& where, const F& function, const Arguments&... arguments) {
  const detail::Destination to = detail::destination(where);
  return call_async(to.rank, detail::placed(to.spot, function), arguments...);
}
/// As call_detached() to a rank, at a place there.
template <Place Where, class F, class... Arguments>
void call_detached(const Where& where, const F& function, const Arguments&... arguments) {
  const detail::Destination to = detail::destination(where);
  call_detached(to.rank, detail::placed(to.spot, function), arguments...);
}

/// Sends what was collected for other ranks.
void flush();

/// For tasks that compute for long: receives messages, and lets other tasks run if functions were called meanwhile.
/// Otherwise a rank whose workers are all busy answers when one of them has nothing else to do.
void poll();

/// What a message to another rank costs, relatively: 0 for this rank, then as Machine::distance() between cores of the
/// same host, 100 to another host. Where a rank uses several chiplets or nodes, those of its first worker count.
/// \throws Error (bad_input) for a rank that does not exist.
[[nodiscard]] double distance(int rank);
/// The other ranks, the nearest first; of equally near ones those that follow in number.
[[nodiscard]] const std::vector<int>& ranks_by_distance();

/// Waits until everything that this rank has sent has run, including what its other tasks send meanwhile: the functions
/// of post() and call_detached() have ended. It does not wait for what these functions send in turn; barrier() does.
/// \throws Error (remote) if a rank is gone.
void fence();

/// Waits until all ranks have called it, and no message of any rank is left: all functions that were called have ended,
/// and all that these have called, and so on. Functions that are called on this rank run meanwhile. One task of a rank
/// at a time calls this, reduce(), gather() or broadcast(), in the same order on all ranks; not a function that another
/// rank has called.
/// \throws Error (remote) if a rank is gone.
void barrier();

/// The values of all ranks, in their order, on all ranks. Conditions as for barrier().
template <class T>
std::vector<T> gather(const T& mine) {
  static_assert(detail::sendable<T>, "the values of ranks are copied as bytes");
  std::vector<T> all(static_cast<std::size_t>(ranks()));
  detail::gather(&mine, sizeof(T), all.data());
  return all;
}

/// Folds the values of all ranks by `operation(T, T) -> T`, in the order of the ranks, so that the result is the same
/// on all ranks and in every run. A rank gets its own value from charm::parallel_reduce(), which does the levels within
/// a machine. Conditions as for barrier().
template <class T, class Operation>
T reduce(const T& mine, Operation operation) {
  const std::vector<T> all = gather(mine);
  T result = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) result = operation(result, all[i]);
  return result;
}

/// Copies the elements of rank `root` to all ranks; the span has the same length everywhere. Conditions as for
/// barrier().
template <class T>
void broadcast(std::span<T> elements, int root) {
  static_assert(detail::sendable<T>, "elements are copied as bytes");
  detail::broadcast(elements.data(), elements.size_bytes(), root);
}
/// The value of rank `root` on all ranks. Conditions as for barrier().
template <class T>
T broadcast(T value, int root) {
  broadcast(std::span<T>(&value, 1), root);
  return value;
}

/// What this rank has sent and run since init().
struct Traffic {
  std::uint64_t sent = 0;     ///< calls, posts and replies
  std::uint64_t run = 0;      ///< of other ranks' and its own, whose functions have ended
  std::uint64_t buffers = 0;  ///< in which they were sent
  std::uint64_t waits = 0;    ///< times that a task was suspended because a rank did not keep up
  std::size_t memory = 0;     ///< bytes of all buffers, most at a time
};
/// Counted up to now; other workers may be counting meanwhile.
[[nodiscard]] Traffic traffic();

}  // namespace charm::remote
