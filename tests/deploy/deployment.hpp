// A deployment of `charm deploy up` in the folder of a test, as a user runs it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "cli/tool.hpp"

namespace charm::cli::test {

using Json = nlohmann::json;

class Deployment : public Tool {
 protected:
  ~Deployment() override { charm("deploy down --grace 0 --dir d"); }  // whatever a failed test leaves

  /// `charm deploy up` in the background, its pid in the file "up" and what it says in "said", until all workers run.
  Said up(const std::string& options, int workers = 1) const {
    return waiting("'" CHARM_TOOL "' deploy up --dir d " + options + " >said 2>&1 & echo $! >up\n" +
                   "running() { test \"$('" CHARM_TOOL
                   "' deploy status --dir d --json 2>/dev/null | grep -c "
                   "'\"phase\": \"running\"')\" = " +
                   std::to_string(workers) + "; }\nawait running");
  }
  [[nodiscard]] Json status() const { return Json::parse(charm("deploy status --dir d --json").out, nullptr, false); }
  [[nodiscard]] int pid(std::size_t worker = 0) const { return status()["workers"][worker]["pid"].get<int>(); }
  /// A process that has ended and that nobody has waited for does not run.
  [[nodiscard]] bool runs(int process) const {
    return shell("grep -q '^State:.[^ZX]' /proc/" + std::to_string(process) + "/status").exit_code == 0;
  }
  [[nodiscard]] static int count(const std::string& text, const std::string& part) {
    int times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
    return times;
  }
};

}  // namespace charm::cli::test
