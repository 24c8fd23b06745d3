#include "tools/cli/attach/options.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "base/format.hpp"
#include "controller/controller.hpp"
#include "tools/attach/locations.hpp"
#include "tools/cli/options.hpp"
#include "topology/discovery.hpp"

namespace charm::cli {
namespace {

constexpr int most_chiplets = 65536;

/// \throws Error (bad_input) where another option contradicts it.
void check_progress(const AttachOptions& options) {
  const std::string option(options.progress_option());
  if (option.empty()) return;
  if (options.once) {
    throw Error(Errc::bad_input, option + ": with --once nobody stays to read it", "leave one of the two out");
  }
  if (!options.pin_threads.empty()) {
    throw Error(Errc::bad_input, option + ": threads on a list of cpus (--pin-threads) are never moved",
                "leave one of the two out");
  }
}

/// "2" or "2:cache".
std::optional<ChipletsWanted> chiplets_wanted(const std::string& text) {
  const auto colon = text.find(':');
  ChipletsWanted wanted;
  const auto [end, error] = std::from_chars(text.data(), text.data() + std::min(colon, text.size()), wanted.most);
  if (error != std::errc() || end != text.data() + std::min(colon, text.size()) || wanted.most < 1 ||
      wanted.most > most_chiplets)
    return std::nullopt;
  if (colon == std::string::npos) return wanted;
  const auto order = base::choice_named<attach::ChipletOrder>(text.substr(colon + 1));
  if (!order) return std::nullopt;
  wanted.order = *order;
  return wanted;
}

/// "once", "follow=2.5".
std::optional<attach::PagesWish> pages_wish(const std::string& text) {
  using When = attach::PagesWish::When;
  const auto equals = text.find('=');
  const std::string word = text.substr(0, equals);
  attach::PagesWish wish;
  if (word == "keep" && equals == std::string::npos) return wish;
  if (word != "once" && word != "follow") return std::nullopt;
  wish.when = word == "once" ? When::once : When::follow;
  if (equals == std::string::npos) return wish;
  char* end = nullptr;
  wish.gb_per_s = std::strtod(text.c_str() + equals + 1, &end);
  constexpr double least = .001, most = 1000;  // a NaN is in no range
  return *end == '\0' && wish.gb_per_s >= least && wish.gb_per_s <= most ? std::optional(wish) : std::nullopt;
}

std::string no_chiplets(const std::string& text) {
  return "'" + text + "' is not a number of chiplets; write 1 to " + std::to_string(most_chiplets) +
         ", and behind it cache, fast or cores for which of them, as in 2:cache";
}

}  // namespace

std::unique_ptr<lease::Lease> lease_for(const AttachOptions& options, const base::Settings& settings,
                                        const attach::AttachPlan& plan, std::vector<std::string>& notes) {
  const auto share = base::share_named(options.share).value_or(settings.share);
  // A lease ends with the process that reads the table, and whoever names cpus for each thread has shared them out.
  if (options.once || !options.pin_threads.empty()) return nullptr;
  if (share.choice == base::Share::off || options.dry_run || plan.spec == "os") return nullptr;
  const std::string path = share.choice == base::Share::file ? share.file : lease::default_path();
  const int weight = options.weight > 0 ? options.weight : settings.share_weight;
  try {
    return std::make_unique<lease::Lease>(
        path, plan.machine, weight, attach::cores_of_chiplets(plan.machine, options.chiplets.most, plan.chiplet_order));
  } catch (const Error& error) {
    // A file that cannot be used is a wrong option or setting, whatever the system said of it.
    if (share.choice != base::Share::automatic) throw Error(Errc::bad_input, error.what(), "");
    notes.push_back(std::string("the machine is not shared by leases: ") + error.what());
    return nullptr;
  }
}

std::unique_ptr<attach::ProgressSource> progress_source(const AttachOptions& options) {
  if (!options.progress.empty()) return std::make_unique<attach::FileProgress>(options.progress);
  if (!options.metric.empty()) return std::make_unique<attach::CommandProgress>(options.metric);
  return options.progress_fd > 0 ? std::make_unique<attach::WrittenProgress>() : nullptr;
}

bool decides(const Prepared& prepared) {
  return !prepared.whole.by_kernel && controller::moves(prepared.whole.spec) &&
         prepared.whole.machine.chiplets.size() > 1;
}

void declare_shared(CLI::App& app, AttachOptions& options) {
  // Parameters may follow a name ("adaptive:tick=0.1"), so the words are offered and not enforced here.
  std::string names;
  for (const auto name : controller::policy_names()) names += (names.empty() ? "" : ",") + std::string(name);
  not_empty(app.add_option("--policy", options.policy,
                           "How workers are placed, as the setting policy, or kernel: never on a single cpu "
                           "[the setting]"))
      ->type_name("{" + names + ",kernel}");
  CLI::Option* cpus = not_empty(app.add_option("--cpus", options.cpus,
                                               "Use only these cpus, as 0-3,8 or node:0 or l3:2-3 or socket:1.core:0-3 "
                                               "or kind:performance [all that are allowed "
                                               "but low-power ones]"))
                          ->type_name("LIST");
  not_empty(app.add_option("--pin-threads", options.pin_threads,
                           "The first thread on the first of these cpus, the second on the second, ..., and so on"))
      ->type_name("LIST")
      ->excludes(cpus);
  app.add_flag("--once", options.once, "Place it once and leave it alone from then on");
  app.add_option_function<std::string>(
         "--chiplets",
         [&options](const std::string& text) { options.chiplets = chiplets_wanted(text).value_or(options.chiplets); },
         "Largest number of chiplets to use, and which: 2, 2:cache, 2:fast or 2:cores [all]")
      ->type_name("N[:WHICH]")
      ->check([](const std::string& text) { return chiplets_wanted(text) ? std::string() : no_chiplets(text); });
  app.add_flag("--smt", options.smt, "Second hardware threads of cores count as cores");
  app.add_flag("--children", options.children, "Place the threads of the processes that the program starts, too");
  app.add_option("--share", options.share,
                 "Lease cores beside other programs: on, off, or the path of the table of leases [on]")
      ->type_name("{on,off}")
      ->check([](const std::string& text) {
        return text != "auto" && base::share_named(text) ? std::string()
                                                         : "'" + text + "' is not on, off or a path that begins with /";
      });
  whole_number(app.add_option("--weight", options.weight, "Weight when cores are divided among programs [100]"), 1,
               1000);
  CLI::Option* progress =
      file_path(app.add_option("--progress", options.progress,
                               "File whose first number is the work done so far; the controller then compares levels"));
  not_empty(app.add_option("--metric", options.metric,
                           "Shell command that prints that number; it is run once a second or more seldom"))
      ->type_name("COMMAND")
      ->excludes(progress);
  app.add_option_function<std::string>(
         "--pages", [&options](const std::string& text) { options.pages = pages_wish(text).value_or(options.pages); },
         "Move pages to the nodes of the workers: keep, once when these stand still, or follow=GB/s after each move")
      ->type_name("{keep,once,follow}")
      ->default_str("keep")
      ->check([](const std::string& text) {
        return pages_wish(text) ? std::string()
                                : "'" + text + "' is not keep, once, follow, or one of the last two with =GB/s";
      });
  app.add_flag("--no-avoid", options.no_avoid, "Do not leave cores that other programs keep busy");
  file_path(app.add_option("--report", options.report, "Write the summary there, as JSON, and nothing to stderr"));
  app.add_flag("-q,--quiet", options.quiet, "No summary on stderr");
}

Prepared prepare(const AttachOptions& options, const CpuSet& came_with, bool attach) {
  if (options.pages.when != attach::PagesWish::When::keep && (options.once || !options.pin_threads.empty()))
    throw Error(Errc::bad_input,
                options.once ? "--pages: with --once nobody stays to move them"
                             : "--pages: threads on a list of cpus (--pin-threads) are never moved",
                "leave one of the two out");
  Prepared prepared;
  prepared.settings = base::resolve({});
  prepared.came_with = came_with;
  attach::PlanRequest asked;
  asked.policy = options.policy;
  const bool by_place = options.cpus.find(':') != std::string::npos;
  if (!options.cpus.empty() && !by_place) asked.cpus = CpuSet::parse(options.cpus, "--cpus");
  asked.chiplets = options.chiplets.most;
  asked.chiplet_order = options.chiplets.order;
  if (options.smt) asked.smt = true;
  asked.workers = options.workers;
  asked.memory = options.memory;
  asked.size = !attach && !options.no_size;
  attach::spec_for(asked, prepared.settings);  // a wrong name is said before anything is looked at
  check_progress(options);

  topology::Discovery discovery = topology::discover_at_start(topology::source_of(prepared.settings));
  for (const auto& [key, text] : discovery.notices) prepared.notes.push_back(text);
  for (const auto& doubt : discovery.machine.doubts) prepared.notes.push_back(doubt);
  if (!discovery.machine.is_live() && !options.dry_run) {
    throw Error(Errc::bad_config,
                "the setting topology names a machine that is not this one (" + discovery.machine.origin + ")",
                "unset CHARM_TOPOLOGY, or add --dry-run");
  }
  if (by_place) {
    CpuSet cpus;
    for (const int cpu : attach::cpus_at(discovery.machine, options.cpus, "--cpus")) cpus.insert(cpu);
    asked.cpus = cpus;
  }
  if (!options.pin_threads.empty()) {
    prepared.pins = attach::cpus_at(discovery.machine, options.pin_threads, "--pin-threads");
    CpuSet cpus;
    for (const int cpu : prepared.pins) cpus.insert(cpu);
    asked.cpus = cpus;
    asked.smt = true;  // whoever names two threads of a core wants both
  }
  if (attach && !options.dry_run && options.cpus.empty() && options.pin_threads.empty()) {
    asked.cpus = discovery.machine.allowed_cpus & came_with;
    if (asked.cpus->empty()) asked.cpus.reset();
  }
  // --chiplets is applied to what the lease has: two programs with one chiplet each shall not both take the first.
  const int chiplets = asked.chiplets;
  attach::make_plan(discovery.machine, asked, prepared.settings);
  asked.chiplets = 0;
  prepared.whole = attach::make_plan(discovery.machine, asked, prepared.settings);
  prepared.asked = asked;
  prepared.lease = lease_for(options, prepared.settings, prepared.whole, prepared.notes);
  const CoreCpuSet leased = prepared.lease ? prepared.lease->standing().keeps() : CoreCpuSet();
  prepared.plan = attach::Attachment::plan_on(prepared.whole, chiplets, prepared.lease ? &leased : nullptr);
  if (const std::string option(options.progress_option()); !option.empty() && !decides(prepared)) {
    prepared.notes.push_back(option + " is not asked: " +
                             (prepared.whole.machine.chiplets.size() < 2
                                  ? "there is one chiplet, so nothing is to be decided"
                                  : "the policy '" + prepared.whole.policy() + "' never moves a thread"));
  }
  const auto team = attach::openmp_threads([](const char* name) { return std::getenv(name); });
  if (asked.size && options.workers > 0 && team && *team != options.workers) {
    prepared.notes.push_back("OMP_NUM_THREADS is set to " + std::to_string(*team) +
                             ", which stays: only other pools get " +
                             base::counted(static_cast<std::size_t>(options.workers), "thread"));
  }
  if (asked.size) {
    std::vector<std::string> left_out =
        options.left_out.empty() ? std::vector<std::string>() : split_list(options.left_out);
    prepared.pools = attach::pool_sizes(prepared.plan, {options.program, options.children}, left_out,
                                        [](const char* name) { return std::getenv(name); });
  }
  return prepared;
}

}  // namespace charm::cli
