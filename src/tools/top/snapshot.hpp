// What `charm top` shows of one interval, as a plain value. Screen, JSON and recording are functions of it, and it is a
// function of two consecutive samples (watch.hpp), so that every screen can be tested without a machine.
#pragma once

#include <charm/decision.hpp>
#include <charm/id_set.hpp>
#include <charm/machine.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "counters/fill_source.hpp"

namespace charm::top {

/// Cache lines per second by source; sources that `has` does not name are not counted.
struct FillRates {
  std::array<double, counters::fill_sources> per_s{};
  counters::FillSet has;
};

struct CoreShare {
  int core = 0;     ///< id in the machine
  double busy = 0;  ///< share of the interval, 0 to 1; mean over its hardware threads
  CoreKind kind = CoreKind::performance;
};

struct ChipletShare {
  int id = 0;
  int node = 0;
  double busy = 0;                 ///< mean of its cores
  double own = 0;                  ///< time of the watched threads, as a share of the chiplet's hardware threads
  int threads = 0;                 ///< number of watched threads that are on the chiplet and ran in the interval
  std::vector<CoreShare> cores;    ///< by id
  std::optional<FillRates> fills;  ///< fills of the chiplet's cores, if cpus are counted and not threads
};

/// Why a thread may not use all cpus: its control group, CHARM, or the program (or whoever started it).
enum class MaskFrom { nobody, cpuset, charm, program };

struct ThreadShare {
  int tid = 0;
  int pid = 0;
  std::string name;
  char state = '?';
  int cpu = -1;
  int chiplet = -1;               ///< -1: on a cpu that the machine does not list
  double busy = 0;                ///< share of the interval that it ran
  std::optional<double> waiting;  ///< share that it was ready and had no cpu
  std::uint64_t moves = 0;        ///< number of moves between chiplets since the watch began
  std::optional<FillRates> fills;
  CpuSet mask{};  ///< cpus that it may use; empty: not known
  MaskFrom mask_from = MaskFrom::nobody;
};

struct ProcessShare {
  int pid = 0;
  int parent = 0;
  std::string user;
  std::string name;
  std::string command;  ///< name and arguments; empty for the kernel's own processes
  char state = '?';
  int threads = 0;
  double busy = 0;                   ///< in cpus, to the kernel's tick; also what its ended threads have used
  int chiplets = 0;                  ///< number of chiplets on which its threads ran in the interval
  std::uint64_t moves = 0;           ///< of its threads, since the watch began
  std::uint64_t resident_bytes = 0;  ///< memory that it has, also what it shares with others
};

/// A thread that was on another chiplet at the previous sample.
struct Move {
  double time_s = 0;  ///< since the watch began, when it was seen
  int tid = 0;
  std::string name;
  int from = -1;  ///< chiplets
  int to = -1;
};

/// The state of a CHARM program's controller, from its decision file (trace/decision_file.hpp).
struct ControllerState {
  std::string policy;
  int workers = 0;
  int spread = -1;               ///< chiplets after the last decision; -1: none was made yet
  std::uint64_t decisions = 0;   ///< made so far
  std::vector<Decision> latest;  ///< oldest first; times are the program's own
};

struct Snapshot {
  double time_s = 0;      ///< since the watch began, at the end of the interval
  double interval_s = 0;  ///< 0: the first sample, no shares are known yet
  int pid = 0;            ///< 0: the whole machine
  std::string program;    ///< the process's name; of the whole machine that of the host
  int processes = 1;
  int threads = 0;          ///< number of threads that exist, also those that `rows` leaves out
  bool ended = false;       ///< the process is gone
  double busy_cpus = 0;     ///< time of the watched threads, in cpus
  double machine_busy = 0;  ///< share of all cpus' time
  std::string placed_by;    ///< what places threads besides CHARM (system_placement.hpp); empty: unknown
  std::vector<ChipletShare> chiplets;
  std::vector<ThreadShare> rows;  ///< busiest first; all of a process, those that ran of a machine
  std::vector<ProcessShare>
      by_process;  ///< by pid: all of the machine; of one process it and, if asked for, its family
  std::optional<FillRates> fills;
  std::string why_no_fills;                    ///< the reason and the remedy; empty where there are fills
  std::optional<double> memory_gb_per_s;       ///< read from memory, by the fills; nothing where they do not tell
  std::map<int, std::uint64_t> bytes_by_node;  ///< memory of the process, or in use on the machine, by OS node; may be
                                               ///< some intervals old; empty where the kernel does not say
  std::vector<Move> moves;                     ///< the latest, oldest first
  std::uint64_t moves_seen = 0;                ///< since the watch began
  std::optional<ControllerState> controller;
  std::string
      why_no_controller;  ///< the reason and the remedy, for a CHARM program without a decision file; else empty
};

}  // namespace charm::top
