// The functions of <charm/remote.hpp>: the one rank of this process, from init() to finalize().
#include <charm/call.hpp>
#include <charm/detail/idle_look.hpp>
#include <charm/error.hpp>
#include <charm/remote.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/settings.hpp"
#include "os/threads/affinity.hpp"
#include "ranks/beginning.hpp"
#include "ranks/called.hpp"
#include "ranks/code.hpp"
#include "ranks/distances.hpp"
#include "ranks/early_exit.hpp"
#include "ranks/engine.hpp"
#include "ranks/launch.hpp"
#include "ranks/loopback.hpp"
#include "ranks/spinning.hpp"
#ifdef CHARM_HAS_MPI
#include "ranks/mpi_transport.hpp"
#endif
#include "sched/control/sharing.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"

namespace charm::remote {
namespace {

constexpr std::int64_t spin_ns = 30000;                             // wait for a reply before the task is suspended
constexpr std::size_t most_broadcast_bytes = std::size_t{1} << 28;  // at a time; MPI counts by int

/// Destroyed in the opposite order.
struct Rank {
  CpuSet cpus;  // that the thread gets back, if it was bound to a part of them; else empty
  BufferPool pool;
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Engine> engine;
  std::vector<double> distances;
  std::vector<int> nearest;  // the other ranks
};

std::atomic<Engine*> engine_of_process{nullptr};
std::atomic<bool> ending{false};       // finalize() lets no more in, but the engine is still used
std::atomic<int> lookers{0};           // idle workers that use the engine
std::atomic<bool> in_together{false};  // a task of this rank is in a step of all ranks
Rank* rank_of_process = nullptr;       // of the thread that calls init() and finalize()

Engine& engine() {
  Engine* found = engine_of_process.load(std::memory_order_acquire);
  if (found == nullptr || ending.load(std::memory_order_acquire))
    throw Error(Errc::not_running, "this process is no rank", "call charm::remote::init() first");
  return *found;
}

std::int64_t look(bool asleep) noexcept {
  lookers.fetch_add(1, std::memory_order_seq_cst);
  const bool ends = ending.load(std::memory_order_seq_cst);  // read after `lookers` was raised, which end() looks at
  Engine* found = engine_of_process.load(std::memory_order_acquire);
  const std::int64_t next = found != nullptr && !ends ? found->look(asleep) : 1000000;
  lookers.fetch_sub(1, std::memory_order_release);
  return next;
}

void not_in_tasks(const char* name) {
  if (charm::detail::this_worker() != nullptr)
    throw Error(Errc::bad_input, std::string("charm::remote::") + name + "() was called inside a task",
                "call it from the thread that started the program, outside of charm::run()");
}

/// Nobody would look for messages.
void need_runtime() {
  if (charm::detail::this_worker() == nullptr && sched::Runtime::gate.running() == nullptr)
    throw Error(Errc::not_running, "charm::finalize() has ended the runtime of this rank",
                "end a rank by charm::remote::finalize() alone");
}

void not_in_called_functions(const char* name) {
  if (charm::detail::this_worker() != nullptr && called_by_rank())
    throw Error(Errc::bad_input, std::string(name) + " was called in a function that another rank has called",
                "call it in a task of the rank's own");
}

/// One task of a rank at a time takes steps with the other ranks.
class Together {
 public:
  explicit Together(const char* name) {
    need_runtime();
    not_in_called_functions(name);
    if (in_together.exchange(true, std::memory_order_acquire))
      throw Error(Errc::bad_input,
                  std::string(name) + " was called while another task of this rank is in barrier() or a collective",
                  "let one task of the rank call them, one after another");
  }
  ~Together() { in_together.store(false, std::memory_order_release); }
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;
};

std::unique_ptr<Transport> find_transport([[maybe_unused]] BufferPool& pool, [[maybe_unused]] std::uint64_t table) {
  const Launch launch = find_launch();
#ifdef CHARM_HAS_MPI
  if (launch.ranks > 1 || launch.only_mpi_knows || mpi_is_running())
    return make_mpi_transport(pool, launch.ranks, table);
#else
  if (launch.ranks > 1 || launch.only_mpi_knows)
    throw Error(
        Errc::refused,
        "the program was started as one of " + (launch.ranks > 1 ? std::to_string(launch.ranks) : "several") +
            " ranks (" + launch.name + "), and libcharm_remote was built without MPI",
        "install an MPI library (scripts/setup mpi) and build CHARM again, or start the program without mpirun");
#endif
  return std::make_unique<Loopback>();
}

/// Ends the runtime and then the rank: a job that has run the last messages still returns its buffer to the engine.
/// \param orderly all ranks have come to finalize(). \return a rank that was lost in the end itself, or nothing.
std::string end(bool orderly) {
  finalize_has_come();
  ending.store(true, std::memory_order_seq_cst);
  charm::detail::set_idle_look(nullptr);  // so that nothing new becomes a job
  while (lookers.load(std::memory_order_acquire) > 0) std::this_thread::yield();
  charm::finalize();
  engine_of_process.store(nullptr, std::memory_order_release);
  ending.store(false, std::memory_order_release);
  std::unique_ptr<Rank> rank(std::exchange(rank_of_process, nullptr));
  if (!rank->cpus.empty()) os::bind_this_thread(rank->cpus);
  std::string lost = orderly ? rank->transport->close() : std::string();
  if (!orderly || !lost.empty()) static_cast<void>(rank.release());  // MPI may still use its buffers
  return lost;
}

/// \param error why this rank cannot begin. \throws it, or Error (refused) where another rank cannot.
void begin_together(std::unique_ptr<Rank>& made, const std::exception_ptr& error, const std::string& problem) {
  std::exception_ptr others;
  bool orderly = true;
  try {
    const std::string refusal = made->transport->agree(problem);
    if (refusal.empty()) return;
    others = std::make_exception_ptr(Error(Errc::refused, refusal, "all ranks start, or none"));
  } catch (const Error&) {
    others = std::current_exception();  // a rank was lost
    orderly = false;
  }
  if (error == nullptr) charm::finalize();
  if (!made->cpus.empty()) os::bind_this_thread(made->cpus);
  if (!orderly || !made->transport->close().empty())
    static_cast<void>(made.release());  // MPI may still use its buffers
  std::rethrow_exception(error != nullptr ? error : others);
}

}  // namespace

void init(const Config& config) {
  not_in_tasks("init");
  if (rank_of_process != nullptr)
    throw Error(Errc::bad_input, "charm::remote::init() was called twice", "call it once, before finalize()");
  auto made = std::make_unique<Rank>();
  std::exception_ptr error;  // why this rank cannot begin, which the others have to know
  std::string problem;
  auto attempt = [&](auto&& step) {
    if (error != nullptr) return;
    try {
      step();
    } catch (const std::exception& wrong) {
      error = std::current_exception();
      problem = wrong.what();
    }
  };
  base::Settings settings;
  std::uint64_t table = 0;
  attempt([&] {
    settings = base::resolve(config);
    table = sched::Sharing::table(settings);
  });
  try {
    made->transport = find_transport(made->pool, table);
  } catch (const Error&) {
    if (error == nullptr) throw;
    std::rethrow_exception(error);
  }
  attempt([&] {
    find_code();
    const Beginning beginning = keep_apart(*made->transport, config, settings);
    made->cpus = beginning.cpus;
    charm::init(beginning.config);
  });
  begin_together(made, error, problem);
  made->engine = std::make_unique<Engine>(made->pool, *made->transport, num_workers());
  rank_of_process = made.release();
  engine_of_process.store(rank_of_process->engine.get(), std::memory_order_seq_cst);
  charm::detail::set_idle_look(&look);
  try {
    compare_code(engine());
    wait_for_cores(engine());
    rank_of_process->distances = measure_distances(engine(), config);
    rank_of_process->nearest = order_by_distance(rank_of_process->distances, rank());
    if (ranks() > 1) expect_finalize(rank());
  } catch (...) {
    end(false);
    throw;
  }
}

void finalize() {
  not_in_tasks("finalize");
  Engine& own = engine();
  need_runtime();
  const bool knows = own.loss_was_reported();
  std::exception_ptr error;
  try {
    own.check();
    own.barrier(StepKind::finalize);
    own.barrier(StepKind::finalize);  // acknowledgements of the first one's replies
  } catch (const Error&) {
    error = std::current_exception();
  }
  const std::string lost = end(error == nullptr);
  if (!lost.empty()) rank_is_lost(lost);
  if (error != nullptr && !knows) std::rethrow_exception(error);
}

int rank() { return engine().rank(); }
int ranks() { return engine().ranks(); }
std::string transport() {
  static_cast<void>(engine());
  return rank_of_process->transport->name();
}
void flush() { engine().flush(); }
void poll() {
  engine().progress(true);
  sched::Worker* worker = sched::this_worker();
  if (worker == nullptr || worker->runtime->places.inbox.empty()) return;
  worker->look_around();
  charm::yield();
}
double distance(int rank) {
  const Engine& own = engine();
  if (rank < 0 || rank >= own.ranks()) own.no_such_rank(rank);
  return rank_of_process->distances[static_cast<std::size_t>(rank)];
}
const std::vector<int>& ranks_by_distance() {
  static_cast<void>(engine());
  return rank_of_process->nearest;
}
void fence() {
  Engine& own = engine();
  need_runtime();
  not_in_called_functions("fence()");
  own.fence();
}
void barrier() {
  Engine& own = engine();
  const Together together("barrier()");
  own.barrier();
}
Traffic traffic() { return engine().traffic(); }

namespace detail {

Writing begin(int rank, Kind kind, std::uint64_t code, std::size_t bytes, bool now) {
  return engine().begin(rank, kind, code, bytes, now);
}

void send(int rank, const Writing& message, bool now) noexcept {
  engine_of_process.load(std::memory_order_acquire)->send(rank, message, now);
}

void run_at(const Spot& spot, void (*body)(void*), void* context) {
  // The function does not inherit that another rank has called it.
  auto run_called = [=] { in_called_function.with(true, [=] { body(context); }); };
  switch (spot.kind) {
    case Spot::Kind::worker:
      return charm::call(charm::on_worker{static_cast<int>(spot.value)}, run_called);
    case Spot::Kind::chiplet:
      return charm::call(charm::on_chiplet{static_cast<int>(spot.value)}, run_called);
    case Spot::Kind::node:
      return charm::call(charm::on_node{static_cast<int>(spot.value)}, run_called);
    case Spot::Kind::address:
      return charm::call(charm::on_address{reinterpret_cast<const void*>(spot.value)}, run_called);
  }
}

void expect(Pending& pending) {
  Engine& own = engine();
  need_runtime();
  own.pending.add(pending);
}

bool forget(Pending& pending) noexcept {
  return engine_of_process.load(std::memory_order_acquire)->pending.take(pending.id) != nullptr;
}

void await(const charm::detail::Completion& done) noexcept {
  Engine* own = engine_of_process.load(std::memory_order_acquire);
  const sched::Worker* worker = sched::this_worker();
  for (Spinning spinning(worker, spin_ns); own != nullptr && !done.done() && spinning.goes_on(false);)
    own->progress(true, spinning.is_thorough(Engine::look_thoroughly));  // takes longer than a pause
  const_cast<charm::detail::Completion&>(done).wait();
}

void gather(const void* mine, std::size_t bytes, void* all) {
  Engine& own = engine();
  const Together together("gather()");
  if (bytes > most_broadcast_bytes / static_cast<std::size_t>(own.ranks()))
    throw Error(Errc::bad_input, "values of " + std::to_string(bytes) + " bytes are gathered from all ranks",
                "gather smaller values, or send them by call()");
  own.gather(mine, bytes, all);
}

void broadcast(void* data, std::size_t bytes, int root) {
  Engine& own = engine();
  const Together together("broadcast()");
  auto* at = static_cast<char*>(data);
  do {
    const std::size_t part = std::min(bytes, most_broadcast_bytes);
    own.broadcast(at, part, root);
    at += part;
    bytes -= part;
  } while (bytes > 0);
}

}  // namespace detail
}  // namespace charm::remote
