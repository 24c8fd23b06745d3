#include "tools/os/working_set.hpp"

#include <charm/error.hpp>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "os/files/system_files.hpp"

namespace charm::os {
namespace {

std::string process_folder(int pid, const std::string& root) { return path_below(root, "proc/" + std::to_string(pid)); }

[[noreturn]] void refuse(int pid, const std::string& root, const std::string& file) {
  std::error_code ignored;
  const std::string process = "process " + std::to_string(pid);
  if (!std::filesystem::exists(process_folder(pid, root), ignored)) {
    throw Error(Errc::bad_input, "there is no " + process, "give the number of a running process");
  }
  throw Error(Errc::system, process + " does not let us see what memory it touches (" + file + ")",
              "run as its owner or as root, or give --working-set");
}

}  // namespace

void forget_touched_memory(int pid, const std::string& root) {
  const std::string file = process_folder(pid, root) + "/clear_refs";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) refuse(pid, root, "clear_refs");
  std::ofstream out(file);
  if (!(out << "1\n" << std::flush)) refuse(pid, root, "clear_refs");
}

std::uint64_t touched_memory(int pid, const std::string& root) {
  const std::string rollup = read_text(process_folder(pid, root) + "/smaps_rollup");
  if (const auto bytes = kilobytes_of(rollup, "Referenced:")) return *bytes;
  refuse(pid, root, "smaps_rollup");
}

}  // namespace charm::os
