// OLAP on chiplets Fig. 10 (§4.4): STREAM's copy by as many cores as a chiplet has, on one chiplet (local) or on all of
// the socket (mixed), by the size of the arrays. For large arrays this paper has both alike, and CHARM Fig. 5 has the
// spread one 2.5 times ahead; that point is reported and does not count.
#include <fmt/format.h>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"
#include "tools/evaluate/experiments/olap.hpp"

namespace charm::evaluate {
namespace {

Plan plan_olap_figure_10(const Context& context) {
  const Machine& machine = context.machine();
  const int workers = chiplet_cores(machine);
  const Copying local{"local", {cpus_by(machine, "local", workers)}, "local"};
  const Copying mixed{"mixed", {cpus_by(machine, "distributed", workers)}, "distributed"};
  const std::size_t cache = chiplet_cache(machine), caches = socket_cache(machine);
  Plan out{.x = "MiB", .y = "mixed over local"};
  std::vector<std::size_t> sizes = {cache / 8, cache * 3 / 4, cache * 2, caches * 6};
  if (context.paper()) {
    sizes.clear();
    for (const double mb : {0.8, 1.6, 3.2, 6.4, 12.8, 24.0, 32.0, 64.0, 128.0, 256.0, 768.0, 1536.0})
      sizes.push_back(static_cast<std::size_t>(mb * mib));
  }
  for (const std::size_t bytes : sizes) {
    if (!fits(context, bytes * 3 / 2)) {
      out.notes.push_back(at_size("Not measured for want of memory or time: arrays", bytes) + ".");
      continue;
    }
    const bool within = bytes <= cache, beyond_all = bytes > caches;
    Point point{.series = within ? "local over mixed" : "mixed over local",
                .expect = beyond_all ? Expect::nothing : Expect::ahead,
                .source = beyond_all ? "§4.4: similar" : "§4.4, text"};
    if (beyond_all) point.published = 1;
    add_copies(out, context, bytes, within ? local : mixed, within ? mixed : local, std::move(point));
  }
  if (!context.paper()) return out;
  // The shapes that the text names: the local one collapses beyond its cache, the mixed one beyond all caches.
  const auto shape = [&](const Copying& one, std::size_t large, std::size_t small, Expect expect, double bound) {
    out.points.push_back({.series = fmt::format("{} over itself at {} MiB", one.name, small),
                          .x = static_cast<double>(large),
                          .first = at_size(one.name, large * mib),
                          .second = at_size(one.name, small * mib),
                          .expect = expect,
                          .bound = bound,
                          .source = "§4.4, text"});
  };
  shape(local, 128, 24, Expect::at_most, 0.5);
  for (const std::size_t flat : {64U, 128U, 256U}) shape(mixed, flat, 32, Expect::at_least, 0.9);
  for (const std::size_t beyond : {768U, 1536U}) shape(mixed, beyond, 256, Expect::at_most, 0.8);
  out.notes = {
      "For large arrays §4.4 has both alike, CHARM Fig. 5 has mixed 2.5 times ahead; the model follows the "
      "links' bandwidth and with it CHARM."};
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
    .machine = "epyc-7713",
    .needs = {.chiplets = 2, .cores_per_chiplet = 2, .cache_sizes = true},
    .plan = plan_olap_figure_10};

}  // namespace charm::evaluate
