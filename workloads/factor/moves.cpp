#include "workloads/factor/moves.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace charm::workloads::factor {
namespace {

std::optional<std::uint64_t> faults_so_far() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  if (!std::getline(file, text)) return {};
  // The name of the program, in parentheses, may have anything in it; behind it minor faults are the 8th field and
  // major ones the 10th.
  const std::size_t name = text.rfind(')');
  if (name == std::string::npos) return {};
  std::istringstream fields(text.substr(name + 1));
  std::string skipped;
  std::uint64_t minor = 0;
  std::uint64_t major = 0;
  for (int i = 0; i < 7; ++i) fields >> skipped;
  if (!(fields >> minor >> skipped >> major)) return {};
  return minor + major;
}

std::map<int, std::uint64_t> migrations_so_far() {
  std::map<int, std::uint64_t> counts;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = entry.path().filename().string();
    int thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    std::ifstream file(entry.path() / "sched");
    for (std::string line; std::getline(file, line);) {
      const std::size_t value = line.rfind(' ');
      if (line.starts_with("se.nr_migrations") && value != std::string::npos)
        std::from_chars(line.data() + value + 1, line.data() + line.size(), counts[thread]);
    }
  }
  return counts;
}

}  // namespace

Moves::Moves() : faults_(faults_so_far()), migrations_(migrations_so_far()) {}

std::optional<std::uint64_t> Moves::page_faults() const {
  const auto now = faults_so_far();
  if (!now || !faults_) return {};
  return *now - *faults_;
}

std::optional<std::uint64_t> Moves::migrations() const {
  if (migrations_.empty()) return {};
  std::uint64_t sum = 0;
  for (const auto& [thread, count] : migrations_so_far()) {
    const auto before = migrations_.find(thread);
    // A thread that was made meanwhile may have the number of one that has ended.
    sum += before == migrations_.end() || before->second > count ? count : count - before->second;
  }
  return sum;
}

}  // namespace charm::workloads::factor
