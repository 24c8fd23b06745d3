// Finding DuckDB's functions.
#include <charm/error.hpp>

#include <dlfcn.h>
#include <string>

#include "duckdb/functions.hpp"

namespace charm::duckdb {
namespace {

/// Fills the table from what `handle` offers. \returns the name of the first function that it lacks, or nothing.
std::string fill(Functions& functions, void* handle) {
  std::string missing;
  const auto look_up = [&](const char* name) {
    void* found = dlsym(handle, name);
    if (found == nullptr && missing.empty()) missing = name;
    return found;
  };
#define CHARM_DUCKDB_LOOK_UP(name, returned, parameters) \
  functions.name = reinterpret_cast<decltype(functions.name)>(look_up("duckdb_" #name));
  CHARM_DUCKDB_FUNCTIONS(CHARM_DUCKDB_LOOK_UP)
#undef CHARM_DUCKDB_LOOK_UP
  functions.mallctl = reinterpret_cast<decltype(functions.mallctl)>(dlsym(handle, "duckdb_je_mallctl"));
  return missing;
}

}  // namespace

Library Library::of_program() {
  auto functions = std::make_shared<Functions>();
  const std::string missing = fill(*functions, RTLD_DEFAULT);
  if (!missing.empty()) {
    throw Error(Errc::not_running, "the program has no function '" + missing + "' of DuckDB",
                "link libduckdb 1.2 or newer, or give a charm::duckdb::Library::load(file)");
  }
  return Library(std::move(functions));
}

Library Library::load(const std::string& file) {
  // RTLD_NODELETE: threads that are not DuckDB's keep thread-local objects of it until they end.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw Error(Errc::bad_input, "cannot load DuckDB's library '" + file + "': " + (why != nullptr ? why : "no reason"),
                "give the path of libduckdb.so");
  }
  auto functions = std::make_shared<Functions>();
  const std::string missing = fill(*functions, handle);
  if (!missing.empty()) {
    throw Error(Errc::bad_input, "'" + file + "' has no function '" + missing + "'",
                "give the path of libduckdb.so of version 1.2 or newer");
  }
  return Library(std::move(functions));
}

std::string Library::version() const { return functions_->library_version(); }

}  // namespace charm::duckdb
