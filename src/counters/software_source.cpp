// The source without hardware counters: the operating system's counts of each thread.
#include <optional>
#include <utility>

#include "counters/shared.hpp"
#include "counters/software.hpp"

namespace charm::counters {
namespace {

class SoftwareThread final : public ThreadCounters {
 public:
  explicit SoftwareThread(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {
    if (shared_->around.system_signals) software_.emplace(shared_->around.perf);
  }
  ~SoftwareThread() override {
    if (software_ && !shared_->fork_detector.same_process()) software_->forget_pages();
  }
  Reading read() noexcept override {
    last_.time_ns = shared_->around.clock();
    last_.has = {};
    if (software_ && shared_->fork_detector.same_process()) {
      last_.has = software_->measured();
      software_->fill(last_);
    }
    return last_;
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::optional<SoftwareSignals> software_;
  Reading last_;
};

class SoftwareSource final : public Source {
 public:
  SoftwareSource(std::shared_ptr<Shared> shared, Description description)
      : shared_(std::move(shared)), description_(std::move(description)) {}
  std::unique_ptr<ThreadCounters> open_for_this_thread(int) override {
    return std::make_unique<SoftwareThread>(shared_);
  }
  [[nodiscard]] Description describe() const override { return description_; }
  Pressure pressure() override { return read_pressure(shared_->around.root); }

 private:
  std::shared_ptr<Shared> shared_;
  Description description_;
};

}  // namespace

std::shared_ptr<Shared> share(const SourceContext& around) { return std::make_shared<Shared>(around); }

std::unique_ptr<ThreadCounters> software_thread(std::shared_ptr<Shared> shared) {
  return std::make_unique<SoftwareThread>(std::move(shared));
}

std::unique_ptr<Source> software_source(const SourceContext& around, const Refusal& refusal) {
  Description description;
  description.kind = Description::Kind::software;
  description.method = Description::Method::system_call;
  description.name = "software signals";
  description.why_not = refusal.why;
  description.remedy = refusal.remedy;
  if (!around.system_signals) return std::make_unique<SoftwareSource>(share(around), std::move(description));
  const SoftwareSignals software(around.perf);
  description.has = software.measured();
  if (!software.exact_migrations()) {
    description.notes.emplace_back("migrations are changes of the cpu between two readings, at least so many");
  }
  return std::make_unique<SoftwareSource>(share(around), std::move(description));
}

}  // namespace charm::counters
