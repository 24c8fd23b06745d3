#include "deploy/programs.hpp"

#include <charm/error.hpp>

#include "os/files/system_files.hpp"
#include "os/processes/child.hpp"

namespace charm::deploy {

std::string postgresql_program(const std::string& name) {
  if (os::cannot_run(name) == 0) return name;
  const std::string folder = "/usr/lib/postgresql";
  const auto versions = os::numbered_entries(folder);
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    std::string path = folder + "/" + std::to_string(*version) + "/bin/" + name;
    if (os::cannot_run(path) == 0) return path;
  }
  throw Error(Errc::bad_input, "PostgreSQL is not installed: there is no program '" + name + "'",
              "install it (Debian: postgresql), or put it on PATH");
}

}  // namespace charm::deploy
