// All of CHARM.
#pragma once

#include <charm/all_do.hpp>
#include <charm/blocking.hpp>
#include <charm/call.hpp>
#include <charm/channel.hpp>
#include <charm/condition_variable.hpp>
#include <charm/config.hpp>
#include <charm/error.hpp>
#include <charm/future.hpp>
#include <charm/invoke.hpp>
#include <charm/latch.hpp>
#include <charm/machine.hpp>
#include <charm/mutex.hpp>
#include <charm/parallel_for.hpp>
#include <charm/parallel_reduce.hpp>
#include <charm/placement.hpp>
#include <charm/runtime.hpp>
#include <charm/semaphore.hpp>
#include <charm/sleep.hpp>
#include <charm/stats.hpp>
#include <charm/task_group.hpp>
#include <charm/tasks.hpp>
#include <charm/where.hpp>
