#include "workloads/oltp/data_folder.hpp"

#include <charm/error.hpp>

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/file.h>

namespace charm::workloads::oltp {
namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = "charm-oltp";

[[noreturn]] void refuse_folder(const std::string& problem, const std::string& remedy) {
  throw Error(Errc::bad_input, "--data: " + problem, remedy);
}

[[noreturn]] void cannot_write(const fs::path& path, const std::error_code& error) {
  refuse_folder(fmt::format("cannot write '{}': {}", path.string(), error.message()),
                "give a folder that can be written, with enough space");
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) cannot_write(path, error);
}

std::string cache_folder() {
  for (const auto& [variable, below] : {std::pair("XDG_CACHE_HOME", "charm/oltp"), {"HOME", ".cache/charm/oltp"}}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value == '/') return (fs::path(value) / below).string();
  }
  throw Error(Errc::bad_config, "no place for the database: neither XDG_CACHE_HOME nor HOME is set",
              "set one of them, or give --data FOLDER");
}

/// Copies whose lock nobody holds are of processes that are no more.
void remove_left_copies(const fs::path& root) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    if (!entry.path().filename().string().starts_with("run-")) continue;
    const int file = ::open((entry.path() / "lock").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;  // it is being made or removed
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), error);
    ::close(file);
  }
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void check_manifest(const fs::path& folder, const std::string& manifest) {
  std::error_code error;
  if (!fs::exists(folder / manifest_name, error))
    refuse_folder(fmt::format("'{}' is there, and not made by charm bench oltp", folder.string()),
                  "move it away, or give another folder");
  if (content_of(folder / manifest_name) != manifest)
    refuse_folder(fmt::format("'{}' has another database than its name says", folder.string()),
                  "remove it, and it is made anew, or give another folder");
}

}  // namespace

WorkingCopy::~WorkingCopy() {
  if (path_.empty()) return;
  std::error_code error;
  fs::remove_all(path_, error);
  if (lock_ >= 0) ::close(lock_);
}

std::string data_root(const std::string& asked) {
  if (asked.empty()) {
    const std::string own = cache_folder();
    make_folder(own);
    return own;
  }
  std::error_code error;
  if (!fs::exists(asked, error))
    refuse_folder(fmt::format("there is no folder '{}'", asked), "make it, or leave --data out");
  if (!fs::is_directory(asked, error)) refuse_folder(fmt::format("'{}' is not a folder", asked), "give a folder");
  for (const char* file : {"WiredTiger", "CURRENT", manifest_name}) {
    if (fs::exists(fs::path(asked) / file, error))
      refuse_folder(fmt::format("'{}' is a database itself: it has a file '{}'", asked, file),
                    "give the folder below which databases are to be made");
  }
  return asked;
}

std::string prepared_database(const std::string& root, const std::string& name, const std::string& manifest,
                              const std::function<void(const std::string& folder)>& make) {
  const fs::path folder = fs::path(root) / name;
  std::error_code error;
  if (fs::exists(folder, error)) {
    check_manifest(folder, manifest);
    return folder.string();
  }
  const fs::path unfinished = fs::path(root) / fmt::format("{}.{}", name, ::getpid());
  try {
    fs::remove_all(unfinished, error);
    make_folder(unfinished);
    make(unfinished.string());
    std::ofstream file(unfinished / manifest_name, std::ios::binary);
    file << manifest;
    file.close();
    if (!file) cannot_write(unfinished / manifest_name, std::make_error_code(std::errc::io_error));
    fs::rename(unfinished, folder, error);
    if (error && !fs::exists(folder)) cannot_write(folder, error);  // else another process was quicker
    if (error) fs::remove_all(unfinished, error);
  } catch (...) {
    fs::remove_all(unfinished, error);
    throw;
  }
  check_manifest(folder, manifest);
  return folder.string();
}

WorkingCopy copy_database(const std::string& root, const std::string& database) {
  remove_left_copies(root);
  static int number = 0;
  const std::string name = fmt::format("{}-{}", ::getpid(), ++number);
  const fs::path path = fs::path(root) / ("run-" + name);
  const fs::path unlocked = fs::path(root) / ("new-" + name);  // under a name at which nobody looks for left copies
  make_folder(unlocked);
  const int lock = ::open((unlocked / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  std::error_code error;
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0)
    error.assign(errno, std::generic_category());
  else
    fs::rename(unlocked, path, error);
  WorkingCopy copy((error ? unlocked : path).string(), lock);
  if (error) cannot_write(path, error);
  fs::create_directory(copy.database(), error);
  for (const auto& entry : fs::directory_iterator(database)) {
    if (!error)
      fs::copy(entry.path(), fs::path(copy.database()) / entry.path().filename(), fs::copy_options::recursive, error);
    if (error) cannot_write(copy.database(), error);
  }
  return copy;
}

}  // namespace charm::workloads::oltp
