#include "remote/launch.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace charm::remote {

Launch find_launch() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "MPI_LOCALNRANKS"}) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    int ranks = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), ranks);
    if (error == std::errc() && *end == '\0' && ranks > 0) return {ranks, name};
  }
  return {};
}

}  // namespace charm::remote
