#include "workloads/olap/engine.hpp"

#include <charm/error.hpp>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <optional>
#include <system_error>

namespace charm::workloads {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> from_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value != '/') return std::nullopt;
  return fs::path(value);
}

/// A folder of the user's by the XDG rules.
std::optional<fs::path> user_folder(const char* variable, const char* below_home) {
  if (const auto given = from_variable(variable)) return *given / "charm";
  if (const auto home = from_variable("HOME")) return *home / below_home / "charm";
  return std::nullopt;
}

std::optional<fs::path> engines_folder() {
  if (auto given = from_variable("CHARM_ENGINES")) return given;
  const auto data = user_folder("XDG_DATA_HOME", ".local/share");
  return data ? std::optional(*data / "engines") : std::nullopt;
}

bool there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

DuckdbFiles find_duckdb(const std::string& folder) {
  constexpr const char* library = "libduckdb.so";
  constexpr const char* extension = "tpch.duckdb_extension";
  if (!folder.empty()) {
    for (const char* file : {library, extension}) {
      if (!there(fs::path(folder) / file))
        throw Error(Errc::bad_input, "there is no '" + (fs::path(folder) / file).string() + "'",
                    "give the folder that scripts/setup engines has made, or leave --engine out");
    }
    return {(fs::path(folder) / library).string(), folder};
  }
  const auto engines = engines_folder();
  if (engines && there(*engines / "duckdb" / library)) return find_duckdb((*engines / "duckdb").string());
  if (void* handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)) {
    dlclose(handle);
    return {library, ""};
  }
  throw Error(Errc::bad_input,
              "DuckDB is not installed: libduckdb.so is neither in " +
                  (engines ? "'" + (*engines / "duckdb").string() + "'" : std::string("a folder of the user's")) +
                  " nor among the system's libraries",
              "run 'scripts/setup engines', or give --engine FOLDER with libduckdb.so and tpch.duckdb_extension");
}

std::string olap_cache() {
  const auto folder = user_folder("XDG_CACHE_HOME", ".cache");
  if (!folder) {
    throw Error(Errc::bad_config, "no place for the database: neither XDG_CACHE_HOME nor HOME is set",
                "set one of them, or give --database FILE");
  }
  return folder->string();
}

}  // namespace charm::workloads
