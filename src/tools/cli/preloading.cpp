#include "tools/cli/preloading.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "os/processes/this_process.hpp"
#include "tools/os/program_file.hpp"

namespace charm::cli {

std::string beside_command(const std::string& name, const std::string& installed, const std::string& remedy) {
  const std::filesystem::path folder = std::filesystem::path(os::program_path()).parent_path();
  std::error_code ignored;
  for (const std::string& place : {name, installed}) {
    const std::filesystem::path path = (folder / place).lexically_normal();
    if (std::filesystem::exists(path, ignored)) return path.string();
  }
  throw Error(Errc::system,
              name + " is neither in " + folder.string() + " nor in its " +
                  std::filesystem::path(installed).parent_path().string(),
              remedy);
}

std::string why_not_preloaded(const std::string& program, const std::string& option, const std::string& library) {
  const os::FoundProgram found = os::find_program(program);
  switch (found.error == 0 ? os::preloading_into(found.path) : os::Preloading::works) {
    case os::Preloading::works:
      return "";
    case os::Preloading::linked_static:
      return "'" + program + "' is linked statically";
    case os::Preloading::other_machine:
      return "'" + program + "' is a program of 32 bits or of another processor";
    case os::Preloading::other_rights:
      return "'" + program + "' runs with another user's rights (set-user-ID)";
    case os::Preloading::other_library:
      throw Error(Errc::bad_input,
                  option + ": '" + program + "' is linked with musl, which cannot load " +
                      std::filesystem::path(library).filename().string(),
                  "leave out " + option + ", or link the program with glibc");
  }
  return "";
}

void preload(const std::string& library, std::vector<std::pair<std::string, std::string>>& variables) {
  if (library.find_first_of(" :") != std::string::npos) {  // a part of it could name a library of somebody else
    throw Error(Errc::bad_input, "LD_PRELOAD cannot carry a path with a blank or a colon: '" + library + "'",
                "install charm to a folder without these");
  }
  auto known =
      std::find_if(variables.begin(), variables.end(), [](const auto& each) { return each.first == "LD_PRELOAD"; });
  if (known == variables.end()) {
    const char* before = std::getenv("LD_PRELOAD");
    known = variables.insert(known, {"LD_PRELOAD", before != nullptr ? before : ""});
  }
  known->second = known->second.empty() ? library : library + ":" + known->second;
}

}  // namespace charm::cli
