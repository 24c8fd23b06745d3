#include "trace/decision_file.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "os/files/private_file.hpp"
#include "os/processes/this_process.hpp"
#include "os/threads/thread_list.hpp"

namespace charm::trace {
namespace {

constexpr char suffix[] = ".decisions";

}  // namespace

std::string decision_file_path(int process, const std::string& folder) {
  return (folder.empty() ? os::private_folder() : folder) + "/" + std::to_string(process) + suffix;
}

DecisionFile::DecisionFile(std::string policy, std::size_t workers, const std::string& folder)
    : path_(decision_file_path(os::process_id(), folder)),
      policy_(std::move(policy)),
      workers_(workers),
      process_(os::process_id()),
      file_(path_) {
  if (!file_.is_open()) return;
  os::remove_files_of_ended_processes(path_.substr(0, path_.rfind('/')), suffix);
  begin();
}

bool DecisionFile::write(const std::string& text) noexcept {
  const std::size_t written = file_.append(text);
  bytes_ += written;
  return written == text.size();
}

void DecisionFile::begin() noexcept {
  try {
    const auto self = os::process(process_);
    const base::Json first = {{"charm_decisions", 1},
                              {"pid", process_},
                              {"started", self ? self->started : 0},
                              {"before", total_ - latest_.size()},
                              {"policy", policy_},
                              {"workers", workers_}};
    std::string text = base::json_text(first) + "\n";
    for (const auto& line : latest_) text += line;
    if (!file_.clear()) return;
    bytes_ = 0;
    write(text);
  } catch (...) {
    return;  // no memory: the file stays as it is
  }
}

void DecisionFile::append(const std::string& line) noexcept {
  if (!file_.is_open()) return;
  try {
    ++total_;
    if (line.size() + 1 > most_bytes / (2 * kept_lines))
      return;  // the kept ones always leave room; this one is missing
    latest_.push_back(line + "\n");
    if (latest_.size() > kept_lines) latest_.pop_front();
    if (bytes_ + line.size() + 1 > most_bytes)
      begin();
    else
      write(latest_.back());
  } catch (...) {
    return;  // no memory for a line: it is missing, and the program goes on
  }
}

}  // namespace charm::trace
