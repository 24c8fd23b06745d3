// CHARM Fig. 11 (§5.5): logistic loss and gradient over 10,000 samples of 8,192 features. The paper compares its tasks
// with DimmWitted's, which are threads that the operating system places; OpenMP's threads stand for them here. Its
// other baseline, CHARM's tasks replaced by std::async, is the runtime `async`.
#include <optional>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

Plan plan_sgd(const Context& context) {
  const int workers = socket_cores(context.machine());
  Plan out{.x = "workers", .y = "CHARM over threads that the system places"};
  out.notes = {"DimmWitted is not measured: OpenMP, whose threads the system places, stands for it."};
  const BenchRows rows{"adaptive", workers, context.quick() ? 10 : 20, "charm,openmp,async"};
  const auto words = with_rows(
      {"sgd", "--rows", context.quick() ? "4000" : "10000", "--features", "8192", "--kernel", "loss,gradient"}, rows);
  out.jobs = {bench_job("logistic loss and gradient", words, context.quick() ? 30 : 120)};
  struct Row {
    const char* kernel;
    double published;
    std::optional<double> over_async;  // the text has none for the loss
  };
  for (const Row& each : {Row{"loss", 165.0 / 50, std::nullopt}, Row{"gradient", 106.0 / 40, 106.0 / 28}}) {
    out.points.push_back({.series = each.kernel,
                          .x = static_cast<double>(workers),
                          .first = row(each.kernel, "charm", "adaptive", workers),
                          .second = row(each.kernel, "openmp", "none", workers),
                          .expect = Expect::ahead,
                          .published = each.published,
                          .source = "§5.5, text: 64 cores, DimmWitted's best",
                          .predicted = simulated_ratio(context, "sgd", "charm", "per-node", workers)});
    out.points.push_back({.series = std::string(each.kernel) + ", std::async",
                          .x = static_cast<double>(workers),
                          .first = row(each.kernel, "charm", "adaptive", workers),
                          .second = row(each.kernel, "async", "none", workers),
                          .expect = Expect::ahead,
                          .published = each.over_async,
                          .source = "§5.5, text: 64 cores",
                          .predicted = simulated_ratio(context, "sgd", "charm", "os", workers)});
  }
  return out;
}

}  // namespace

constinit const Experiment sgd{
    .name = "charm-fig11",
    .title = "Logistic regression",
    .claim = "Logistic loss and gradient are computed faster by CHARM's tasks than by threads that the system places.",
    .paper = "CHARM Fig. 11, §5.5",
    .published = "165 against 50 GB/s, gradient 106 against 40 GB/s",
    .needs = {.cores = 8, .chiplets = 2, .benchmark = "sgd"},
    .plan = plan_sgd};

}  // namespace charm::evaluate
