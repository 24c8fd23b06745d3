// The machine, the software and the settings of a benchmark: what a reader needs to judge its figures.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/settings.hpp"

namespace charm::cli {

struct Host {
  std::string name;     // name of the host
  std::string machine;  // product or cpu model
  int cpus = 0;         // hardware threads that the process may use
  int cores = 0;        // physical cores among them
  int chiplets = 0;
  std::string kernel;     // operating system and release
  std::string placed_by;  // what places threads besides CHARM (system_placement.hpp)
  std::string compiler;   // the compiler that built this executable
  std::string date;       // UTC, ISO 8601
  struct Version {
    std::string what, version;
  };
  std::vector<Version> versions;
  std::vector<base::Settings::Origin> settings;
};

/// The keys that all commands with a host have, in their JSON.
base::Json host_json(const Host& host);

Host describe_host(const Machine& machine, const base::Settings& settings);

}  // namespace charm::cli
