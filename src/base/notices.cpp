#include "base/notices.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/environment.hpp"

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
/// \return whether the key is new.
bool enter(const std::string& key, const std::string& text) {
  std::lock_guard lock(book().mutex);
  for (const auto& entry : book().entries) {
    if (entry.first == key) return false;
  }
  book().entries.emplace_back(key, text);
  return true;
}
}  // namespace

void notice(const std::string& key, const std::string& text) {
  if (enter(key, text) && base::environment("CHARM_QUIET") == nullptr)
    std::fprintf(stderr, "charm: %s\n", text.c_str());
}

void note(const std::string& key, const std::string& text) { enter(key, text); }

void lock_notices() { book().mutex.lock(); }
void unlock_notices() { book().mutex.unlock(); }

std::vector<std::string> notices() {
  std::lock_guard lock(book().mutex);
  std::vector<std::string> texts;
  for (const auto& entry : book().entries) texts.push_back(entry.second);
  return texts;
}

}  // namespace charm::base
