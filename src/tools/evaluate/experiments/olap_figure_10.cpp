// OLAP on chiplets Fig. 10 (§4.4): STREAM's copy by as many cores as a chiplet has, on one chiplet (local) or on all of
// the socket (mixed), by the size of the arrays. For large arrays this paper has both alike, and CHARM Fig. 5 has the
// spread one 2.5 times ahead; that point is reported and does not count.
#include <fmt/format.h>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"
#include "tools/evaluate/experiments/olap.hpp"

namespace charm::evaluate {
namespace {

std::optional<double> predicted_copy(const Context& context, int workers, std::size_t bytes) {
  const auto spec = fmt::format("copy:total_mb={:.6g}", static_cast<double>(bytes) / mib);
  const auto local = plain_rate(context, "local", workers, spec);
  const auto mixed = plain_rate(context, "distributed", workers, spec);
  if (!local || !mixed || !(*local > 0)) return std::nullopt;
  return *mixed / *local;
}

Plan plan_olap_figure_10(const Context& context) {
  const Machine& machine = context.machine();
  const int workers = chiplet_cores(machine);
  const std::vector<std::vector<int>> local = {cpus_by(machine, "local", workers)};
  const std::vector<std::vector<int>> mixed = {cpus_by(machine, "distributed", workers)};
  const std::size_t cache = chiplet_cache(machine), caches = socket_cache(machine);
  Plan out{.x = "MiB", .y = "mixed over local"};
  for (const std::size_t bytes : {cache / 8, cache * 3 / 4, cache * 2, caches * 6}) {
    if (!fits(context, bytes * 3 / 2)) {
      out.notes.push_back(at_size("Not measured for want of memory or time: arrays", bytes) + ".");
      continue;
    }
    const auto ratio = predicted_copy(context, workers, bytes);
    const bool within = bytes <= cache, beyond_all = bytes > caches;
    Point point{.series = within ? "local over mixed" : "mixed over local",
                .expect = beyond_all ? Expect::nothing : Expect::ahead,
                .published = beyond_all ? std::optional<double>(1) : std::nullopt,
                .source = beyond_all ? "§4.4: similar" : "§4.4, text",
                .predicted = within && ratio ? std::optional<double>(1 / *ratio) : ratio};
    if (within) {
      add_copies(out, context, bytes, "local", local, "mixed", mixed, std::move(point));
    } else {
      add_copies(out, context, bytes, "mixed", mixed, "local", local, std::move(point));
    }
  }
  return out;
}

}  // namespace

constinit const Experiment olap_figure_10{
    .name = "olap-fig10",
    .title = "STREAM, local against mixed",
    .claim =
        "Cores of one chiplet copy faster than as many on all chiplets while the arrays fit its cache, and more "
        "slowly while they fit only all caches.",
    .paper = "OLAP on chiplets Fig. 10, §4.4",
    .published = "local ahead up to 32 MB, mixed ahead to 256 MB and beyond",
    .needs = {.chiplets = 2, .cores_per_chiplet = 2, .cache_sizes = true},
    .plan = plan_olap_figure_10};

}  // namespace charm::evaluate
