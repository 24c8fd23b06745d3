#include "tools/cli/malloc/preload.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <filesystem>

#include "base/clock.hpp"
#include "base/notices.hpp"
#include "os/processes/this_process.hpp"
#include "tools/memory_traffic/publish.hpp"

namespace charm::cli {

namespace {
constexpr double live_interval_s = 0.1;  // programs look at their weights as often
}

MallocPreload::~MallocPreload() = default;

void MallocPreload::step() {
  const double now = base::monotonic_seconds();
  if (!live_ || now < next_s_) return;
  next_s_ = now + live_interval_s;
  try {
    live_->step();
  } catch (const Error& error) {
    base::notice("malloc: live",
                 std::string("the weights of the malloc no longer follow the traffic: ") + error.what());
    live_.reset();
  }
}

double MallocPreload::rest() const {
  constexpr double nothing_to_do = 10;
  return live_ ? std::max(0.0, next_s_ - base::monotonic_seconds()) : nothing_to_do;
}

MallocPreload::MallocPreload(const WeightOptions& options, int cores, const std::string& live,
                             const std::string& statistics)
    : library_(malloc_library()) {
  WeightSource source = weight_source(options);
  const double demand =
      options.demand_gb_per_s > 0 ? options.demand_gb_per_s : memory_traffic::demand_of(source.model, cores);
  const memory::WeightPage page =
      weight_page(source.model, source.machine, *source.policy, capacities(source.model), demand);
  if (page.memories == 1) note_ = "malloc: the machine has one memory: there is nothing to choose";

  const std::string folder = os::private_folder();
  const std::string problem = os::prepare_private_folder(folder);
  if (problem.empty()) {
    for (const char* ending : {".weights", ".weights.writer"}) os::remove_files_of_ended_processes(folder, ending);
  }
  const std::string path = folder + "/" + std::to_string(os::process_id()) + ".weights";
  file_ = std::make_unique<os::PrivateFile>(path);
  const std::string bytes = memory_traffic::page_bytes(page);
  if (!file_->is_open() || file_->append(bytes) != bytes.size()) {
    throw Error(Errc::system, "the weights of the malloc cannot be written: " + file_->error(),
                "set XDG_RUNTIME_DIR or TMPDIR to a folder of yours");
  }
  if (!live.empty()) {
    source.demand_gb_per_s = demand;
    live_ = std::make_unique<LiveWeights>(source, live, path, false);
  }
  variables_.emplace_back("CHARM_MALLOC_WEIGHTS", path);
  if (!statistics.empty()) {
    // A program may change its folder.
    const bool file = statistics != "stderr";
    variables_.emplace_back("CHARM_MALLOC_STATS", file ? std::filesystem::absolute(statistics).string() : statistics);
  }
}

}  // namespace charm::cli
