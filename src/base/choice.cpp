#include "base/choice.hpp"

namespace charm::base {

std::string any_of_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (w > 0) text += w + 1 == words.size() ? " or " : ", ";
    text += words[w];
  }
  return text;
}

}  // namespace charm::base
