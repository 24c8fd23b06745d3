// Opens files in places where other users may have planted something: the one place that looks at links, owners and
// second names (docs/design/security.md). All checks are on the descriptor, so that nothing can change between them and
// the use.
#pragma once

#include <string>
#include <utility>

#include <sys/types.h>

namespace charm::os {

/// Owns a file descriptor; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.number_, -1));
    return *this;
  }
  void reset(int number = -1) noexcept;
  [[nodiscard]] int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }

 private:
  int number_;
};

struct OwnFile {
  Descriptor descriptor;  ///< none where there is a problem
  std::string problem;    ///< "it is a symbolic link"; empty: none
};

/// Opens a plain file of this user that has one name and is reached by no link; without waiting, also for a FIFO. The
/// descriptor is closed by exec. \param flags of open(2). \param mode of a file that is made.
OwnFile open_own_file(const std::string& path, int flags, mode_t mode = 0600);

/// Whether the path still leads to the open file.
bool is_at(int descriptor, const std::string& path);

}  // namespace charm::os
