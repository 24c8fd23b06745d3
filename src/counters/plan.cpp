#include "counters/plan.hpp"

#include <algorithm>
#include <set>

namespace charm::counters {
namespace {

Planned generic(EventRole role) {
  Planned planned;
  planned.role = role;
  planned.event.type = PERF_TYPE_HARDWARE;
  planned.event.config = role == EventRole::cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
  planned.fixed = true;
  planned.name = role == EventRole::cycles ? "cycles" : "instructions";
  return planned;
}

Planned from_row(const EventRow& row) {
  return {.role = EventRole::fill,
          .source = row.source,
          .event = {row.event.type, row.event.config, row.event.config1},
          .minus = row.minus,
          .offcore = row.offcore,
          .fixed = false,
          .name = std::string(row.name)};
}

/// Fills groups with events, each where it fits first.
class Packing {
 public:
  explicit Packing(const Limits& limits) : limits_(limits) {}

  /// \param open_another whether a group may be added for it. \return whether it found a place.
  bool place(const Planned& planned, bool open_another) {
    for (auto& group : groups_) {
      if (!fits(group, planned)) continue;
      group.push_back(planned);
      return true;
    }
    if (!open_another && !groups_.empty()) return false;
    groups_.push_back({planned});
    return true;
  }

  std::vector<std::vector<Planned>> take() { return std::move(groups_); }

 private:
  [[nodiscard]] bool fits(const std::vector<Planned>& group, const Planned& one) const {
    int fixed = one.fixed ? 1 : 0;
    int offcore = one.offcore ? 1 : 0;
    for (const Planned& there : group) {
      fixed += there.fixed ? 1 : 0;
      offcore += there.offcore ? 1 : 0;
    }
    const int general = static_cast<int>(group.size()) + 1 - std::min(fixed, limits_.fixed);
    return general <= limits_.counters && (limits_.offcore == 0 || offcore <= limits_.offcore);
  }

  Limits limits_;
  std::vector<std::vector<Planned>> groups_;
};

void add_class(std::vector<FillClass>& classes, FillSource source, FillSet covers, const std::string& meaning) {
  for (FillClass& there : classes) {
    if (there.reported_as == source) {
      there.covers.add(covers);
      return;
    }
  }
  classes.push_back({source, covers, meaning});
}

void plan_wishes(const std::vector<UserEvent>& wishes, Packing& packing, EventPlan& plan) {
  for (const UserEvent& wish : wishes) {
    Planned planned{.role = wish.role,
                    .source = wish.source,
                    .event = {wish.event.type, wish.event.config, wish.event.config1},
                    .minus = wish.minus,
                    .offcore = wish.event.type == PERF_TYPE_RAW && wish.event.config1 != 0,
                    .fixed = false,
                    .name = wish.text};
    packing.place(planned, true);
    if (wish.role == EventRole::fill) add_class(plan.classes, wish.source, {wish.source}, "as counter_events names it");
  }
}

void plan_rows(const CpuModel& model, const Shape& shape, Packing& packing, EventPlan& plan) {
  const auto rows = rows_for(model, shape);
  for (const auto use : {EventRow::Use::always, EventRow::Use::if_free}) {
    for (const EventRow* row : rows) {
      if (row->use != use) continue;
      if (!packing.place(from_row(*row), use == EventRow::Use::always)) {
        plan.notes.push_back(std::string(name(row->source)) + " is not counted: no counter is left for " +
                             std::string(row->name));
        continue;
      }
      add_class(plan.classes, row->source, row->covers, std::string(row->meaning));
    }
  }
  if (shape.nodes <= 1) plan.notes.emplace_back("remote sources are not counted: the machine has one NUMA node");
}

}  // namespace

bool EventPlan::counts(EventRole role) const {
  for (const auto& group : groups) {
    for (const Planned& planned : group) {
      if (planned.role == role) return true;
    }
  }
  return false;
}

Limits limits_of(const CpuModel& model) { return {model.counters, model.fixed, model.offcore}; }

Shape shape_of(const Machine& machine) {
  std::set<int> nodes;
  std::set<int> sockets;
  for (const Core& core : machine.cores) {
    nodes.insert(core.node);
    sockets.insert(core.socket);
  }
  Shape shape;
  shape.nodes = std::max(1, static_cast<int>(machine.nodes.size()));
  shape.cpu_nodes = std::max(1, static_cast<int>(nodes.size()));
  shape.sockets = std::max(1, static_cast<int>(sockets.size()));
  // Clusters exist also where the process may not use them.
  if (!machine.forbidden_cpus.empty() && machine.total.nodes > machine.total.sockets && machine.total.sockets > 0) {
    shape.cpu_nodes = std::max(shape.cpu_nodes, shape.sockets + 1);
  }
  return shape;
}

EventPlan make_plan(const CpuModel* model, const Shape& shape, const std::vector<UserEvent>& wishes) {
  EventPlan plan;
  Packing packing(model == nullptr ? Limits{} : limits_of(*model));
  const auto wished = [&](EventRole role) {
    return std::any_of(wishes.begin(), wishes.end(), [&](const UserEvent& wish) { return wish.role == role; });
  };
  if (!wished(EventRole::instructions)) packing.place(generic(EventRole::instructions), true);
  // If cycles have a counter of their own they cost nothing; else they come last.
  const bool cheap_cycles = model == nullptr || model->fixed > 0;
  const bool own_cycles = !wished(EventRole::cycles);
  if (own_cycles && cheap_cycles) packing.place(generic(EventRole::cycles), true);

  plan_wishes(wishes, packing, plan);
  if (!wished(EventRole::fill)) {
    if (model != nullptr) {
      plan_rows(*model, shape, packing, plan);
    } else {
      plan.notes.emplace_back(
          "fills are not counted: the event catalogue does not know this core; name its events in "
          "the setting counter_events");
    }
  }
  if (own_cycles && !cheap_cycles && !packing.place(generic(EventRole::cycles), false)) {
    plan.notes.emplace_back("cycles are not counted: no counter is left");
  }
  plan.groups = packing.take();
  return plan;
}

std::vector<std::vector<Planned>> regroup(const std::vector<std::vector<Planned>>& groups, const Limits& limits) {
  Packing packing(limits);
  for (const auto& group : groups) {
    for (const Planned& planned : group) packing.place(planned, true);
  }
  return packing.take();
}

}  // namespace charm::counters
