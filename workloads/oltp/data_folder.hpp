// Where databases are: each is made once, under a folder that the user names, and runs work on copies.
//
// A database's folder has a manifest, which says what was loaded; it gets its name when it is whole. A copy is locked
// while its process lives; copies of processes that were killed are removed by the next run.
#pragma once

#include <functional>
#include <string>
#include <utility>

namespace charm::workloads::oltp {

/// A folder that is removed when it is not needed any more.
class WorkingCopy {
 public:
  WorkingCopy() = default;
  WorkingCopy(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  WorkingCopy(WorkingCopy&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}
  WorkingCopy& operator=(WorkingCopy&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(lock_, other.lock_);
    return *this;
  }
  ~WorkingCopy();

  [[nodiscard]] std::string database() const { return path_ + "/database"; }

 private:
  std::string path_;
  int lock_ = -1;
};

/// \param asked the user's folder; empty: charm/oltp in the user's cache folder, which is made.
/// \throws Error (bad_input) if it is not there, is no folder, or has an engine's database in it; (bad_config) if
/// neither XDG_CACHE_HOME nor HOME is set.
std::string data_root(const std::string& asked);

/// The folder of a database below `root`, made by `make(folder)` if it is not there. \param manifest what was loaded,
/// in lines. \throws Error (bad_input) if the folder is there and is not what the manifest says, or cannot be written;
/// what `make` throws, after which nothing is left.
std::string prepared_database(const std::string& root, const std::string& name, const std::string& manifest,
                              const std::function<void(const std::string& folder)>& make);

/// A copy below `root`. \throws Error (bad_input) if it cannot be written; then nothing is left.
WorkingCopy copy_database(const std::string& root, const std::string& database);

}  // namespace charm::workloads::oltp
