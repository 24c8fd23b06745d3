// A program under libcharm_malloc.so: its weights in a file of its own, and the variables that load the library.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/malloc/source.hpp"
#include "os/files/private_file.hpp"

namespace charm::cli {

class MallocPreload {
 public:
  /// \param cores that the program may use: they cannot read more than the model says of so many.
  /// \throws Error where there is no library, no model, or no place for the file.
  MallocPreload(const WeightOptions& options, int cores);

  /// To set in the program's environment. The file goes with this object: programs that outlive it keep the weights
  /// that they have.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& variables() const { return variables_; }

  /// Why the malloc will place nothing; empty where it will.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  std::unique_ptr<os::PrivateFile> file_;
  std::vector<std::pair<std::string, std::string>> variables_;
  std::string note_;
};

}  // namespace charm::cli
