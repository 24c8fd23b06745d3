// The C interface: each call forwards to the C++ one and turns exceptions into codes.
#include <charm/charm.h>
#include <charm/charm.hpp>

#include <exception>
#include <string>
#include <utility>

namespace {

thread_local std::string last_error;

template <class F>
int guarded(F&& function) noexcept {
  try {
    std::forward<F>(function)();
    return CHARM_OK;
  } catch (const charm::Error& error) {
    last_error = error.what();
    return static_cast<int>(error.code()) + 1;
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "an exception that is not a std::exception left a task";
  }
  return CHARM_UNKNOWN;
}

static_assert(static_cast<int>(charm::Errc::bad_input) + 1 == CHARM_BAD_INPUT);
static_assert(static_cast<int>(charm::Errc::not_running) + 1 == CHARM_NOT_RUNNING);
static_assert(static_cast<int>(charm::Errc::cancelled) + 1 == CHARM_CANCELLED);

}  // namespace

extern "C" {

int CHARM_Init(void) {
  return guarded([] { charm::init(); });
}
int CHARM_Init_with(int workers, const char* policy) {
  return guarded([&] {
    charm::Config config;
    if (workers != 0) config.workers = workers;
    if (policy != nullptr) config.policy = policy;
    charm::init(config);
  });
}
int CHARM_Finalize(void) {
  return guarded([] { charm::finalize(); });
}
int CHARM_Run(CHARM_Function function, void* argument) {
  return guarded([&] { charm::run([&] { function(argument); }); });
}
int CHARM_All_do(CHARM_Body body, void* argument) {
  return guarded([&] { charm::all_do([&](int worker) { body(worker, argument); }); });
}
int CHARM_Call(int worker, CHARM_Function function, void* argument) {
  return guarded([&] { charm::call(worker, [&] { function(argument); }); });
}
int CHARM_Call_async(int worker, CHARM_Function function, void* argument) {
  return guarded([&] { charm::call_async(worker, [function, argument] { function(argument); }); });
}
int CHARM_Parallel_for(int64_t first, int64_t last, int64_t grain, CHARM_Range body, void* argument) {
  return guarded([&] {
    charm::parallel_for(first, last, [&](int64_t low, int64_t high) { body(low, high, argument); }, {grain});
  });
}
int CHARM_Invoke(CHARM_Function first, void* first_argument, CHARM_Function second, void* second_argument) {
  return guarded([&] { charm::invoke([&] { first(first_argument); }, [&] { second(second_argument); }); });
}
int CHARM_Barrier(void) {
  return guarded([] { charm::barrier(); });
}
void CHARM_Yield(void) { charm::yield(); }
int CHARM_Worker_id(void) { return charm::worker_id(); }
int CHARM_Num_workers(void) { return charm::num_workers(); }
const char* CHARM_Error(void) { return last_error.c_str(); }

}  // extern "C"
