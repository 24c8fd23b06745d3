#include "os/working_set.hpp"

#include <charm/error.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace charm::os {
namespace {

std::string folder_of(int pid, const std::string& root) { return root + "/proc/" + std::to_string(pid); }

[[noreturn]] void refuse(int pid, const std::string& root, const std::string& file) {
  std::error_code ignored;
  const std::string process = "process " + std::to_string(pid);
  if (!std::filesystem::exists(folder_of(pid, root), ignored)) {
    throw Error(Errc::bad_input, "there is no " + process, "give the number of a running process");
  }
  throw Error(Errc::system, process + " does not let us see what memory it touches (" + file + ")",
              "run as its owner or as root, or give --working-set");
}

}  // namespace

void forget_touched_memory(int pid, const std::string& root) {
  const std::string file = folder_of(pid, root) + "/clear_refs";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) refuse(pid, root, "clear_refs");
  std::ofstream out(file);
  if (!(out << "1\n" << std::flush)) refuse(pid, root, "clear_refs");
}

std::uint64_t touched_memory(int pid, const std::string& root) {
  std::ifstream in(folder_of(pid, root) + "/smaps_rollup");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("Referenced:")) continue;
    std::istringstream words(line.substr(11));
    std::uint64_t kib = 0;
    if (words >> kib) return kib * 1024;
  }
  refuse(pid, root, "smaps_rollup");
}

}  // namespace charm::os
