#include "tools/cli/attach/summary.hpp"

#include <charm/decision.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "controller/controller.hpp"
#include "controller/decision.hpp"
#include "os/machine/pressure.hpp"
#include "placement/kinds.hpp"
#include "tools/os/system_placement.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;

constexpr std::size_t shown_decisions = 5;

std::string place_of(const attach::AttachPlan& plan) {
  return fmt::format("cpus {} ({} on {})", plan.cpus.to_text(),
                     base::counted(static_cast<std::size_t>(plan.cores), "core"),
                     base::counted(plan.machine.chiplets.size(), "chiplet"));
}

std::vector<std::string> notes_of(const AttachResult& outcome, const Prepared& prepared,
                                  const attach::Attachment& attachment) {
  std::vector<std::string> notes = prepared.notes;
  if (!outcome.trouble.empty()) notes.push_back(outcome.trouble);
  if (!outcome.pages.empty()) notes.push_back(outcome.pages);
  const attach::ThreadPlacer& thread_placer = attachment.thread_placer();
  const attach::Tally& tally = thread_placer.tally();
  if (tally.steers_itself) notes.emplace_back("it is a program of the library and places its workers itself");
  if (tally.left_alone > 0)
    notes.push_back(base::counted(tally.left_alone, "thread") + " with a mask of the program's own making left alone");
  if (tally.shared) {
    notes.push_back(fmt::format("{} for {}: they shared them chiplet by chiplet",
                                base::counted(tally.most_workers, "worker"),
                                base::counted(static_cast<std::size_t>(thread_placer.plan().cores), "core")));
  }
  if (tally.avoided > 0)
    notes.push_back(fmt::format("it left cores that other programs kept busy {}",
                                tally.avoided == 1 ? "once" : fmt::format("{} times", tally.avoided)));
  if (!thread_placer.trouble().empty()) notes.push_back(thread_placer.trouble());
  if (const auto pressure = os::cpu_pressure(); pressure && *pressure >= 10) {
    notes.push_back(
        fmt::format("the machine's cpus are in demand: in {:.0f} % of the last ten seconds some thread "
                    "waited for one",
                    *pressure));
  }
  return notes;
}

Json plan_json(const attach::AttachPlan& plan) {
  return {{"policy", plan.policy()},
          {"cpus", plan.cpus},
          {"cores", plan.cores},
          {"chiplets", plan.machine.chiplets.size()},
          {"bind", base::word_of(plan.bind)},
          {"smt", plan.request.smt}};
}

Json pools_json(const std::vector<attach::Pool>& pools) {
  Json list = Json::array();
  for (const auto& pool : pools) list.push_back({{"name", pool.name}, {"value", pool.value}, {"for", pool.why}});
  return list;
}

std::string dumped(const Json& json) { return base::json_text(json, 2) + "\n"; }

/// How many workers the program may be expected to have, and why.
std::pair<int, std::string> expected_workers(const AttachOptions& options, const attach::AttachPlan& plan) {
  if (options.workers > 0) return {options.workers, "as --workers says"};
  const auto team = attach::openmp_threads([](const char* name) { return std::getenv(name); });
  if (team && !options.no_size) return {*team, "as OMP_NUM_THREADS says"};
  return {std::max(1, attach::pool_threads(plan)), "one for each core"};
}

/// Cores of as many of these workers as get a core of their own.
std::vector<WorkerCore> expected_cores(const AttachOptions& options, const attach::AttachPlan& plan) {
  placement::Request request = plan.request;
  request.workers = std::min(expected_workers(options, plan).first, std::max(1, plan.cores));
  return controller::placement_for(plan.spec, plan.machine, request).start();
}

/// "chiplet 0: cpus 0-3; chiplet 1: cpus 8-11".
std::string by_chiplet(const std::vector<WorkerCore>& worker_cores) {
  std::map<int, CpuSet> cpus;
  for (const WorkerCore& each : worker_cores) cpus[each.chiplet].insert(each.cpu);
  std::string text;
  for (const auto& [chiplet, some] : cpus)
    text += fmt::format("{}chiplet {}: cpus {}", text.empty() ? "" : "; ", chiplet, some.to_text());
  return text;
}

}  // namespace

std::string how_it_ended(const AttachResult& outcome) {
  if (!outcome.ended) return "goes on without it";
  if (outcome.ended->signal != 0)
    return fmt::format("was ended by signal {} ({})", outcome.ended->signal, strsignal(outcome.ended->signal));
  return outcome.attached ? "has ended" : fmt::format("exited with {}", outcome.ended->code);
}

Json ended_json(const AttachResult& outcome) {
  if (!outcome.ended) return nullptr;
  const os::Ended& ended = *outcome.ended;
  return {{"code", ended.signal == 0 && !outcome.attached ? Json(ended.code) : Json(nullptr)},
          {"signal", ended.signal == 0 ? Json(nullptr) : Json(ended.signal)}};
}

Json used_json(const AttachResult& outcome) {
  if (!outcome.ended || outcome.attached) return nullptr;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  const rusage& used = outcome.ended->used;
  return {{"user_s", seconds(used.ru_utime)},
          {"system_s", seconds(used.ru_stime)},
          {"peak_rss_bytes", static_cast<std::uint64_t>(used.ru_maxrss) * 1024}};
}

std::string summary_text(const AttachResult& outcome, const Prepared& prepared, const attach::Attachment& attachment) {
  const attach::ThreadPlacer& thread_placer = attachment.thread_placer();
  const attach::Tally& tally = thread_placer.tally();
  std::string text =
      fmt::format("charm: {} {} after {}; policy {} on {}\n", outcome.program, how_it_ended(outcome),
                  base::format_seconds(outcome.seconds), thread_placer.plan().policy(), place_of(thread_placer.plan()));
  text += fmt::format("charm: {}, at most {} at a time, up to {}; {}, {} between chiplets, {} set\n",
                      base::counted(tally.threads, "thread"), tally.most_threads,
                      base::counted(tally.most_workers, "worker"), base::counted(tally.placements, "new placement"),
                      base::counted(tally.moves, "move"), base::counted(tally.masks, "mask"));
  if (attachment.most_holders() > 1) {
    text += fmt::format("charm: the machine was shared by up to {} programs; it had {} at least\n",
                        attachment.most_holders(),
                        base::counted(static_cast<std::size_t>(attachment.fewest_cores()), "core"));
  }
  if (!prepared.pools.empty()) {
    std::string names;
    for (const auto& pool : prepared.pools) names += (names.empty() ? "" : ", ") + pool.name;
    text += fmt::format("charm: pools of {} where the program obeys {}\n",
                        base::counted(static_cast<std::size_t>(attach::pool_threads(prepared.plan)), "thread"), names);
  }
  text += "charm: the system itself: " + os::one_line(os::read_system_placement()) + "\n";
  const auto decisions = thread_placer.decisions();
  for (std::size_t d = decisions.size() - std::min(decisions.size(), shown_decisions); d < decisions.size(); ++d)
    text += "charm: " + explain(decisions[d]) + "\n";
  for (const auto& note : notes_of(outcome, prepared, attachment)) {
    if (!outcome.trouble_was_said || note != outcome.trouble) text += "charm: " + note + "\n";
  }
  return text;
}

std::string summary_json(const AttachResult& outcome, const Prepared& prepared, const attach::Attachment& attachment) {
  const attach::ThreadPlacer& thread_placer = attachment.thread_placer();
  const attach::Tally& tally = thread_placer.tally();
  Json decisions = Json::array();
  for (const Decision& decision : thread_placer.decisions()) decisions.push_back(controller::json_of(decision));
  Json share = nullptr;
  if (attachment.lease() != nullptr) {
    share = {{"holders", attachment.most_holders()},
             {"fewest_cores", attachment.fewest_cores()},
             {"cores", attachment.lease()->standing().holds}};
  }
  return dumped({{"program", outcome.program},
                 {"pid", outcome.pid},
                 {"attached", outcome.attached},
                 {"seconds", outcome.seconds},
                 {"ended", ended_json(outcome)},
                 {"used", used_json(outcome)},
                 {"plan", plan_json(thread_placer.plan())},
                 {"threads",
                  {{"found", tally.threads},
                   {"most", tally.most_threads},
                   {"most_workers", tally.most_workers},
                   {"processes", tally.processes},
                   {"left_alone", tally.left_alone},
                   {"found_by", outcome.found_by}}},
                 {"placements", tally.placements},
                 {"moves", tally.moves},
                 {"masks", tally.masks},
                 {"shared_cores", tally.shared},
                 {"avoided", tally.avoided},
                 {"counters", outcome.counters},
                 {"decisions", decisions},
                 {"variables", pools_json(prepared.pools)},
                 {"share", share},
                 {"placed_by", os::one_line(os::read_system_placement())},
                 {"own_cpu_s", outcome.own_seconds},
                 {"notes", notes_of(outcome, prepared, attachment)}});
}

std::string intent_text(const AttachOptions& options, const Prepared& prepared) {
  const attach::AttachPlan& plan = prepared.plan;
  std::string what;
  for (const auto& word : options.program) what += (what.empty() ? "" : " ") + word;
  if (what.empty()) what = fmt::format("process {}", options.pid);
  std::string text = fmt::format("{}: policy {} on {}\n", what, plan.policy(), place_of(plan));
  if (!prepared.pins.empty()) {
    text = fmt::format("{}: the first thread on cpu {}, then on in this order: {}; then from the first cpu again\n",
                       what, prepared.pins.front(), fmt::join(prepared.pins, ","));
    for (const auto& pool : prepared.pools) text += fmt::format("{}={} ({})\n", pool.name, pool.value, pool.why);
    for (const auto& note : prepared.notes) text += "note: " + note + "\n";
    return text;
  }
  if (options.once) text += "it is placed once, and nothing of charm stays\n";
  if (const std::string kinds = placement::kinds_text(plan.machine); !kinds.empty())
    text += "kinds of cores: " + kinds + "; the faster ones get workers first\n";
  const std::vector<WorkerCore> worker_cores = expected_cores(options, plan);
  const auto [workers, why] = expected_workers(options, plan);
  if (plan.by_kernel) {
    text += fmt::format(
        "{}, {}: the kernel chooses their cpus, among all of the plan where it gathers them on one cache by itself, "
        "else "
        "on whole chiplets\n",
        base::counted(static_cast<std::size_t>(workers), "worker"), why);
  } else if (!worker_cores.empty() && worker_cores.front().cpu >= 0) {
    std::vector<int> cpus;
    for (const WorkerCore& each : worker_cores) cpus.push_back(each.cpu);
    text +=
        fmt::format("{}, {}, would be on cpus {} ({})\n", base::counted(static_cast<std::size_t>(workers), "worker"),
                    why, fmt::join(cpus, " "), by_chiplet(worker_cores));
    if (static_cast<std::size_t>(workers) > worker_cores.size())
      text +=
          fmt::format("they would share these {}, chiplet by chiplet\n", base::counted(worker_cores.size(), "core"));
    if (decides(prepared) && worker_cores.size() > 1)
      text += fmt::format("that is where they would begin: '{}' moves them as it measures\n", plan.spec);
    text +=
        "with another number of workers they are placed anew; which worker has which of the cpus is decided as they "
        "come up\n";
  } else {
    text += "no thread would be bound to less than that\n";
  }
  text += "threads that sleep stay near the workers\n";
  for (const auto& pool : prepared.pools) text += fmt::format("{}={} ({})\n", pool.name, pool.value, pool.why);
  if (options.memory != attach::Memory::keep) text += fmt::format("memory policy: {}\n", base::word_of(options.memory));
  for (const auto& note : prepared.notes) text += "note: " + note + "\n";
  return text;
}

std::string intent_json(const AttachOptions& options, const Prepared& prepared) {
  Json worker_cores = Json::array();
  for (const WorkerCore& worker_core : expected_cores(options, prepared.plan)) {
    worker_cores.push_back({{"worker", worker_cores.size()},
                            {"cpu", worker_core.cpu},
                            {"core", worker_core.core},
                            {"chiplet", worker_core.chiplet},
                            {"node", worker_core.node},
                            {"socket", worker_core.socket}});
  }
  return dumped({{"program", options.program},
                 {"plan", plan_json(prepared.plan)},
                 {"pins", prepared.pins},
                 {"once", options.once},
                 {"worker_cores", worker_cores},
                 {"variables", pools_json(prepared.pools)},
                 {"memory", base::word_of(options.memory)},
                 {"notes", prepared.notes}});
}

}  // namespace charm::cli
