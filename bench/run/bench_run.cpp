// What `charm run` costs: the time until `true` has ended, and the time until a program begins, with and without it in
// turns; and the cpu time of the steering once nothing changes, while 64 threads sleep and while 64 threads compute.
//   bench-run [REPEATS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/wait.h>

namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bench-run: %s\n", why.c_str());
  std::exit(1);
}

using Seconds = std::chrono::duration<double>;

pid_t start(const Words& words, const posix_spawn_file_actions_t* files = nullptr) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, arguments.front(), files, nullptr, arguments.data(), environ))
    fail("cannot start " + words.front() + ": " + std::strerror(error) + "; build the target charm_cli first");
  return child;
}

void wait_for(pid_t child, const Words& words) {
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) fail(words.front() + " ended with status " + std::to_string(status));
}

/// From the start to the end.
double seconds_of(const Words& words) {
  const auto begin = Clock::now();
  wait_for(start(words), words);
  return Seconds(Clock::now() - begin).count();
}

/// From the start to the program's own first line (see print_now).
double seconds_until(const Words& words) {
  int ends[2];
  if (pipe(ends) != 0) fail("no pipe can be made");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&files, ends[0]);
  const auto begin = Clock::now();
  const pid_t child = start(words, &files);
  close(ends[1]);
  Clock::rep began = 0;
  if (read(ends[0], &began, sizeof began) != sizeof began) fail(words.front() + " did not tell when it began");
  wait_for(child, words);
  posix_spawn_file_actions_destroy(&files);
  close(ends[0]);
  return Seconds(Clock::duration(began) - begin.time_since_epoch()).count();
}

int print_now() {
  const Clock::rep now = Clock::now().time_since_epoch().count();
  return write(STDOUT_FILENO, &now, sizeof now) == sizeof now ? 0 : 1;
}

void row(const char* name, std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return 1e3 * times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
  };
  std::printf("%-26s %8.2f ms median, %.2f to %.2f in 8 of 10\n", name, at(0.5), at(0.1), at(0.9));
}

/// Seconds of cpu time that the steering took, from its own report.
double steering_seconds(const std::string& self, const char* what, int seconds) {
  std::string report = "/tmp/bench-run-XXXXXX";
  const int file = mkstemp(report.data());
  if (file < 0) fail("no file can be made in /tmp");
  close(file);
  seconds_of({CHARM_TOOL, "run", "--share", "off", "--report", report, "--", self, what, std::to_string(seconds)});
  std::ifstream in(report);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  unlink(report.c_str());
  const std::string key = "\"own_cpu_s\": ";
  const std::size_t place = text.find(key);
  if (place == std::string::npos) fail("the report does not tell own_cpu_s");
  return std::atof(text.c_str() + place + key.size());
}

/// Share of a core that the steering takes once nothing changes: the start is the same in a short run and a long one.
double steering_share(const std::string& self, const char* what) {
  constexpr int start = 4, steady = 20;
  return (steering_seconds(self, what, start + steady) - steering_seconds(self, what, start)) / steady;
}

int threads(bool busy, int seconds) {
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::vector<std::thread> all;
  for (int t = 0; t < 64; ++t) {
    all.emplace_back([&] {
      if (!busy) return std::this_thread::sleep_until(end);
      while (Clock::now() < end) {
      }
    });
  }
  for (auto& thread : all) thread.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word == "now") return print_now();
  if (word == "sleeping" || word == "computing")
    return threads(word == "computing", argc > 2 ? std::atoi(argv[2]) : 10);
  const int repeats = std::max(5, std::atoi(word.empty() ? "100" : word.c_str()));
  std::vector<double> plain, steered, difference;
  for (int r = 0; r < repeats; ++r) {
    plain.push_back(seconds_of({"true"}));
    steered.push_back(seconds_of({CHARM_TOOL, "run", "-q", "--", "true"}));
    difference.push_back(steered.back() - plain.back());
  }
  row("true", plain);
  row("charm run -- true", steered);
  row("difference of a pair", difference);
  std::vector<double> later;
  for (int r = 0; r < repeats; ++r) {
    const double alone = seconds_until({argv[0], "now"});
    later.push_back(seconds_until({CHARM_TOOL, "run", "-q", "--", argv[0], "now"}) - alone);
  }
  row("its main() begins later by", later);
  std::printf("steering 64 threads that sleep:   %.2f %% of a core\n", 100 * steering_share(argv[0], "sleeping"));
  std::printf("steering 64 threads that compute: %.2f %% of a core\n", 100 * steering_share(argv[0], "computing"));
  return 0;
}
