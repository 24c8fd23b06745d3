#include "binding/thread_binder.hpp"

namespace charm::binding {

using placement::CpuClaims;

ThreadBinder::State ThreadBinder::place(const Target& target, const BindCall& bind) {
  if (!claimable(target.cpu, target.shared)) {
    if (!bind(target.mask)) return State::waiting;
    claim_.leave();
    shared_cpu_ = target.cpu;
    floats_on_.clear();
    return State::placed;
  }
  State state = State::placed;
  if (claim_.held() == target.cpu) {  // the claim is held already, but the mask may be another
    if (!bind(target.mask)) return State::waiting;
  } else {
    state = claim_.place(
        target.cpu, [&](int) { return bind(target.mask); },
        [&] {
          if (!bind(target.floating)) return false;
          floats_on_ = target.floating;
          return true;
        });
  }
  if (state == State::placed) {
    shared_cpu_ = CpuClaims::free_cpu;
    floats_on_.clear();
  } else if (state == State::floating && floats_on_ != target.floating && bind(target.floating)) {
    // The core that it waits for, or the allowed cpus, have changed since it began to float.
    shared_cpu_ = CpuClaims::free_cpu;
    floats_on_ = target.floating;
  }
  return state;
}

bool ThreadBinder::unplace(const CpuSet& mask, const BindCall& bind) {
  if (!bind(mask)) return false;
  forget();
  return true;
}

void ThreadBinder::forget() {
  claim_.leave();
  shared_cpu_ = CpuClaims::free_cpu;
  floats_on_.clear();
}

bool ThreadBinder::is_on(int cpu, bool shared) const {
  return claim_.held() == cpu || (!claimable(cpu, shared) && shared_cpu_ == cpu);
}

}  // namespace charm::binding
