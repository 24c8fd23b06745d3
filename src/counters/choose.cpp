// Chooses the source of a runtime: the one that the setting asks for, and for `auto` the best that this machine has.
#include <charm/error.hpp>

#include "base/notices.hpp"
#include "counters/software.hpp"
#include "counters/sources.hpp"

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
  return {os::system_perf_events(), os::read_perf_access(), os::read_cpu_identity(), now_ns, "/"};
}

std::unique_ptr<Source> no_source(const std::string& why) { return std::make_unique<NoSource>(why); }

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
    return recording_source(choose_source(automatic, machine, around), file);
  }

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
                               ". Decisions rest on throughput and what the kernel tells.");
  return software_source(around, attempt.refusal);
}

std::unique_ptr<Source> Source::choose(const base::Settings& settings, const Machine& machine) {
  return choose_source(settings, machine, source_context());
}

}  // namespace charm::counters
