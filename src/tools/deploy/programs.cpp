#include "tools/deploy/programs.hpp"

#include <charm/error.hpp>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "os/files/system_files.hpp"
#include "tools/deploy/command.hpp"
#include "tools/os/child.hpp"

namespace charm::deploy {
namespace {

std::string from_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

bool there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Where scripts/engines puts engines; empty without a home.
std::string engines_folder() {
  if (const std::string given = from_variable("CHARM_ENGINES"); !given.empty()) return given;
  if (const std::string data = from_variable("XDG_DATA_HOME"); !data.empty()) return data + "/charm/engines";
  const std::string home = from_variable("HOME");
  return home.empty() ? "" : home + "/.local/share/charm/engines";
}

}  // namespace

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

std::string engine_home(const std::string& variable, const std::string& engine, const std::string& file) {
  const std::string install = "run 'scripts/engines " + engine + "', or set " + variable;
  if (const std::string given = from_variable(variable); !given.empty()) {
    if (there(given + "/" + file)) return std::filesystem::absolute(given).string();
    throw Error(Errc::bad_input, variable + " is '" + given + "', where there is no '" + file + "'", install);
  }
  const std::string installed = engines_folder() + "/" + engine;
  if (there(installed + "/" + file)) return installed;
  throw Error(Errc::bad_input, engine + " is not installed: there is no '" + installed + "/" + file + "'", install);
}

std::string installed_program(std::string_view names, std::string_view engine, std::string_view install) {
  const std::vector<std::string> all = split_words(names);
  for (const std::string& name : all) {
    if (os::cannot_run(name) == 0) return name;
  }
  for (const std::string& name : all) {
    std::string path = engines_folder() + "/" + std::string(engine) + "/bin/" + name;
    if (os::cannot_run(path) == 0) return std::filesystem::absolute(path).string();
  }
  throw Error(Errc::bad_input, std::string(engine) + " is not installed: there is no program '" + all.front() + "'",
              std::string(install));
}

std::string java_program() {
  const std::string home = from_variable("JAVA_HOME");
  const std::string program = home.empty() ? "java" : home + "/bin/java";
  if (os::cannot_run(program) == 0) return program;
  throw Error(Errc::bad_input, "Java is not installed: there is no program '" + program + "'",
              "install it (Debian: openjdk-17-jre-headless), or set JAVA_HOME");
}

void check_socket_path(const std::string& path) {
  constexpr std::size_t longest = 107;  // unix(7)
  if (path.size() <= longest) return;
  throw Error(Errc::bad_input, "the socket '" + path + "' has too long a path, more than 107 characters",
              "give a shorter --dir");
}

}  // namespace charm::deploy
