#include "tools/cli/attach/growth.hpp"

#include <charm/error.hpp>

#include <utility>

#include "base/notices.hpp"
#include "topology/discovery.hpp"

namespace charm::cli {
namespace {

class CgroupGrowth final : public attach::Growth {
 public:
  CgroupGrowth(const AttachOptions& options, const Prepared& prepared, CpuSet known, bool attached)
      : options_(options), prepared_(prepared), known_(std::move(known)), attached_(attached) {}

  [[nodiscard]] const CpuSet& known() const override { return known_; }

  std::optional<attach::AttachPlan> plan_on(const CpuSet& granted) override {
    try {
      const Machine machine = topology::discover(topology::source_of(prepared_.settings));
      attach::PlanRequest asked = prepared_.asked;
      asked.cpus.reset();
      // This process may be in another cgroup than the program that it was attached to.
      const CpuSet its = machine.allowed_cpus & granted;
      if (attached_ && its != machine.allowed_cpus) asked.cpus = its;
      return attach::make_plan(machine, asked, prepared_.settings);
    } catch (const Error& error) {
      base::notice("attach: growth", "cpus " + granted.to_text() + " are granted now, and not used: " + error.what());
      return std::nullopt;
    }
  }

  std::unique_ptr<lease::Lease> lease_on(const attach::AttachPlan& plan) override {
    std::vector<std::string> notes;
    auto lease = lease_for(options_, prepared_.settings, plan, notes);
    for (const std::string& note : notes) base::notice("attach: growth", note);
    return lease;
  }

 private:
  const AttachOptions& options_;
  const Prepared& prepared_;
  const CpuSet known_;
  const bool attached_;
};

}  // namespace

std::unique_ptr<attach::Growth> growth_of(const AttachOptions& options, const Prepared& prepared, const CpuSet& granted,
                                          bool attached) {
  const bool chosen = !options.cpus.empty() || !options.pin_threads.empty() || prepared.came_with != granted;
  return chosen ? nullptr : std::make_unique<CgroupGrowth>(options, prepared, granted, attached);
}

}  // namespace charm::cli
