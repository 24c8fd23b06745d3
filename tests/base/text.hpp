// Looking for words in what was said.
#pragma once

#include <string>

namespace charm::test {

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace charm::test
