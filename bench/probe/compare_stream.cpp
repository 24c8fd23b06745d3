// The probe's STREAM triad against the public stream.c: compiled here with the compiler and flags that the probe was
// built with, arrays of the same size, as many threads, in turns (A B A B ...), the best of each and the spread of the
// ratios. stream.c prints the best of its own trials; each turn of the probe has as many.
//
//   compare_stream STREAM.C [TURNS [MIB_PER_ARRAY]]
#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include "tools/probe/measuring/stream.hpp"

namespace {

constexpr int trials = 10;  // NTIMES of stream.c

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

double public_triad(const std::string& program, std::size_t threads) {
  FILE* pipe =
      popen(("OMP_PROC_BIND=true OMP_NUM_THREADS=" + std::to_string(threads) + " " + quoted(program)).c_str(), "r");
  double rate = 0;
  char line[256];
  while (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr) {
    std::sscanf(line, "Triad: %lf", &rate);
  }
  if (pipe != nullptr) pclose(pipe);
  return rate / 1e3;  // MB/s
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(const std::string& source, int turns, std::size_t array_bytes) {
  const std::size_t elements = array_bytes / sizeof(double);
  const std::string program =
      (std::filesystem::temp_directory_path() / ("charm_stream_" + std::to_string(getpid()))).string();
  const std::string compile = std::string(CHARM_CC " " CHARM_CFLAGS " -fopenmp -DSTREAM_ARRAY_SIZE=") +
                              std::to_string(elements) + " -DNTIMES=" + std::to_string(trials) + " " + quoted(source) +
                              " -o " + quoted(program);
  std::printf("%s\n", compile.c_str());
  if (std::system(compile.c_str()) != 0) return 2;
  std::vector<int> cpus;
  const charm::Machine machine = charm::Machine::discover();
  for (const charm::Core& core : machine.cores) cpus.push_back(core.cpu);
  std::vector<double> own, other, ratios;
  for (int turn = 0; turn < turns; ++turn) {
    own.push_back(charm::probe::stream({cpus}, 3 * array_bytes, trials).best_gb_per_s[3]);
    other.push_back(public_triad(program, cpus.size()));
    if (other.back() <= 0) break;
    ratios.push_back(own.back() / other.back());
    std::printf("turn %2d: probe %.2f GB/s, stream.c %.2f GB/s, ratio %.3f\n", turn + 1, own.back(), other.back(),
                ratios.back());
  }
  std::filesystem::remove(program);
  if (ratios.empty()) {
    std::fprintf(stderr, "stream.c printed no Triad line; is %s the public STREAM?\n", source.c_str());
    return 2;
  }
  const double best_own = *std::max_element(own.begin(), own.end());
  const double best_other = *std::max_element(other.begin(), other.end());
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  std::printf("best: probe %.2f GB/s, stream.c %.2f GB/s, ratio %.3f; ratios of turns: median %.3f, %.3f to %.3f\n",
              best_own, best_other, best_own / best_other, median(ratios), *low, *high);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: %s STREAM.C [TURNS [MIB_PER_ARRAY]]\n", arguments[0]);
    return 2;
  }
  try {
    const int turns = count > 2 ? std::atoi(arguments[2]) : 15;
    const std::size_t mib = count > 3 ? static_cast<std::size_t>(std::atoi(arguments[3])) : 512;
    return run(arguments[1], std::max(1, turns), std::max<std::size_t>(1, mib) << 20);
  } catch (const charm::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
