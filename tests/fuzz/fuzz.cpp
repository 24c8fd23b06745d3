// libFuzzer's entry: the parser that CHARM_FUZZ names, on the fuzzer's texts; one program for all, which links once.
// Without that variable it lists the parsers, and writes the seeds of each into a folder of its name below
// CHARM_FUZZ_SEEDS.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/parsers.hpp"

namespace {

const charm::test::Parser* chosen = nullptr;

void write_seeds(const charm::test::Parser& parser, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : charm::test::seeds_of(parser))
    std::ofstream(folder / std::to_string(number++), std::ios::binary) << seed;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* wanted = std::getenv("CHARM_FUZZ");
  const char* folder = std::getenv("CHARM_FUZZ_SEEDS");
  for (const auto& parser : charm::test::parsers()) {
    if (wanted == nullptr) std::printf("%s\n", parser.name);
    if (wanted == nullptr && folder != nullptr) write_seeds(parser, std::filesystem::path(folder) / parser.name);
    if (wanted != nullptr && std::string(wanted) == parser.name) chosen = &parser;
  }
  if (wanted == nullptr) std::exit(0);
  if (chosen == nullptr) {
    std::fprintf(stderr, "no parser '%s'; without CHARM_FUZZ they are listed\n", wanted);
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  charm::test::refusal(*chosen, std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
