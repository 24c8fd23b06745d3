#include "tools/os/wait_for_input.hpp"

#include <poll.h>
#include <vector>

namespace charm::os {

void wait_for_input(std::span<WatchedFile> files, double seconds) {
  std::vector<pollfd> polled;
  polled.reserve(files.size());
  for (const WatchedFile& file : files) polled.push_back({file.descriptor, POLLIN, 0});
  const int ready = poll(polled.data(), polled.size(), static_cast<int>(seconds * 1000 + 0.999));
  for (std::size_t i = 0; i < files.size(); ++i) files[i].ready = ready > 0 && polled[i].revents != 0;
}

}  // namespace charm::os
