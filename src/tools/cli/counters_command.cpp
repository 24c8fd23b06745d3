// `charm counters`: shows what can be measured here, or on a core of the catalogue: which fill sources can be told
// apart, what each number means, and, if there are no counters, exactly why and what would help.
#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/settings.hpp"
#include "controller/setup.hpp"
#include "counters/blind_spots.hpp"
#include "counters/ration.hpp"
#include "counters/sources.hpp"
#include "counters/switch_cost.hpp"
#include "os/perf/libpfm.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/text_table.hpp"
#include "topology/discovery.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;
namespace counters = charm::counters;

struct CountersArguments {
  OutputOptions output;
  std::string machine;
  std::string from;
  bool events = false;
};

/// Everything that is shown, in either form.
struct View {
  const counters::CpuModel* model = nullptr;  // null: the catalogue does not know the core
  counters::Shape shape;
  bool here = true;  // this machine, not a core of the catalogue
  counters::Description description;
  std::vector<const counters::EventRow*> rows;             // that the core can count
  std::map<std::string, std::vector<std::string>> uncore;  // kind: devices
  std::optional<int> paranoid;
  std::optional<int> user_access;
  std::string core;                               // vendor, family, model, stepping of this machine
  controller::Traits costs;                       // what a controller takes fills to cost
  std::optional<counters::SwitchCost> switching;  // of threads that are counted, where it could be measured
  std::vector<std::string> blind;                 // what a controller cannot see
};

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& model : counters::cpu_models()) {
    if (names.empty() || names.back() != model.name) names.emplace_back(model.name);
  }
  return names;
}

/// A plan as the description of a source that nobody opened.
counters::Description on_paper(const counters::CpuModel& model, const counters::Shape& shape,
                               const std::vector<counters::UserEvent>& wishes) {
  const counters::EventPlan plan = counters::make_plan(&model, shape, wishes);
  counters::Description description;
  description.kind = counters::Description::Kind::hardware;
  description.name = "hardware counters (" + std::string(model.title) + ")";
  description.classes = plan.classes;
  description.multiplexed = plan.multiplexed();
  description.notes = plan.notes;
  description.has.instructions = plan.counts(counters::EventRole::instructions);
  description.has.cycles = plan.counts(counters::EventRole::cycles);
  for (const auto& group : plan.groups) {
    for (const auto& one : group) {
      if (one.role == counters::EventRole::fill) description.has.fills.add(one.source);
    }
  }
  if (description.multiplexed) {
    description.notes.push_back(
        fmt::format("the events take turns in {} groups; totals are extrapolated", plan.groups.size()));
  }
  return description;
}

counters::Description of_this_machine(const base::Settings& settings, const Machine& machine, const View& view,
                                      const std::vector<counters::UserEvent>& wishes,
                                      const counters::SourceContext& around) {
  using base::Counters;
  const Counters asked = settings.counters.choice;
  const bool automatic = asked == Counters::automatic || asked == Counters::hardware ||
                         asked == Counters::record;  // looking shall not begin a recording
  if (!automatic) return counters::choose_source(settings, machine, around)->describe();
  auto attempt = counters::try_hardware(view.model, view.shape, wishes, around);
  if (attempt.source != nullptr) return attempt.source->describe();
  return counters::software_source(around, attempt.refusal)->describe();
}

std::optional<counters::SwitchCost> measured_switching(const View& view,
                                                       const std::vector<counters::UserEvent>& wishes) {
  if (view.description.kind != counters::Description::Kind::hardware) return std::nullopt;
  std::vector<os::PerfEvent> events;
  for (const auto& group : counters::make_plan(view.model, view.shape, wishes).groups) {
    for (const auto& one : group) events.push_back(one.event);
  }
  const auto handover = os::start_handover();
  if (handover == nullptr) return std::nullopt;
  return counters::measure_switch_cost(*os::system_attached_events(), events, *handover);
}

View look(const CountersArguments& options) {
  View view;
  const auto settings = base::resolve({});
  const auto wishes = counters::parse_user_events(settings.counter_events);
  const Machine machine = options.from.empty() ? topology::discover_quietly(topology::source_of(settings)).machine
                                               : Machine::from(options.from);
  view.shape = counters::shape_of(machine);
  view.costs = controller::traits_for(machine);
  view.here = options.machine.empty();
  if (view.here) {
    auto around = counters::source_context();
    around.threads = settings.workers > 0 ? settings.workers : static_cast<int>(machine.cores.size());
    around.system_signals = settings.counters.choice == base::Counters::record;
    around.switch_cost = nullptr;  // measured with more care below
    view.model = counters::model_of(around.cpu);
    view.core = fmt::format("{} family {:#x} model {:#x} stepping {}",
                            around.cpu.vendor.empty() ? "unknown vendor" : around.cpu.vendor, around.cpu.family,
                            around.cpu.model, around.cpu.stepping);
    view.paranoid = around.access.paranoid;
    view.user_access = around.access.user_access;
    for (const auto& device : around.access.devices) {
      if (const auto kind = os::uncore_kind(device); !kind.empty()) view.uncore[kind].push_back(device);
    }
    view.description = of_this_machine(settings, machine, view, wishes, around);
    view.switching = measured_switching(view, wishes);
    if (view.switching) view.description.switch_s = view.switching->added_s();
  } else {
    view.model = counters::model_named(options.machine);
    if (options.from.empty()) view.shape = {2, 2, 2};  // two sockets show everything that a core can tell apart
    view.description = on_paper(*view.model, view.shape, wishes);
  }
  // A core of the catalogue is in no machine: what it cannot tell apart is told for several chiplets in a node.
  const bool nowhere = !view.here && options.from.empty();
  view.blind = counters::blind_spots(view.description, nowhere ? Machine::from("pack:2 l3:2 core:2 pu:1") : machine);
  if (view.model != nullptr) view.rows = counters::rows_for(*view.model, view.shape);
  return view;
}

const char* kind_name(counters::Description::Kind kind) {
  switch (kind) {
    case counters::Description::Kind::hardware:
      return "hardware";
    case counters::Description::Kind::replay:
      return "replay";
    case counters::Description::Kind::software:
      return "software";
    case counters::Description::Kind::none:
      break;
  }
  return "none";
}

const char* method_name(counters::Description::Method method) {
  switch (method) {
    case counters::Description::Method::rdpmc:
      return "rdpmc";
    case counters::Description::Method::system_call:
      return "system call";
    case counters::Description::Method::file:
      return "file";
    case counters::Description::Method::nothing:
      break;
  }
  return "nothing";
}

const char* use_name(counters::EventRow::Use use) {
  switch (use) {
    case counters::EventRow::Use::always:
      return "always";
    case counters::EventRow::Use::if_free:
      return "if a counter is free";
    case counters::EventRow::Use::on_request:
      break;
  }
  return "on request";
}

Json names_of(counters::FillSet set) {
  Json names = Json::array();
  for (const auto source : counters::all_fill_sources) {
    if (set.has(source)) names.push_back(std::string(counters::name(source)));
  }
  return names;
}

Json optional_number(const std::optional<int>& number) { return number ? Json(*number) : Json(nullptr); }

Json costs_json(const controller::Traits& costs) {
  Json latency = Json::object(), measured = Json::array();
  for (const auto source : controller::sources_beyond_l2) {
    const std::string name(counters::name(source));
    latency[name] = costs.latency_ns[controller::index_beyond_l2(source)];
    if (costs.measured[controller::index_beyond_l2(source)]) measured.push_back(name);
  }
  return {{"latency_ns", latency},
          {"measured", measured},
          {"link_gb_per_s", costs.link_gb_per_s},
          {"node_gb_per_s", costs.node_gb_per_s},
          {"rates_source", costs.rates_source},
          {"source", costs.source}};
}

std::string costs_text(const controller::Traits& costs) {
  std::string text = "costs    ";
  for (const auto source : controller::sources_beyond_l2)
    text += fmt::format("{}{} {:.0f} ns", source == controller::sources_beyond_l2.front() ? "" : ", ",
                        counters::name(source), costs.latency_ns[controller::index_beyond_l2(source)]);
  return text + fmt::format(" ({})\nreads    a chiplet {:.0f} GB/s, a node {:.0f} GB/s ({})\n", costs.source,
                            costs.link_gb_per_s, costs.node_gb_per_s, costs.rates_source);
}

std::string as_json(const View& view, bool with_events) {
  const auto& description = view.description;
  Json all;
  all["core"] = {{"model", view.model == nullptr ? Json(nullptr) : Json(std::string(view.model->name))},
                 {"title", view.model == nullptr ? Json(nullptr) : Json(std::string(view.model->title))},
                 {"nodes", view.shape.nodes},
                 {"sockets", view.shape.sockets}};
  if (view.here) all["core"]["identity"] = view.core;
  all["source"] = kind_name(description.kind);
  all["name"] = description.name;
  if (view.here) all["read_by"] = method_name(description.method);
  all["why_not"] = description.why_not;
  all["remedy"] = description.remedy;
  all["multiplexed"] = description.multiplexed;
  Json measured = Json::array();
  if (description.has.instructions) measured.push_back("instructions");
  if (description.has.cycles) measured.push_back("cycles");
  if (description.has.page_faults) measured.push_back("page_faults");
  if (description.has.migrations) measured.push_back("migrations");
  if (description.has.waiting) measured.push_back("waiting_ns");
  all["measured"] = measured;
  all["told_apart"] = names_of(counters::told_apart(description.classes));
  Json classes = Json::array();
  for (const auto& one : description.classes) {
    classes.push_back({{"reported_as", std::string(counters::name(one.reported_as))},
                       {"covers", names_of(one.covers)},
                       {"meaning", one.meaning}});
  }
  all["fills"] = classes;
  if (view.here) {
    all["perf_event_paranoid"] = optional_number(view.paranoid);
    all["user_access"] = optional_number(view.user_access);
    all["libpfm"] = os::libpfm_available();
    Json uncore = Json::object();
    for (const auto& [kind, devices] : view.uncore) uncore[kind] = devices;
    all["uncore"] = uncore;
  }
  if (view.here) all["costs"] = costs_json(view.costs);
  if (view.here) {
    all["switch"] = view.switching ? Json{{"plain_s", view.switching->plain_s},
                                          {"counted_s", view.switching->counted_s},
                                          {"events", view.switching->events}}
                                   : Json(nullptr);
  }
  if (view.here && description.files > 0) {
    all["files_per_worker"] = description.files;
    all["events_per_worker"] = description.events_counted;
  }
  if (view.here && description.reading_s > 0) {
    all["reading_s"] = description.reading_s;
    all["reading_pause_s"] = counters::reading_pause(description.reading_s);
    all["most_switches_per_s"] = counters::most_switches(description.switch_s);
  }
  all["blind_spots"] = view.blind;
  all["notes"] = description.notes;
  if (with_events) {
    Json events = Json::array();
    for (const auto* row : view.rows) {
      events.push_back({{"source", std::string(counters::name(row->source))},
                        {"covers", names_of(row->covers)},
                        {"name", std::string(row->name)},
                        {"code", counters::raw_text(row->event)},
                        {"sign", row->minus ? "minus" : "plus"},
                        {"counted", use_name(row->use)},
                        {"libpfm", std::string(row->libpfm)},
                        {"origin", std::string(row->origin)},
                        {"meaning", std::string(row->meaning)}});
    }
    all["events"] = events;
  }
  return base::json_text(all, 2) + "\n";
}

std::string heading(const View& view) {
  if (view.model == nullptr) return fmt::format("core     {}, which the event catalogue does not know", view.core);
  return fmt::format("core     {} ({}){}", view.model->title, view.model->name,
                     view.here ? ", " + view.core : std::string());
}

std::string as_text(const View& view, bool with_events, bool colour) {
  const auto& description = view.description;
  std::string text = heading(view) + "\n";
  text += fmt::format("source   {}", description.name);
  if (view.here && description.kind == counters::Description::Kind::hardware) {
    text += fmt::format(", read by {}", method_name(description.method));
  }
  text += "\n";
  if (!description.why_not.empty()) text += fmt::format("why not  {}\n", description.why_not);
  if (!description.remedy.empty()) text += fmt::format("remedy   {}\n", description.remedy);
  std::string besides;
  const auto add = [&](bool has, const char* what) {
    if (has) besides += (besides.empty() ? "" : ", ") + std::string(what);
  };
  add(description.has.instructions, "instructions");
  add(description.has.cycles, "cycles");
  add(description.has.page_faults, "page faults");
  add(description.has.migrations, "migrations");
  add(description.has.waiting, "time without a cpu");
  if (!besides.empty()) text += fmt::format("counts   {}\n", besides);
  if (view.here) text += costs_text(view.costs);
  if (view.switching) {
    text += fmt::format("switch   {:.2f} us from thread to thread, {:.2f} us where {} events count both\n",
                        1e6 * view.switching->plain_s, 1e6 * view.switching->counted_s, view.switching->events);
  }
  if (view.here && description.files > 0) {
    text += fmt::format("files    {} open for each worker, which counts {} events\n", description.files,
                        description.events_counted);
  }
  if (view.here && description.reading_s > 0) {
    text += fmt::format("reading  {:.3g} us: one in {:.3g} ms takes {:.1f} % of a worker's time\n",
                        1e6 * description.reading_s, 1e3 * counters::reading_pause(description.reading_s),
                        100 * counters::readings_share);
    if (description.switch_s > 0) {
      text += fmt::format("         a worker that switches more than {:.0f} times a second is not counted\n",
                          counters::most_switches(description.switch_s));
    }
  }
  for (const auto& spot : view.blind) text += "blind    " + spot + "\n";

  text += "\n";
  std::vector<std::vector<Cell>> rows;
  for (const auto source : counters::all_fill_sources) {
    std::string how = "not counted";
    std::string meaning;
    for (const auto& one : description.classes) {
      if (!one.covers.has(source)) continue;
      how = one.covers == counters::FillSet{source} ? "a number of its own"
            : one.reported_as == source             ? "in the sum " + counters::to_text(one.covers)
                                                    : "in " + std::string(counters::name(one.reported_as));
      if (one.reported_as == source) meaning = one.meaning;
    }
    rows.push_back(
        {{std::string(counters::name(source)), "1"}, {how, how == "not counted" ? "2" : "36"}, {meaning, ""}});
  }
  text += render_table({{"fill source"}, {"counted as"}, {"meaning"}}, rows, colour);
  for (const auto& note : description.notes) text += "note: " + note + "\n";
  if (view.here) {
    for (const auto& [kind, devices] : view.uncore)
      text += fmt::format("uncore {}: {} devices\n", kind, devices.size());
  }
  if (!with_events) return text;

  std::vector<std::vector<Cell>> events;
  for (const auto* row : view.rows) {
    events.push_back({{std::string(counters::name(row->source)), "1"},
                      {(row->minus ? "-" : "") + counters::raw_text(row->event), "36"},
                      {std::string(row->name), ""},
                      {use_name(row->use), ""},
                      {std::string(row->origin), "2"}});
  }
  if (events.empty()) return text + "\nThe catalogue has no events for this core.\n";
  return text + "\n" + render_table({{"source"}, {"code"}, {"event"}, {"counted"}, {"origin"}}, events, colour);
}

void declare_counters(CLI::App& app, Session& session) {
  auto options = std::make_shared<CountersArguments>();
  one_of(app.add_option("--machine", options->machine, "Show what a core of the catalogue can count"), model_names());
  file_path(app.add_option(
      "--from", options->from,
      "The machine's shape, from an hwloc XML file, synthetic string or product, in place of this one's"));
  app.add_flag("--events", options->events, "List the events of the catalogue for the core");
  add_output_options(app, options->output);
  app.callback([&session, options] {
    session.action = [&session, options] {
      const View view = look(*options);
      session.out << (options->output.json ? as_json(view, options->events)
                                           : as_text(view, options->events, colour_on_stdout(options->output.colour)));
      return exit_done;
    };
  });
}

}  // namespace

Command counters_entry() {
  return {"counters", "Show what can be measured: fill sources, events, or why there are none",
          "  charm counters --machine zen4 --events", declare_counters};
}

}  // namespace charm::cli
