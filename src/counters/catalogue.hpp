// The catalogue: which event of which core counts the fills of which source, as data (events.inc), and lookups in it.
// No hardware is needed to use it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "counters/fill_source.hpp"
#include "os/machine/cpu_identity.hpp"

namespace charm::counters {

/// A core design; several rows of models may name the same one.
struct CpuModel {
  std::string_view name;   ///< the name in --machine and in the rows: "zen4"
  std::string_view title;  ///< "AMD Zen 4"
  std::string_view vendor;
  int family = 0;
  int first_model = 0, last_model = 0;
  int first_stepping = 0, last_stepping = 0;
  int counters = 0;         ///< general counters of a core, including those that instructions and cycles need
  int fixed = 0;            ///< how many of the two events instructions and cycles have a counter of their own
  int offcore = 0;          ///< events of the offcore kind that can count at once; 0: there is no such kind
  std::string_view libpfm;  ///< libpfm's name of it, even if the installed version does not know it
};

enum class EventRole : std::uint8_t { instructions, cycles, fill };

/// One event, as perf_event_open takes it.
struct Event {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  friend bool operator==(const Event&, const Event&) = default;
};

struct EventRow {
  std::string_view model;
  FillSource source = FillSource::other;
  FillSet covers;
  std::string_view name;
  Event event;
  bool minus = false;    ///< its count is subtracted from the source's
  bool offcore = false;  ///< needs one of the model's offcore registers
  enum class Use : std::uint8_t {
    always,      ///< counted, multiplexed if need be
    if_free,     ///< counted if a counter is left
    on_request,  ///< counted only if named: a part of another row, or of interest to people
  } use = Use::always;
  enum class Where : std::uint8_t { anywhere, several_nodes, split_sockets, whole_sockets } where = Where::anywhere;
  std::string_view libpfm;  ///< "|" between names whose masks are united; empty: libpfm has no name for it
  std::string_view origin;  ///< the document that the row comes from
  std::string_view meaning;
};

std::span<const CpuModel> cpu_models();
std::span<const EventRow> event_rows();

/// The model of a core. \return nullptr if the catalogue has no such core.
const CpuModel* model_of(const os::CpuIdentity& cpu);
const CpuModel* model_named(std::string_view name);

/// The properties of the machine that decide which rows can be used.
struct Shape {
  int nodes = 1;      ///< number of nodes with memory, with or without cpus
  int cpu_nodes = 1;  ///< number of nodes with cpus
  int sockets = 1;
  [[nodiscard]] bool applies(EventRow::Where where) const;
};

/// The rows of a model that a machine of this shape can use, in the order of their importance.
std::vector<const EventRow*> rows_for(const CpuModel& model, const Shape& shape);

}  // namespace charm::counters
