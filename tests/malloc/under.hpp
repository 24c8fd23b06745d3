// Programs run under libcharm_malloc.so, on a machine that is described by a page of weights: two memories, which are
// both node 0 here, and a root for each cpu in turn. So all of the placing is done, by real system calls, on any
// machine.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/folder.hpp"
#include "tools/memory_traffic/publish.hpp"

namespace charm::shim::test {

/// \param root of every cpu; -1: in turn.
inline memory::WeightPage two_memories(int second_node = 0, int root = -1) {
  memory::WeightPage page;
  page.magic = memory::page_magic;
  page.bytes = sizeof page;
  page.generation = 1;
  page.memories = 2;
  page.roots = 2;
  std::string("test").copy(page.policy.data(), 4);
  page.os_node[1] = second_node;
  page.normal = {0, 1};
  page.socket[1] = 1;
  page.weights[0] = {1000, 250};
  page.weights[1] = {250, 1000};
  for (std::size_t cpu = 0; cpu < page.root_of_cpu.size(); ++cpu)
    page.root_of_cpu[cpu] = static_cast<std::uint8_t>(root < 0 ? cpu % 2 : static_cast<std::size_t>(root));
  return page;
}

struct Said {
  int exit_code = -1;
  std::string out;
  std::string err;
};

class UnderTheShim : public testing::Test {
 protected:
  /// Shell words, without the shim.
  static Said run_plain(const std::string& command) {
    charm::test::Folder folder;
    const std::string out = folder.path("out");
    const std::string err = folder.path("err");
    const int status = std::system(("{ " + command + " ; } >'" + out + "' 2>'" + err + "' </dev/null").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(out), content(err)};
  }

  /// The same words with the shim preloaded. \param variables "NAME=value NAME=value".
  [[nodiscard]] Said run(const std::string& command, const std::string& variables = "") const {
    return run_plain("env LD_PRELOAD='" CHARM_SHIM "' CHARM_MALLOC_WEIGHTS='" + weights_ + "' " + variables + " " +
                     command);
  }

  void publish(const memory::WeightPage& page) {
    const std::string fresh = folder_.path("fresh");
    std::ofstream(fresh, std::ios::binary) << memory_traffic::page_bytes(page);
    chmod(fresh.c_str(), 0600);
    std::filesystem::rename(fresh, weights_);
  }

  /// The number behind a word of the statistics.
  static std::uint64_t number_behind(const std::string& text, const std::string& word) {
    const std::size_t at = text.find(word + " ");
    if (at == std::string::npos) {
      ADD_FAILURE() << "'" << word << "' is missing in: " << text;
      return 0;
    }
    return std::stoull(text.substr(at + word.size() + 1));
  }

  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  charm::test::Folder folder_;
  std::string weights_ = folder_.path("weights");
};

}  // namespace charm::shim::test
