#include "tools/cli/bench/host.hpp"

#include <array>
#include <ctime>

#include <nlohmann/json.hpp>

#include "os/processes/this_process.hpp"
#include "tools/os/system_placement.hpp"

namespace charm::cli {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string compiler() {
#if defined(__clang__)
  return std::string("Clang ") + __clang_version__;
#elif defined(__GNUC__)
  return std::string("GCC ") + __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace

base::Json host_json(const Host& host) {
  return {{"name", host.name},         {"machine", host.machine}, {"cpus", host.cpus},           {"cores", host.cores},
          {"chiplets", host.chiplets}, {"kernel", host.kernel},   {"placed_by", host.placed_by}, {"date", host.date}};
}

Host describe_host(const Machine& machine, const base::Settings& settings) {
  Host host;
  host.name = os::host_name();
  host.machine = machine.name;
  host.cpus = static_cast<int>(machine.allowed_cpus.size());
  host.cores = static_cast<int>(machine.cores.size());
  host.chiplets = static_cast<int>(machine.chiplets.size());
  host.kernel = os::kernel_name();
  host.placed_by = os::one_line(os::read_system_placement());
  host.compiler = compiler();
  host.date = utc_now();
  host.versions = {{"charm", CHARM_VERSION}, {"hwloc", CHARM_HWLOC_VERSION}, {"Boost", CHARM_BOOST_VERSION}};
  host.settings = settings.origins;
  return host;
}

}  // namespace charm::cli
