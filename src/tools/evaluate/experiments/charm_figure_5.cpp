// CHARM Fig. 5 (§2.3): as many threads as a chiplet has cores write a vector in equal parts, again and again; all on
// one chiplet (LocalCache), or spread over the chiplets of the socket (DistributedCache), by the size of the vector.
#include <fmt/format.h>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

std::optional<double> predicted_write(const Context& context, int workers, std::size_t bytes) {
  const auto spec = fmt::format("sweep:total_mb={:.9g},writes=1,barriers=1", static_cast<double>(bytes) / mib);
  const auto local = plain_rate(context, "local", workers, spec);
  const auto distributed = plain_rate(context, "distributed", workers, spec);
  if (!local || !distributed || !(*local > 0)) return std::nullopt;
  return *distributed / *local;
}

Plan plan_charm_figure_5(const Context& context) {
  const Machine& machine = context.machine();
  const int workers = chiplet_cores(machine);
  const auto local = cpus_by(machine, "local", workers), distributed = cpus_by(machine, "distributed", workers);
  const std::size_t cache = chiplet_cache(machine), caches = socket_cache(machine);
  Plan out{.x = "MiB", .y = "DistributedCache over LocalCache"};
  struct Size {
    std::size_t bytes;
    std::optional<double> published;
    bool within;  // one chiplet's cache
  };
  std::vector<Size> sizes = {{64 * kib, 0.6, true},
                             {cache / 16, {}, true},
                             {cache / 2, {}, true},
                             {cache * 2, {}, false},
                             {caches * 4, {}, false}};
  if (fits(context, caches * 48)) sizes.push_back({caches * 16, 2.5, false});
  for (const Size& size : sizes) {
    if (!fits(context, 3 * size.bytes)) {
      out.notes.push_back(at_size("Not measured for want of memory or time: a vector", size.bytes) + ".");
      continue;
    }
    const std::string a = at_size("LocalCache", size.bytes), b = at_size("DistributedCache", size.bytes);
    Job job{.title = at_size("writing a vector", size.bytes)};
    job.variants = {{a, StreamRun{{local}, Stream::write, size.bytes}},
                    {b, StreamRun{{distributed}, Stream::write, size.bytes}}};
    job.rounds = context.quick() ? 12 : 25;
    job.seconds = (context.quick() ? 1.5 : 4) + 40 * static_cast<double>(size.bytes) / static_cast<double>(4 * gib);
    out.jobs.push_back(std::move(job));
    // The claim is that the local one is ahead within a chiplet's cache; a point's first is what should be ahead.
    Point point{.series = size.within ? "LocalCache over DistributedCache" : "DistributedCache over LocalCache",
                .x = static_cast<double>(size.bytes) / mib,
                .first = size.within ? a : b,
                .second = size.within ? b : a,
                .expect = Expect::ahead};
    const auto ratio = predicted_write(context, workers, size.bytes);
    if (ratio) point.predicted = size.within ? 1 / *ratio : *ratio;
    if (size.published) {
      point.published = size.within ? 1 / *size.published : *size.published;
      point.source = size.within ? "Fig. 5, the range in the text (38 B)" : "§2.3, text (38 GB)";
    }
    out.points.push_back(std::move(point));
  }
  return out;
}

}  // namespace

constinit const Experiment charm_figure_5{
    .name = "charm-fig5",
    .title = "Local against distributed cache",
    .claim =
        "Threads that write a vector are faster on one chiplet while the vector fits its cache, and faster spread "
        "over the chiplets beyond that.",
    .paper = "CHARM Fig. 5, §2.3",
    .published = "distributed over local: 0.6 when small, 1 at 32 MB, 2.5 at 38 GB",
    .needs = {.chiplets = 2, .cores_per_chiplet = 2, .cache_sizes = true},
    .plan = plan_charm_figure_5};

}  // namespace charm::evaluate
