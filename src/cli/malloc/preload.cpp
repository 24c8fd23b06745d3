#include "cli/malloc/preload.hpp"

#include <charm/error.hpp>

#include <cstdlib>

#include "os/processes/this_process.hpp"
#include "traffic/publish.hpp"

namespace charm::cli {

MallocPreload::MallocPreload(const WeightOptions& options, int cores) {
  const std::string library = malloc_library();
  const WeightSource source = weight_source(options);
  const double demand = options.demand_gb_per_s > 0 ? options.demand_gb_per_s : traffic::demand_of(source.model, cores);
  const traffic::WeightPage page =
      weight_page(source.model, source.machine, *source.policy, capacities(source.model), demand);
  if (page.memories == 1) note_ = "malloc: the machine has one memory: there is nothing to choose";

  const std::string folder = os::private_folder();
  const std::string problem = os::prepare_private_folder(folder);
  if (problem.empty()) os::remove_files_of_ended_processes(folder, ".weights");
  const std::string path = folder + "/" + std::to_string(os::process_id()) + ".weights";
  file_ = std::make_unique<os::PrivateFile>(path);
  const std::string bytes = page_bytes(page);
  if (!file_->is_open() || file_->append(bytes) != bytes.size()) {
    throw Error(Errc::system, "the weights of the malloc cannot be written: " + file_->error(),
                "set XDG_RUNTIME_DIR or TMPDIR to a folder of yours");
  }
  variables_.emplace_back("CHARM_MALLOC_WEIGHTS", path);
  const char* before = std::getenv("LD_PRELOAD");
  variables_.emplace_back("LD_PRELOAD", before != nullptr && *before != '\0' ? library + ":" + before : library);
}

}  // namespace charm::cli
