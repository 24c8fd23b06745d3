#include "base/notices.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace charm::base {
namespace {
struct Book {
  std::mutex mutex;
  std::vector<std::pair<std::string, std::string>> entries;
};
Book& book() {
  static Book the_book;
  return the_book;
}
}  // namespace

void notice(const std::string& key, const std::string& text) {
  std::lock_guard lock(book().mutex);
  for (const auto& entry : book().entries) {
    if (entry.first == key) return;
  }
  book().entries.emplace_back(key, text);
  if (std::getenv("CHARM_QUIET") == nullptr) std::fprintf(stderr, "charm: %s\n", text.c_str());
}

std::vector<std::string> notices() {
  std::lock_guard lock(book().mutex);
  std::vector<std::string> texts;
  for (const auto& entry : book().entries) texts.push_back(entry.second);
  return texts;
}

}  // namespace charm::base
