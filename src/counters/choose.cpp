// Chooses the source of a runtime: the one that the setting asks for, and for `auto` the best that this machine has.
#include <charm/error.hpp>

#include "base/notices.hpp"
#include "counters/software.hpp"
#include "counters/sources.hpp"
#include "counters/switch_cost.hpp"
#include "os/files/set_aside.hpp"
#include "os/threads/thread_usage.hpp"

namespace charm::counters {
namespace {

class Nothing final : public ThreadCounters {
 public:
  explicit Nothing(Clock clock) : clock_(std::move(clock)) {}
  Reading read() noexcept override {
    Reading reading;
    reading.time_ns = clock_();
    return reading;
  }

 private:
  Clock clock_;
};

class NoSource final : public Source {
 public:
  explicit NoSource(std::string why) : why_(std::move(why)) {}
  std::unique_ptr<ThreadCounters> open_for_this_thread(int) override { return std::make_unique<Nothing>(now_ns); }
  [[nodiscard]] Description describe() const override {
    Description description;
    description.name = "nothing";
    description.why_not = why_;
    return description;
  }

 private:
  std::string why_;
};

std::string with_remedy(const Refusal& refusal) {
  return refusal.why + (refusal.remedy.empty() ? "" : "; " + refusal.remedy);
}

}  // namespace

SourceContext source_context() {
  SourceContext around{os::system_perf_events(), os::read_perf_access(), os::read_cpu_identity(), now_ns, "/"};
  around.files = os::reachable_file_limit();
  around.switch_cost = [](const std::vector<os::PerfEvent>& events) -> std::optional<double> {
    const auto handover = os::start_handover();
    if (handover == nullptr) return std::nullopt;
    const auto cost = measure_switch_cost(*os::system_attached_events(), events, *handover, quick_measurement);
    return cost ? std::optional(cost->added_s()) : std::nullopt;
  };
  around.switches = os::ThreadUsage::switches;
  return around;
}

std::unique_ptr<Source> no_source(const std::string& why) { return std::make_unique<NoSource>(why); }

namespace {

/// For `auto`, `hardware` and the source of a recording.
std::unique_ptr<Source> automatic_source(const base::Settings& settings, const Machine& machine,
                                         const SourceContext& given) {
  using base::Counters;
  const Counters asked = settings.counters.choice;
  SourceContext around = given;
  around.threads = settings.workers > 0 ? settings.workers : static_cast<int>(machine.cores.size());
  const auto wishes = parse_user_events(settings.counter_events);
  if (asked != Counters::hardware && !machine.is_live()) {
    // Fills of this machine say nothing about the chiplets of another one.
    return software_source(around, {"the machine is on paper (" + machine.origin + ")", ""});
  }
  HardwareAttempt attempt = try_hardware(model_of(around.cpu), shape_of(machine), wishes, around);
  if (attempt.source != nullptr) return std::move(attempt.source);
  if (asked == Counters::hardware) {
    throw Error(Errc::system, "setting counters = hardware: " + attempt.refusal.why,
                attempt.refusal.remedy.empty() ? "use auto or software" : attempt.refusal.remedy);
  }
  base::notice("counters", "no hardware counters: " + with_remedy(attempt.refusal) +
                               ". Decisions rest on throughput and what the kernel reports.");
  return software_source(around, attempt.refusal);
}

}  // namespace

std::unique_ptr<Source> choose_source(const base::Settings& settings, const Machine& machine,
                                      const SourceContext& around) {
  using base::Counters;
  const auto& [asked, file] = settings.counters;
  if (asked == Counters::none) return no_source("the setting counters is none");
  if (asked == Counters::replay) return replay_source(file, Pace::clock, around.clock);
  if (asked == Counters::software) return software_source(around, {"the setting counters is software", ""});
  if (asked == Counters::record) {
    base::Settings automatic = settings;
    automatic.counters = {};
    return recording_source(automatic_source(automatic, machine, around), file);
  }
  // Nobody decides by them, and each costs a thread a file and a system call.
  SourceContext without = around;
  without.system_signals = false;
  return automatic_source(settings, machine, without);
}

std::unique_ptr<Source> Source::choose(const base::Settings& settings, const Machine& machine) {
  return choose_source(settings, machine, source_context());
}

}  // namespace charm::counters
