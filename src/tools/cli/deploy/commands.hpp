// The subcommands of `charm deploy`.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"
#include "tools/deploy/request.hpp"
#include "tools/deploy/supervisor.hpp"

namespace charm::cli {

/// What plan and up share.
struct DeployRequest {
  deploy::Request request;
  std::string cpus;     // a list as the kernel writes it; empty: all
  std::string domains;  // as the setting; empty: the setting, for this machine
  std::string reserve;  // sizes such as 8G
  std::string node_memory;
  std::string memory;  // a word of deploy::Memory; empty: by policy
  std::string target;
  deploy::TargetOptions options;
};

struct DeployPlanOptions : DeployRequest {
  std::vector<std::string> from;  // descriptions of machines, "HOST=" before each where there are several
  std::string output;             // a folder for the target's files; empty: stdout
  OutputOptions out;
};
int deploy_plan(const DeployPlanOptions& options, Session& session);

struct DeployUpOptions : DeployRequest {
  deploy::UpOptions up;
  std::string user;  // whom the command becomes before it touches the folder; empty: it stays the caller
  bool leave = false;
  OutputOptions out;
};
int deploy_up(const DeployUpOptions& options, Session& session);

struct DeployBenchOptions {
  std::string engines, policies, queries;  // lists; empty: both, all but mixed, all
  std::string scale = "0.1";               // or "auto": by the workers' memory
  int per_chiplet = 1;                     // workers on each chiplet (wicp)
  int trials = 3;
  int port = 20000;
  double patience_s = 300;
  std::string report;         // a file; empty: none
  std::string page_of;        // writes the report of that command, whose results stdin has, and runs nothing
  std::string cpus, reserve;  // of charm deploy up
  int leave_cores = 0;
  std::string machines;         // modelled ones; empty: none
  std::string recording;        // queries to model, as charm bench olap prints them; empty: those that are built in
  double modelled_scale = 100;  // scale factor
  OutputOptions out;
};
int deploy_bench(const DeployBenchOptions& options, Session& session);

struct DeployWatchOptions {
  std::string directory;
  double grace_s = 10;
  OutputOptions out;
};
int deploy_status(const DeployWatchOptions& options, Session& session);
int deploy_verify(const DeployWatchOptions& options, Session& session);
int deploy_down(const DeployWatchOptions& options, Session& session);

/// The plan that the options ask for, of this machine or of `from`.
/// \throws Error (bad_input, bad_config).
deploy::Plan deploy_plan_of(const DeployRequest& options, const std::vector<std::string>& from);

/// Bytes of "8G", "512M", "1073741824". \param option names it in the error. \throws Error (bad_config).
std::uint64_t deploy_bytes(const std::string& text, const std::string& option);

/// The folder as an absolute path without a slash at its end.
std::string deploy_folder(const std::string& path);

}  // namespace charm::cli
