// Targets: what a plan is written for, or started as. A target is a value in one registry; a new one is one file in
// targets/, one line in targets.hpp and one in targets.cpp.
#pragma once

#include <csignal>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/deploy/plan.hpp"
#include "tools/os/local_port.hpp"

namespace charm::deploy {

/// A file that a target writes; the path is relative to the folder that the user names.
struct File {
  std::string path;
  std::string text;
  bool executable = false;
  bool secret = false;  ///< only its owner may read it; `charm deploy up` alone writes such
};

struct TargetOptions {
  std::string exec;                       ///< the worker's command, with {port} and the like (command.hpp)
  std::string image;                      ///< of containers
  std::string coordinator = "localhost";  ///< host of the engine's master or coordinator
  int coordinator_port = 0;               ///< where it listens; 0: the engine's usual one
  std::string secret = {};                ///< that the parts of one deployment share, made anew by `charm deploy up`
  std::string model = {};                 ///< that servers of models load: a file, or a name that they know
};

/// How one worker is started on this machine by `charm deploy up`.
struct Launch {
  std::vector<std::string> words;    ///< program and arguments; empty: the target's coordinator starts it
  std::vector<std::string> prepare;  ///< a program that runs once before, where `prepared` does not exist
  std::string prepared;              ///< path of what `prepare` makes
  std::vector<File> files;           ///< written before, relative to the worker's directory
  std::vector<std::pair<std::string, std::string>> variables = {};  ///< set in its environment
  bool web_port = false;                                            ///< it listens on the worker's second port, too
  std::string not_as_root;                                          ///< why it cannot run as root; empty: it can
  int stop_signal = SIGTERM;                                        ///< asks it to end
};

struct Target {
  std::string_view name;
  std::string_view summary;
  std::string_view uses;  ///< options that it needs: "exec", "image", "model", or empty
  /// \throws Error (bad_config) where the target cannot express the plan, with the reason.
  std::vector<File> (*files)(const Plan& plan, const TargetOptions& options);
  Launch (*launch)(const Worker& worker, const TargetOptions& options) = nullptr;
  /// The engine's master or coordinator, which `charm deploy up` starts before the workers of `plan` (coordinator.hpp).
  Launch (*coordinator)(const Worker& worker, const Plan& plan, const TargetOptions& options) = nullptr;
  /// Who may use the engine, where that is not only the user who runs it, or how that user's programs show that they
  /// may. A sentence that `plan` and `up` print; empty: nothing to say.
  std::string_view access = {};
  /// What `charm deploy status` asks a worker or the coordinator. Without it, whether its port accepts connections.
  os::Question (*question)(const Worker& worker) = nullptr;
};

/// GET of a path: what its answer has in it, as a question for the socket or port.
os::Question http_question(int port, const std::string& path, const std::string& answer,
                           const std::string& socket = "");

/// All targets, in the order in which help shows them.
std::span<const Target> targets();

/// \throws Error (bad_config) that lists the targets.
const Target& target(std::string_view name);

/// \throws Error (bad_config) for options that no generated text could carry: a coordinator that is no name of a host,
/// control characters anywhere.
void check_texts(const Plan& plan, const TargetOptions& options);

/// \throws Error (bad_config) where an option is missing that the target needs.
void check_uses(const Target& target, const TargetOptions& options);

/// The files of a target, after checking that the options that it needs are there.
std::vector<File> files_for(const Target& target, const Plan& plan, const TargetOptions& options);

}  // namespace charm::deploy
