#include "os/pressure.hpp"

#include <fstream>
#include <sstream>

namespace charm::os {

std::optional<double> cpu_pressure(const std::string& root) {
  std::ifstream in(root + "/proc/pressure/cpu");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word != "some") continue;
    while (words >> word) {
      if (word.compare(0, 6, "avg10=") != 0) continue;
      std::istringstream number(word.substr(6));
      double percent = 0;
      if (number >> percent) return percent;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> runnable_threads(const std::string& root) {
  std::ifstream in(root + "/proc/loadavg");
  double average = 0;
  std::size_t running = 0;
  if (in >> average >> average >> average >> running) return running;  // "0.1 0.2 0.3 2/345 6789"
  return std::nullopt;
}

}  // namespace charm::os
