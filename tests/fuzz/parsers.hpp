// The parsers of what others wrote, each as a function of the text alone. The fuzzer (fuzz.cpp) calls one of them with
// millions of made-up texts; seeds_test.cpp calls each with its seeds in every build.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace charm::test {

struct Parser {
  const char* name;  ///< of the folder of its seeds, too
  /// \throws Error for a text that it refuses. Any other exception is a defect.
  void (*parse)(const std::string& text);
  std::vector<const char*> files = {};           ///< of the source tree, seeds besides those in seeds/NAME
  std::vector<std::string> (*made)() = nullptr;  ///< further seeds
};

std::span<const Parser> parsers();

/// Texts that the parser takes: the fuzzer begins with them.
std::vector<std::string> seeds_of(const Parser& parser);

/// Texts that the parser must refuse: the fuzzer found them when they still ended it.
std::vector<std::string> refused_by(const Parser& parser);

/// Why the parser refuses the text, as its Error says it; empty where it takes it.
std::string refusal(const Parser& parser, const std::string& text);

}  // namespace charm::test
