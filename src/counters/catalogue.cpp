#include "counters/catalogue.hpp"

#include <algorithm>
#include <array>

namespace charm::counters {
namespace {

#define CHARM_EVENT(...)
#define CHARM_MODEL(name, title, vendor, family, first, last, step0, step1, counters, fixed, offcore, libpfm) \
  CpuModel{name, title, vendor, family, first, last, step0, step1, counters, fixed, offcore, libpfm},
constexpr auto models = std::to_array<CpuModel>({
#include "counters/events.inc"
});
#undef CHARM_MODEL
#undef CHARM_EVENT

constexpr auto own_l2 = FillSource::own_l2;
constexpr auto own_chiplet = FillSource::own_chiplet;
constexpr auto other_chiplet = FillSource::other_chiplet;
constexpr auto remote_cache = FillSource::remote_cache;
constexpr auto local_dram = FillSource::local_dram;
constexpr auto remote_dram = FillSource::remote_dram;
constexpr auto other = FillSource::other;
constexpr bool plus = false;
constexpr bool minus = true;
using enum EventRow::Use;
using enum EventRow::Where;

#define CHARM_MODEL(...)
#define CHARM_SET(...) (FillSet{__VA_ARGS__})
#define CHARM_EVENT(model, source, covers, name, type, config, config1, sign, offcore, use, where, libpfm, origin, \
                    meaning)                                                                                       \
  EventRow{model, source, covers, name,   Event{type, config, config1}, sign, offcore, use,                        \
           where, libpfm, origin, meaning},
constexpr auto all_rows = std::to_array<EventRow>({
#include "counters/events.inc"
});
#undef CHARM_EVENT
#undef CHARM_SET
#undef CHARM_MODEL

}  // namespace

std::span<const CpuModel> cpu_models() { return models; }
std::span<const EventRow> event_rows() { return all_rows; }

const CpuModel* model_of(const os::CpuIdentity& cpu) {
  const auto found = std::find_if(models.begin(), models.end(), [&](const CpuModel& model) {
    return model.vendor == cpu.vendor && model.family == cpu.family && model.first_model <= cpu.model &&
           cpu.model <= model.last_model && model.first_stepping <= std::max(cpu.stepping, 0) &&
           std::max(cpu.stepping, 0) <= model.last_stepping;
  });
  return found == models.end() ? nullptr : &*found;
}

const CpuModel* model_named(std::string_view name) {
  const auto found = std::find_if(models.begin(), models.end(), [&](const CpuModel& m) { return m.name == name; });
  return found == models.end() ? nullptr : &*found;
}

bool Shape::applies(EventRow::Where where) const {
  switch (where) {
    case several_nodes:
      return nodes > 1;
    case split_sockets:
      return cpu_nodes > sockets;
    case whole_sockets:
      return cpu_nodes <= sockets;
    case anywhere:
      break;
  }
  return true;
}

std::vector<const EventRow*> rows_for(const CpuModel& model, const Shape& shape) {
  std::vector<const EventRow*> found;
  for (const EventRow& row : all_rows) {
    if (row.model == model.name && shape.applies(row.where)) found.push_back(&row);
  }
  return found;
}

}  // namespace charm::counters
