// Settings. A field that is set here wins over the environment (CHARM_<NAME>), which wins over the file that
// CHARM_CONFIG names ("name = value" lines), which wins over the default. docs/settings.md lists them; `charm settings`
// prints the values in force and where each came from.
#pragma once

#include <charm/detail/requirements.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace charm {

/// Settings given by the program; fields that are not set are looked up elsewhere. Name the fields that you set, in
/// this order: `charm::init({.workers = 4, .bind = "chiplet"})`.
struct Config {
  std::optional<int> workers = {};  ///< number of workers; default: every allowed physical core (at most the quota)
  std::optional<std::string> policy = {};   ///< adaptive, charm-alg1, charm-alg1-group, static, local, distributed,
                                            ///< numa, os or literal; with parameters of a controller as in
                                            ///< "adaptive:tick=0.1,expand=0.05"
  std::optional<std::string> sockets = {};  ///< "widen", "fill" one socket before the next, or "balance" over all
  std::optional<int> spread = {};        ///< chiplets for policy literal, or a level to start from; 0: the policy's own
  std::optional<bool> smt = {};          ///< also use SMT siblings as cores ("auto": see `named`)
  std::optional<bool> share_cores = {};  ///< allow more workers than allowed cores (they then share)
  std::optional<std::string> topology = {};     ///< machine to assume, described as for Machine::from; empty: this one
  std::optional<std::string> profile = {};      ///< measured profile: "auto", "off" or a file
  std::optional<std::string> domains = {};      ///< chiplets within a cache: "auto", "cluster", "4", "0-13;14-27"
  std::optional<std::string> kinds = {};        ///< kinds of cores that get workers: "auto", "performance,middle"
  std::optional<std::size_t> stack_bytes = {};  ///< bytes of a task's stack, rounded up to pages
  std::optional<int> spin_us = {};              ///< microseconds that an idle worker searches for work before it parks
  std::optional<std::string> trace = {};        ///< file to record the run to; "%p" becomes the process id; empty: none
  std::optional<std::size_t> trace_bytes = {};  ///< bytes of memory of each worker for recorded events
  std::optional<bool> decision_file = {};       ///< write the decisions to a file for `charm top`; see docs/top.md
  std::optional<std::string> counters = {};     ///< auto, hardware, software, none, replay:FILE, record:FILE
  std::optional<std::string> counter_events = {};  ///< events to count instead of the catalogue's: "SOURCE=EVENT ..."
  std::optional<std::string> memory_policy = {};   ///< new pages of a worker: preferred (its node), bind, none
  std::optional<std::string> home = {};            ///< of memory without a place: near, or traffic (docs/memory.md)
  std::optional<std::string> surplus = {};         ///< workers that have lost their cpus: rest, or share those left
  std::optional<std::string> width = {};           ///< how many workers run: full, or adaptive (docs/controller.md)
  std::optional<std::string> monitor = {};         ///< the controller measures the whole program, or regions only
  std::optional<int> watch_ms = {};                ///< milliseconds between two checks of the allowed cpus; 0: never
  std::optional<std::string> share = {};           ///< lease cores beside others: auto (only ranks), on, off, or a path
  std::optional<int> share_weight = {};            ///< 1 to 1000; weight when leased cores are divided among programs
  std::optional<std::string> bind = {};            ///< what workers are bound to: core, chiplet, node or none
  std::optional<bool> lend_caller = {};  ///< the thread that calls init() works as worker 0 while it waits in run()
  std::optional<std::string> caller_mask = {};  ///< of that thread outside of run(): own, or worker (that of worker 0)
  std::optional<int> blocking_threads = {};     ///< most threads of the blocking pool (charm::blocking)
  std::optional<std::string> deadlock = {};     ///< what happens when no task can go on: report, abort or off

  /// Any setting by its name, with the value as the environment would write it; wins over the fields above.
  std::vector<std::pair<std::string, std::string>> named = {};
};

}  // namespace charm
