// CHARM Fig. 5 (§2.3): as many threads as a chiplet has cores write a vector in equal parts, again and again; all on
// one chiplet (LocalCache), or spread over the chiplets of the socket (DistributedCache), by the size of the vector.
#include <algorithm>

#include <fmt/format.h>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

struct Size {
  std::size_t bytes;
  bool within;                           // one chiplet's cache
  std::optional<double> published = {};  // of the distributed cache over the local one
};

std::vector<Size> sizes_of(const Context& context) {
  const std::size_t cache = chiplet_cache(context.machine()), caches = socket_cache(context.machine());
  if (!context.paper()) {
    std::vector<Size> sizes = {
        {64 * kib, true, 0.6}, {cache / 16, true}, {cache / 2, true}, {cache * 2, false}, {caches * 4, false}};
    if (fits(context, caches * 48)) sizes.push_back({caches * 16, false, 2.5});
    return sizes;
  }
  std::vector<Size> sizes = {{38, true, 0.6}};
  for (const double mb : {0.38e-3, 3.8e-3, 0.038, 0.38, 3.8, 16.0, 30.0})
    sizes.push_back({static_cast<std::size_t>(mb * 1e6), true});
  for (const double mb : {42.0, 64.0, 128.0, 380.0, 3800.0})
    sizes.push_back({static_cast<std::size_t>(mb * 1e6), false});
  sizes.push_back({38'000'000'000, false, 2.5});
  return sizes;
}

Plan plan_charm_figure_5(const Context& context) {
  const Machine& machine = context.machine();
  const int workers = chiplet_cores(machine);
  const auto local = cpus_by(machine, "local", workers), distributed = cpus_by(machine, "distributed", workers);
  Plan out{.x = "MiB", .y = "DistributedCache over LocalCache"};
  for (const Size& size : sizes_of(context)) {
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
    // A line for each thread at least.
    const double written = std::max(static_cast<double>(size.bytes), workers * sim::line_bytes);
    const auto work = fmt::format("sweep:total_mb={:.9g},writes=1,barriers=1", written / mib);
    add_subject(out, plain_rate(a, work, "local", workers));
    add_subject(out, plain_rate(b, work, "distributed", workers));
    // The claim is that the local one is ahead within a chiplet's cache; a point's first is what should be ahead.
    Point point{.series = size.within ? "LocalCache over DistributedCache" : "DistributedCache over LocalCache",
                .x = static_cast<double>(size.bytes) / mib,
                .first = size.within ? a : b,
                .second = size.within ? b : a,
                .expect = Expect::ahead,
                .source = "§2.3, text"};
    if (size.published) {
      point.published = size.within ? 1 / *size.published : *size.published;
      point.source = size.within ? "Fig. 5, the range in the text (38 B)" : "§2.3, text (38 GB)";
    }
    out.points.push_back(std::move(point));
  }
  if (context.paper())
    out.notes = {"In cache the sizes between 1 and 32 MB: the model has both alike but for the barrier.",
                 "Page faults and TLB misses of a vector of 38 GB.",
                 "Beyond 32 MB the model's speedup peaks while the vector fits eight caches but not one; the paper's "
                 "text puts its peak at 38 GB."};
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
    .machine = "epyc-7713",
    .needs = {.chiplets = 2, .cores_per_chiplet = 2, .cache_sizes = true},
    .plan = plan_charm_figure_5};

}  // namespace charm::evaluate
