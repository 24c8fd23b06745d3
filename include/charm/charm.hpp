// All of CHARM.
#pragma once

#include <charm/adaptive.hpp>
#include <charm/all_do.hpp>
#include <charm/call.hpp>
#include <charm/config.hpp>
#include <charm/decision.hpp>
#include <charm/error.hpp>
#include <charm/first_touch.hpp>
#include <charm/future.hpp>
#include <charm/invoke.hpp>
#include <charm/machine.hpp>
#include <charm/memory_resource.hpp>
#include <charm/page_block.hpp>
#include <charm/parallel_for.hpp>
#include <charm/parallel_reduce.hpp>
#include <charm/placed_array.hpp>
#include <charm/placement.hpp>
#include <charm/runtime.hpp>
#include <charm/stats.hpp>
#include <charm/task_group.hpp>
#include <charm/trace.hpp>
