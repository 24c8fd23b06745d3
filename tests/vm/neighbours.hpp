// Programs that share a machine, started and ended by a test, and what can be seen of them at one moment: the table of
// shares and the masks that the kernel has.
#pragma once

#include <charm/machine.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/wait.h>

#include "lease/table.hpp"
#include "os/files/shared_file.hpp"
#include "os/processes/processes.hpp"
#include "os/threads/affinity.hpp"

namespace charm::test {

inline std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

/// Waits as long as the slowest emulation may need; a test that goes well needs little of it.
template <class F>
bool in_the_end(F&& holds, std::chrono::milliseconds between = std::chrono::milliseconds(100)) {
  for (const auto end = now_ms() + 120'000; now_ms() < end;) {
    if (holds()) return true;
    std::this_thread::sleep_for(between);
  }
  return holds();
}

/// Of a process that does not end: each thread with its name, its state, the kernel function in which it sleeps and the
/// system call, a line each.
inline std::string waits_of(int pid) {
  std::string text;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  std::error_code gone;
  for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
    text += "process " + std::to_string(pid) + ", thread " + task.path().filename().string() + ":";
    for (const char* file : {"stat", "wchan", "syscall", "status"}) {
      std::ifstream in(task.path() / file);
      for (std::string line; std::getline(in, line);) {
        if (file != std::string_view("status") || line.starts_with("Sig") || line.starts_with("Shd"))
          text += " " + line;
      }
    }
    text += "\n";
  }
  return text;
}

inline constexpr int for_ever_ms = 1'000'000;  // of work

class Neighbour {
 public:
  enum class Kind { library, steered, plain };  // steered: `charm run`; plain: without charm

  struct Does {
    int threads = 1, busy_ms = 20, doze_ms = 180;  // all of its time: busy_ms alone
  };

  Neighbour(Kind kind, Does does, const std::string& shares, std::string file, const std::string& policy = "local")
      : kind_(kind), file_(std::move(file)) {
    std::filesystem::remove(file_);
    std::vector<std::string> words;
    if (kind == Kind::steered) words = {"charm", "run", "-q", "--share", shares, "--policy", policy, "--"};
    for (const std::string& word : {std::string("vm_neighbour"), std::string(name()), std::to_string(does.threads),
                                    std::to_string(does.busy_ms), std::to_string(does.doze_ms), file_})
      words.push_back(word);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = group_ = fork();
    setpgid(pid_, pid_);  // by both, so that it is done when either goes on
    if (pid_ != 0) return;
    if (kind == Kind::library) setenv("CHARM_SHARE", shares.c_str(), 1);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  ~Neighbour() {
    end(SIGKILL);
    if (group_ > 0) kill(-group_, SIGKILL);  // a program lives on when its `charm run` is killed
    std::filesystem::remove(file_);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

  [[nodiscard]] const char* name() const { return kind_ == Kind::library ? "library" : "plain"; }
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] int holder() const { return pid_; }  ///< of the share
  /// The process whose threads compute; 0 until all of them are there.
  [[nodiscard]] int program() const {
    int pid = 0;
    std::ifstream(file_) >> pid;
    return pid;
  }
  /// Signals the holder, and waits until it is gone. One that does not go in two minutes is killed, and what each of
  /// its threads waited for is returned; empty: it went.
  std::string end(int signal) {
    if (pid_ <= 0) return "";
    kill(pid_, signal);
    std::string stayed;
    const auto gone = [&] { return waitpid(pid_, nullptr, WNOHANG) != 0; };
    if (!in_the_end(gone, std::chrono::milliseconds(5))) {
      stayed = waits_of(pid_) + (program() != 0 && program() != pid_ ? waits_of(program()) : "");
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    pid_ = 0;
    return stayed;
  }

 private:
  Kind kind_;
  std::string file_;
  int pid_ = 0, group_ = 0;
};

/// The table of shares, with nobody able to change it while this exists.
class HeldTable {
 public:
  /// Nothing where it cannot be had just now.
  static std::unique_ptr<HeldTable> take(const std::string& path) {
    std::unique_ptr<HeldTable> held(new HeldTable(path));
    return held->turn_.granted() ? std::move(held) : nullptr;
  }
  [[nodiscard]] lease::Decoded read() const { return lease::decode(file_->read(lease::file_bytes() + 1)); }

 private:
  explicit HeldTable(const std::string& path) : file_(os::SharedFile::open(path)), turn_(*file_) {}
  std::unique_ptr<os::SharedFile> file_;
  os::SharedFile::Turn turn_;
};

inline std::optional<lease::Table> table_at(const std::string& path) {
  const auto held = HeldTable::take(path);
  if (!held) return std::nullopt;
  return held->read().table;
}

inline const lease::Entry* entry_of(const lease::Table& table, int pid) {
  for (const lease::Entry& entry : table.entries) {
    if (entry.pid == pid) return &entry;
  }
  return nullptr;
}

/// All cpus of these cores.
inline CpuSet cpus_of(const Machine& machine, const CoreCpuSet& cores) {
  CpuSet cpus;
  for (const int core : cores) {
    if (const Core* at = machine.core_of_cpu(core)) cpus |= at->siblings;
  }
  return cpus;
}

/// By thread, as the kernel has them; of the library only workers that have a core, the others being nobody's concern.
/// Worker 0 has two threads, of which one sleeps with the mask that it had: it is left out.
inline std::map<int, CpuSet> masks_of(const Neighbour& neighbour) {
  std::map<int, CpuSet> masks;
  const os::Processes processes;
  const int program = neighbour.program();
  if (program == 0) return masks;
  for (const int thread : processes.threads(program)) {
    const CpuSet mask = os::allowed_cpus_of(thread);
    const bool library = neighbour.kind() == Neighbour::Kind::library;
    const std::string name = processes.name(program, thread);
    const bool worker = name.size() > 6 && name.starts_with("charm-") && name != "charm-0" && name[6] >= '0' &&
                        name[6] <= '9' && mask.size() == 1;
    if (!mask.empty() && (!library || worker)) masks[thread] = mask;
  }
  return masks;
}

}  // namespace charm::test
