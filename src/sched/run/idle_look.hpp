// The look at a network that searching workers and the lookout take (one lookout, sched/run/parking.cpp).
#pragma once

#include <charm/detail/idle_look.hpp>

#include <atomic>

namespace charm::sched {

/// Null: all work wakes somebody. One in the process.
extern std::atomic<detail::IdleLook> idle_look;

}  // namespace charm::sched
