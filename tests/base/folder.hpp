// A folder of a test's own, which goes with the object: tests run beside each other, and beside those of other builds.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace charm::test {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "charm_test_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder: " + pattern);
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Of the folder, or of `name` in it, which need not be there.
  [[nodiscard]] std::string path(const std::string& name = "") const {
    return name.empty() ? path_.string() : (path_ / name).string();
  }
  /// Of the folder as the root of a made-up file system, as the functions that read /proc and /sys take it.
  [[nodiscard]] std::string root() const { return path() + "/"; }
  /// Makes or replaces a file, and the folders that it lies in. \return its path.
  std::string file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path(name);
  }
  /// As the kernel writes the files of one line.
  std::string line(const std::string& name, const std::string& text) const { return file(name, text + '\n'); }

 private:
  std::filesystem::path path_;
};

}  // namespace charm::test
