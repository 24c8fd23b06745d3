// CHARM Fig. 11 (§5.5): logistic loss and gradient over samples of 8,192 features. The paper compares its tasks with
// DimmWitted's, which are threads that the operating system places; OpenMP's threads stand for them here. Its other
// baseline, CHARM's tasks replaced by std::async, is the runtime `async`.
#include <fmt/format.h>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

constexpr std::size_t features = 8192;
constexpr std::size_t sample_bytes = features * sizeof(float);
constexpr std::size_t paper_bytes = std::size_t{6250} * 1'000'000;

Plan plan_sgd(const Context& context) {
  const int workers = socket_cores(context.machine());
  Plan out{.x = "workers", .y = "CHARM over threads that the system places"};
  out.notes = {"DimmWitted is not measured: OpenMP, whose threads the system places, stands for it."};
  std::size_t samples = context.quick() ? 4000 : paper_bytes / sample_bytes;
  while (!context.paper() && !fits(context, samples * sample_bytes) && samples > 1000) samples /= 2;
  const BenchRows rows{.policies = {"adaptive"},
                       .workers = workers,
                       .trials = context.quick() ? 10 : 20,
                       .runtimes = {"charm", "openmp", "async"}};
  // The simulator's features have 8 bytes.
  const std::string work = fmt::format("sgd:samples={},features={},copies=1", samples / 2, features);
  add_bench(out, context, "logistic loss and gradient",
            {.words = {"sgd", "--rows", std::to_string(samples), "--features", std::to_string(features)},
             .kernels = {{"loss", work}, {"gradient", work}}},
            rows, context.quick() ? 30 : 600);
  struct Row {
    const char* kernel;
    double published;
    std::optional<double> over_async;  // the text has none for the loss
  };
  for (const Row& each : {Row{"loss", 165.0 / 50, std::nullopt}, Row{"gradient", 106.0 / 40, 106.0 / 28}}) {
    const std::string mine = row(each.kernel, "charm", "adaptive", workers);
    for (const bool async : {false, true}) {
      const std::string other = row(each.kernel, async ? "async" : "openmp", "none", workers);
      // OpenMP's threads stay and the kernel places them; std::async's are made for each task.
      add_subject(out, rate(other, context, work, async ? "per-machine" : "os", workers));
      out.points.push_back({.series = each.kernel + std::string(async ? ", std::async" : ""),
                            .x = static_cast<double>(workers),
                            .first = mine,
                            .second = other,
                            .expect = Expect::ahead,
                            .published = async ? each.over_async : std::optional<double>(each.published),
                            .source = async ? "§5.5, text: 64 cores" : "§5.5, text: 64 cores, DimmWitted's best"});
    }
  }
  if (context.paper())
    out.notes = {
        "Why DimmWitted gets 50 of the 165 GB/s: the model has a program that streams at the speed of the "
        "memory, whoever placed its threads.",
        "DimmWitted's update pass, and its copies of the model."};
  return out;
}

}  // namespace

constinit const Experiment sgd{
    .name = "charm-fig11",
    .title = "Logistic regression",
    .claim = "Logistic loss and gradient are computed faster by CHARM's tasks than by threads that the system places.",
    .paper = "CHARM Fig. 11, §5.5",
    .published = "165 against 50 GB/s, gradient 106 against 40 GB/s",
    .machine = "epyc-7713-2s",
    .needs = {.cores = 8, .chiplets = 2, .benchmark = "sgd"},
    .plan = plan_sgd};

}  // namespace charm::evaluate
