// Any executor behind one type: for what is not timed, the making of inputs and the checks of answers. It is compiled
// once, and not for each runtime.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "workloads/executor/parts.hpp"

namespace charm::workloads {

/// Refers to an executor, which has to outlive it.
class AnyExecutor {
 public:
  static constexpr const char* name = "any";

  template <Executor E>
    requires(!std::is_same_v<E, AnyExecutor>)
  AnyExecutor(E& e) : executor_(&e), calls_(&calls_of<E>) {}  // NOLINT(google-explicit-constructor): as a base would be

  [[nodiscard]] int workers() const { return calls_->workers(executor_); }
  [[nodiscard]] int worker() const { return calls_->worker(executor_); }
  [[nodiscard]] const ArrayPlacement& array_placement() const { return calls_->array_placement(executor_); }
  void place(Memory memory) { calls_->place(executor_, memory); }
  void barrier() { calls_->barrier(executor_); }

  template <class F>
  void run(F&& f) {
    calls_->run(executor_, [](void* function) { call<F>(function); }, address(f));
  }
  template <class F>
  void parallel_for(Index first, Index last, Index grain, F&& f) {
    calls_->parallel_for(executor_, first, last, grain, block_of<F>(), address(f));
  }
  template <class F>
  void for_parts(Index size, Index grain, F&& f) {
    calls_->for_parts(executor_, size, grain, block_of<F>(), address(f));
  }
  template <class F>
  void team(F&& f) {
    calls_->team(
        executor_, [](void* function, int member, int members) { call<F>(function, member, members); }, address(f));
  }

  /// A partial result a worker: bodies do not wait, so a worker adds to its own.
  template <class T, class F, class C>
  T parallel_reduce(Index first, Index last, Index grain, T identity, F&& f, C&& combine) {
    return reduced(identity, f, combine, [&](auto&& body) { parallel_for(first, last, grain, body); });
  }
  template <class T, class F, class C>
  T reduce_parts(Index size, Index grain, T identity, F&& f, C&& combine) {
    return reduced(identity, f, combine, [&](auto&& body) { for_parts(size, grain, body); });
  }

 private:
  using Function = void (*)(void* function);
  using Block = void (*)(void* function, Index low, Index high);
  using Member = void (*)(void* function, int member, int members);

  struct Calls {
    int (*workers)(void*);
    int (*worker)(void*);
    const ArrayPlacement& (*array_placement)(void*);
    void (*place)(void*, Memory);
    void (*barrier)(void*);
    void (*run)(void*, Function, void*);
    void (*parallel_for)(void*, Index, Index, Index, Block, void*);
    void (*for_parts)(void*, Index, Index, Block, void*);
    void (*team)(void*, Member, void*);
  };

  template <class E>
  static E& as(void* executor) {
    return *static_cast<E*>(executor);
  }

  template <class E>
  static constexpr Calls calls_of = {
      [](void* e) { return as<E>(e).workers(); },
      [](void* e) { return as<E>(e).worker(); },
      [](void* e) -> const ArrayPlacement& { return array_placement_of(as<E>(e)); },
      [](void* e, Memory memory) { place_arrays(as<E>(e), memory); },
      [](void* e) { as<E>(e).barrier(); },
      [](void* e, Function f, void* function) { as<E>(e).run([=] { f(function); }); },
      [](void* e, Index first, Index last, Index grain, Block f, void* function) {
        as<E>(e).parallel_for(first, last, grain, [=](Index low, Index high) { f(function, low, high); });
      },
      [](void* e, Index size, Index grain, Block f, void* function) {
        workloads::for_parts(as<E>(e), size, grain, [=](Index low, Index high) { f(function, low, high); });
      },
      [](void* e, Member f, void* function) {
        as<E>(e).team([=](int member, int members) { f(function, member, members); });
      }};

  template <class F, class... Arguments>
  static void call(void* function, Arguments... arguments) {
    (*static_cast<std::remove_reference_t<F>*>(function))(arguments...);
  }
  template <class F>
  static Block block_of() {
    return [](void* function, Index low, Index high) { call<F>(function, low, high); };
  }
  template <class F>
  static void* address(F& f) {
    return const_cast<void*>(static_cast<const void*>(std::addressof(f)));  // NOLINT: call() has its constness again
  }

  template <class T, class F, class C, class Loop>
  T reduced(const T& identity, F& f, C& combine, Loop&& loop) {
    struct alignas(128) Partial {
      T value;
    };
    std::vector<Partial> partials(static_cast<std::size_t>(workers()), Partial{identity});
    loop([&](Index low, Index high) {
      T& mine = partials[static_cast<std::size_t>(worker())].value;
      mine = f(low, high, mine);
    });
    T total = identity;
    for (const Partial& partial : partials) total = combine(total, partial.value);
    return total;
  }

  void* executor_;
  const Calls* calls_;
};

static_assert(Placing<AnyExecutor>);

}  // namespace charm::workloads
