#include "cli/adopt/summary.hpp"

#include <charm/decision.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/format.hpp"
#include "controller/policy.hpp"
#include "os/cpu_list.hpp"
#include "os/pressure.hpp"

namespace charm::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t shown_decisions = 5;

std::string number(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string how_it_ended(const Outcome& outcome) {
  if (!outcome.ended) return "goes on without it";
  if (outcome.ended->signal != 0)
    return fmt::format("was ended by signal {} ({})", outcome.ended->signal, strsignal(outcome.ended->signal));
  return outcome.attached ? "has ended" : fmt::format("exited with {}", outcome.ended->code);
}

std::string place_of(const adopt::Plan& plan) {
  return fmt::format("cpus {} ({} on {})", os::format_cpu_list(plan.cpus),
                     number(static_cast<std::size_t>(plan.cores), "core"),
                     number(plan.machine.chiplets.size(), "chiplet"));
}

std::vector<std::string> notes_of(const Prepared& prepared, const adopt::Steward& steward) {
  std::vector<std::string> notes = prepared.notes;
  const adopt::Adopter& adopter = steward.adopter();
  const adopt::Tally& tally = adopter.tally();
  if (tally.steers_itself) notes.emplace_back("it is a program of the library and places its workers itself");
  if (tally.left_alone > 0)
    notes.push_back(number(tally.left_alone, "thread") + " with a mask of the program's own making left alone");
  if (tally.shared) {
    notes.push_back(fmt::format("{} for {}: they shared them chiplet by chiplet", number(tally.most_workers, "worker"),
                                number(static_cast<std::size_t>(adopter.plan().cores), "core")));
  }
  if (tally.evaded > 0)
    notes.push_back(fmt::format("it left cores that other programs kept busy {}",
                                tally.evaded == 1 ? "once" : fmt::format("{} times", tally.evaded)));
  if (!adopter.trouble().empty()) notes.push_back(adopter.trouble());
  if (const auto pressure = os::cpu_pressure(); pressure && *pressure >= 10) {
    notes.push_back(
        fmt::format("the machine's cpus are in demand: in {:.0f} % of the last ten seconds some thread "
                    "waited for one",
                    *pressure));
  }
  return notes;
}

Json plan_json(const adopt::Plan& plan) {
  return {{"policy", plan.spec}, {"cpus", plan.cpus},
          {"cores", plan.cores}, {"chiplets", plan.machine.chiplets.size()},
          {"bind", plan.bind},   {"smt", plan.request.smt}};
}

Json pools_json(const std::vector<adopt::Pool>& pools) {
  Json list = Json::array();
  for (const auto& pool : pools) list.push_back({{"name", pool.name}, {"value", pool.value}, {"for", pool.why}});
  return list;
}

Json decision_json(const Decision& decision) { return Json::parse(controller::to_json(decision), nullptr, false); }

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

/// Seats of as many workers as get a core of their own.
std::vector<Seat> full_seats(const adopt::Plan& plan) {
  placement::Request request = plan.request;
  request.workers = std::max(1, adopt::pool_threads(plan));
  return controller::placement_for(plan.spec, plan.machine, request).start();
}

}  // namespace

std::string summary_text(const Outcome& outcome, const Prepared& prepared, const adopt::Steward& steward) {
  const adopt::Adopter& adopter = steward.adopter();
  const adopt::Tally& tally = adopter.tally();
  std::string text = fmt::format("charm: {} {} after {}; policy {} on {}\n", outcome.program, how_it_ended(outcome),
                                 format_seconds(outcome.seconds), adopter.plan().spec, place_of(adopter.plan()));
  text +=
      fmt::format("charm: {}, at most {} at a time, up to {}; {}, {} between chiplets, {} set\n",
                  number(tally.threads, "thread"), tally.most_threads, number(tally.most_workers, "worker"),
                  number(tally.placements, "new placement"), number(tally.moves, "move"), number(tally.masks, "mask"));
  if (steward.most_holders() > 1) {
    text += fmt::format("charm: the machine was shared by up to {} programs; it had {} at least\n",
                        steward.most_holders(), number(static_cast<std::size_t>(steward.fewest_cores()), "core"));
  }
  if (!prepared.pools.empty()) {
    std::string names;
    for (const auto& pool : prepared.pools) names += (names.empty() ? "" : ", ") + pool.name;
    text += fmt::format("charm: pools were sized to {} by {}\n", adopt::pool_threads(prepared.plan), names);
  }
  const auto decisions = adopter.decisions();
  for (std::size_t d = decisions.size() - std::min(decisions.size(), shown_decisions); d < decisions.size(); ++d)
    text += "charm: " + explain(decisions[d]) + "\n";
  for (const auto& note : notes_of(prepared, steward)) text += "charm: " + note + "\n";
  return text;
}

std::string summary_json(const Outcome& outcome, const Prepared& prepared, const adopt::Steward& steward) {
  const adopt::Adopter& adopter = steward.adopter();
  const adopt::Tally& tally = adopter.tally();
  Json decisions = Json::array();
  for (const Decision& decision : adopter.decisions()) decisions.push_back(decision_json(decision));
  Json ended = nullptr;
  if (outcome.ended) {
    ended = {{"code", outcome.ended->signal == 0 && !outcome.attached ? Json(outcome.ended->code) : Json(nullptr)},
             {"signal", outcome.ended->signal == 0 ? Json(nullptr) : Json(outcome.ended->signal)}};
  }
  Json used = nullptr;
  if (outcome.ended && !outcome.attached) {
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    used = {{"user_s", seconds(outcome.ended->used.ru_utime)},
            {"system_s", seconds(outcome.ended->used.ru_stime)},
            {"peak_rss_bytes", static_cast<std::uint64_t>(outcome.ended->used.ru_maxrss) * 1024}};
  }
  Json share = nullptr;
  if (steward.lease() != nullptr) {
    share = {{"holders", steward.most_holders()},
             {"fewest_cores", steward.fewest_cores()},
             {"cores", steward.lease()->standing().holds}};
  }
  return dumped({{"program", outcome.program},
                 {"pid", outcome.pid},
                 {"attached", outcome.attached},
                 {"seconds", outcome.seconds},
                 {"ended", ended},
                 {"used", used},
                 {"plan", plan_json(adopter.plan())},
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
                 {"evaded", tally.evaded},
                 {"counters", outcome.counters},
                 {"decisions", decisions},
                 {"variables", pools_json(prepared.pools)},
                 {"share", share},
                 {"own_cpu_s", outcome.own_seconds},
                 {"notes", notes_of(prepared, steward)}});
}

std::string intent_text(const AdoptOptions& options, const Prepared& prepared) {
  const adopt::Plan& plan = prepared.plan;
  std::string what;
  for (const auto& word : options.program) what += (what.empty() ? "" : " ") + word;
  if (what.empty()) what = fmt::format("process {}", options.pid);
  std::string text = fmt::format("{}: policy {} on {}\n", what, plan.spec, place_of(plan));
  const std::vector<Seat> seats = full_seats(plan);
  if (!seats.empty() && seats.front().cpu >= 0) {
    text += fmt::format("{} would sit, in the order in which they come up, on cpus", number(seats.size(), "worker"));
    for (const Seat& seat : seats) text += fmt::format(" {}", seat.cpu);
    text += "\n";
  } else {
    text += "no thread would be bound to less than that\n";
  }
  text += "more workers than cores would share them chiplet by chiplet; threads that sleep stay near the workers\n";
  for (const auto& pool : prepared.pools) text += fmt::format("{}={} ({})\n", pool.name, pool.value, pool.why);
  if (options.memory != "keep") text += fmt::format("memory policy: {}\n", options.memory);
  for (const auto& note : prepared.notes) text += "note: " + note + "\n";
  return text;
}

std::string intent_json(const AdoptOptions& options, const Prepared& prepared) {
  Json seats = Json::array();
  for (const Seat& seat : full_seats(prepared.plan)) {
    seats.push_back({{"worker", seats.size()},
                     {"cpu", seat.cpu},
                     {"core", seat.core},
                     {"chiplet", seat.chiplet},
                     {"node", seat.node},
                     {"socket", seat.socket}});
  }
  return dumped({{"program", options.program},
                 {"plan", plan_json(prepared.plan)},
                 {"seats", seats},
                 {"variables", pools_json(prepared.pools)},
                 {"memory", options.memory},
                 {"notes", prepared.notes}});
}

}  // namespace charm::cli
