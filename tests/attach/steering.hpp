// `charm run` and `charm attach` as a user runs them, with shell functions to watch programs by.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/tool.hpp"

namespace charm::cli::test {

class Steering : public Tool {
 protected:
  /// Not beside what else runs on the machine.
  [[nodiscard]] Said run(const std::string& line, const std::string& before = "") const {
    return charm("run " + line, "CHARM_SHARE=off " + before);
  }
  /// Shell with functions: `await CONDITION...` as in waiting(), `cpus PID` the mask of a process, `find_sleep` whether
  /// $job has a child that is the program sleep by now; it is $child then.
  [[nodiscard]] Said script(const std::string& lines) const {
    return waiting(
        "export CHARM_SHARE=off\n"
        "charm='" CHARM_TOOL
        "'\n"
        "cpus() { sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/$1/status; }\n"
        "has_cpus() { [ \"$(cpus $1)\" = \"$2\" ]; }\n"
        "state() { sed -n 's/^State:[[:space:]]*\\(.\\).*/\\1/p' /proc/$1/status; }\n"
        "is_state() { [ \"$(state $1)\" = $2 ]; }\n"
        "child_of() { cat /proc/$1/task/$1/children; }\n"
        "find_sleep() { for child in $(child_of $job); do\n"
        "  [ \"$(cat /proc/$child/comm 2>/dev/null)\" = sleep ] && return; done; return 1; }\n" +
        lines);
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
  /// A cpu of each core that may be used here.
  [[nodiscard]] std::vector<std::string> cores() const {
    std::vector<std::string> cpus;
    const auto machine = nlohmann::json::parse(charm("topo --json").out);
    for (const auto& core : machine.at("cores")) cpus.push_back(std::to_string(core.at("cpu").get<int>()));
    return cpus;
  }
};

}  // namespace charm::cli::test
