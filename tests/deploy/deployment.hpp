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
  /// \param before variables ("NAME=value") or nothing.
  Said up(const std::string& options, int workers = 1, const std::string& before = "") const {
    return waiting(before + " '" CHARM_TOOL "' deploy up --dir d " + options + " >said 2>&1 & echo $! >up\n" +
                   "running() { test \"$('" CHARM_TOOL
                   "' deploy status --dir d --json 2>/dev/null | grep -c "
                   "'\"phase\": \"running\"')\" = " +
                   std::to_string(workers) + "; }\nawait running");
  }
  [[nodiscard]] Json status() const { return Json::parse(charm("deploy status --dir d --json").out, nullptr, false); }
  [[nodiscard]] int pid(std::size_t worker = 0) const { return status()["workers"][worker]["pid"].get<int>(); }
  /// "running yes 0": the phase of the first worker, whether it answers, and the exit code of status.
  [[nodiscard]] std::string seen_by_status() const {
    const Said said = charm("deploy status --dir d --json");
    const Json worker = Json::parse(said.out, nullptr, false)["workers"][0];
    const Json& answers = worker["answers"];
    return worker["phase"].get<std::string>() +
           (answers.is_null()     ? " - "
            : answers.get<bool>() ? " yes "
                                  : " no ") +
           std::to_string(said.exit_code);
  }
  [[nodiscard]] Said await_answers() const {
    return waiting("answered() { '" CHARM_TOOL "' deploy status --dir d >status; }\nawait answered");
  }
  /// Once the first worker's process is stopped, and once it goes on.
  void expect_that_status_sees_a_stop() const {
    ASSERT_EQ(await_answers().exit_code, 0) << file("status") << file("d/w0/log");
    const std::string process = std::to_string(pid());
    waiting("kill -STOP " + process + "; stopped() { grep -q '^State:.T' /proc/" + process +
            "/status; }\nawait stopped");
    EXPECT_EQ(seen_by_status(), "stopped no 1");
    shell("kill -CONT " + process);
    EXPECT_EQ(await_answers().exit_code, 0) << file("status");
    EXPECT_EQ(seen_by_status(), "running yes 0");
  }
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
