// Engines whose workers each run one program. What differs from engine to engine is a row (Server); the files and
// scripts of `charm deploy plan` and what `charm deploy up` starts are made of it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/deploy/target.hpp"

namespace charm::deploy {

using Words = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;

struct Server {
  std::string_view name;
  std::string_view summary;
  std::string_view program;      ///< names, of which the first that is installed is taken: "valkey-server redis-server"
  std::string_view install;      ///< how to get it
  std::string_view uses = {};    ///< options that it needs
  std::string_view access = {};  ///< as in Target
  bool sized = false;            ///< it needs the sizes of the workers' memory
  bool web_port = false;         ///< it listens on its second port, too
  int coordinator_port = 0;      ///< where the coordinator of a plan's files listens
  int stop_signal = SIGTERM;
  Words (*arguments)(const Worker&, const TargetOptions&) = nullptr;
  Variables (*variables)(const Worker&, const TargetOptions&) = nullptr;
  std::vector<File> (*files)(const Worker&, const TargetOptions&) = nullptr;  ///< relative to the worker's folder
  os::Question (*question)(const Worker&) = nullptr;
  Words (*coordinator)(const Worker&, const TargetOptions&) = nullptr;  ///< arguments of the coordinator
  void (*prepare)(const Worker&, Launch&) = nullptr;  ///< what else `up` needs, also for the coordinator
};

std::vector<File> server_files(const Server& server, const Plan& plan, const TargetOptions& options);
Launch server_launch(const Server& server, const Worker& worker, const TargetOptions& options);
Launch server_coordinator(const Server& server, const Worker& worker, const TargetOptions& options);

template <const Server& server>
Target target_of() {
  Target target{
      .name = server.name,
      .summary = server.summary,
      .uses = server.uses,
      .files = [](const Plan& plan, const TargetOptions& options) { return server_files(server, plan, options); }};
  target.launch = [](const Worker& worker, const TargetOptions& options) {
    return server_launch(server, worker, options);
  };
  if (server.coordinator != nullptr) {
    target.coordinator = [](const Worker& worker, const Plan& /*plan*/, const TargetOptions& options) {
      return server_coordinator(server, worker, options);
    };
  }
  target.access = server.access;
  target.question = server.question;
  return target;
}

/// `key` in the worker's folder, for its user's programs: the secret that the engine takes from the variable.
template <const char* variable>
void prepare_key(const Worker& /*worker*/, Launch& how) {
  for (const auto& [name, value] : how.variables) {
    if (name == variable) how.files.push_back({"key", value + "\n", false, true});
  }
}

/// Where the coordinator listens: "head:8786".
std::string coordinator_address(const TargetOptions& options);

}  // namespace charm::deploy
