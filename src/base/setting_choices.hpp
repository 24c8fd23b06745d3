// The settings whose values are fixed words (docs/settings.md), as enums. Config has the words; after resolve() there
// are only the enums.
#pragma once

#include <array>
#include <string>

#include "base/choice.hpp"

namespace charm::base {

/// sockets: which are filled first, and whether a controller may spread the workers over more of them than hold them.
enum class SocketOrder { widen, fill, balance };
constexpr auto choices(SocketOrder /*unused*/) {
  return std::array{Choice{SocketOrder::widen, "widen"}, Choice{SocketOrder::fill, "fill"},
                    Choice{SocketOrder::balance, "balance"}};
}

/// bind: what a worker's thread is bound to: its core's cpu, or all cpus of the core's chiplet or node that it may use,
/// or nothing.
enum class Bind { core, chiplet, node, none };
constexpr auto choices(Bind /*unused*/) {
  return std::array{Choice{Bind::core, "core"}, Choice{Bind::chiplet, "chiplet"}, Choice{Bind::node, "node"},
                    Choice{Bind::none, "none"}};
}

/// caller_mask: the affinity mask of the thread that called init() while it is outside the library's calls: its own, or
/// that of worker 0.
enum class CallerMask { own, worker };
constexpr auto choices(CallerMask /*unused*/) {
  return std::array{Choice{CallerMask::own, "own"}, Choice{CallerMask::worker, "worker"}};
}

/// deadlock: what happens when all workers sleep and tasks wait.
enum class Deadlock { report, abort, off };
constexpr auto choices(Deadlock /*unused*/) {
  return std::array{Choice{Deadlock::report, "report"}, Choice{Deadlock::abort, "abort"}, Choice{Deadlock::off, "off"}};
}

/// memory_policy: where new pages of a worker come from.
enum class WorkerMemory { preferred, bind, none };
constexpr auto choices(WorkerMemory /*unused*/) {
  return std::array{Choice{WorkerMemory::preferred, "preferred"}, Choice{WorkerMemory::bind, "bind"},
                    Choice{WorkerMemory::none, "none"}};
}

/// home: where arrays that all workers use, and the tasks' stacks, lie: evenly and near, or by the weights of the
/// malloc.
enum class Home { near, traffic };
constexpr auto choices(Home /*unused*/) {
  return std::array{Choice{Home::near, "near"}, Choice{Home::traffic, "traffic"}};
}

/// surplus: what workers do that have lost their cpus.
enum class Surplus { rest, share };
constexpr auto choices(Surplus /*unused*/) {
  return std::array{Choice{Surplus::rest, "rest"}, Choice{Surplus::share, "share"}};
}

/// smt: whether hardware threads count as cores. automatic: they have workers, and the width says whether these run.
enum class Smt { off, on, automatic };
constexpr auto choices(Smt /*unused*/) {
  return std::array{Choice{Smt::off, "0"}, Choice{Smt::on, "1"}, Choice{Smt::automatic, "auto"}};
}

/// width: how many of the workers run.
enum class Width { full, adaptive };
constexpr auto choices(Width /*unused*/) {
  return std::array{Choice{Width::full, "full"}, Choice{Width::adaptive, "adaptive"}};
}

/// stealing: whom an idle worker tries first.
enum class Stealing { near, random };
constexpr auto choices(Stealing /*unused*/) {
  return std::array{Choice{Stealing::near, "near"}, Choice{Stealing::random, "random"}};
}

/// monitor: what a controller measures.
enum class Monitor { program, regions };
constexpr auto choices(Monitor /*unused*/) {
  return std::array{Choice{Monitor::program, "program"}, Choice{Monitor::regions, "regions"}};
}

/// counters: where measurements come from; replay and record take a file behind a colon.
enum class Counters { automatic, hardware, software, none, replay, record };
constexpr auto choices(Counters /*unused*/) {
  return std::array{Choice{Counters::automatic, "auto"},     Choice{Counters::hardware, "hardware"},
                    Choice{Counters::software, "software"},  Choice{Counters::none, "none"},
                    Choice{Counters::replay, "replay:FILE"}, Choice{Counters::record, "record:FILE"}};
}

/// share: whether cores are leased beside other programs; a file is named by its path.
enum class Share { automatic, on, off, file };
constexpr auto choices(Share /*unused*/) {
  return std::array{Choice{Share::automatic, "auto"}, Choice{Share::on, "on"}, Choice{Share::off, "off"},
                    Choice{Share::file, "a path that begins with /"}};
}

/// A choice, and the file of those choices that name a file; else an empty path.
template <class E>
struct ChoiceWithFile {
  E choice{};
  std::string file = {};
  friend bool operator==(const ChoiceWithFile&, const ChoiceWithFile&) = default;
};

}  // namespace charm::base
