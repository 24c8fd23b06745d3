// A program under libcharm_malloc.so: its weights in a file of its own, and the variables that load the library.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "os/files/private_file.hpp"
#include "tools/cli/malloc/live.hpp"
#include "tools/cli/malloc/source.hpp"

namespace charm::cli {

class MallocPreload {
 public:
  /// \param cores that the program may use: they cannot read more than the model says of so many.
  /// \throws Error where there is no library, no model, or no place for the file.
  /// \param live words of memory_traffic::open_source: the weights follow the machine's traffic as long as step() is
  /// called; empty: they do not.
  /// \param statistics where every process tells at its end what was placed: a file, or stderr; empty: nowhere.
  MallocPreload(const WeightOptions& options, int cores, const std::string& live, const std::string& statistics);
  ~MallocPreload();

  /// Reads the traffic when it is due. If that fails the last weights stay, which is reported once.
  void step();
  /// Seconds until step() has something to do.
  [[nodiscard]] double rest() const;

  /// To be preloaded into the program.
  [[nodiscard]] const std::string& library() const { return library_; }
  /// More variables for the program's environment. The file is removed with this object; programs that outlive it keep
  /// the weights that they have.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& variables() const { return variables_; }

  /// Why the malloc will place nothing; empty where it will.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  std::unique_ptr<os::PrivateFile> file_;
  std::unique_ptr<LiveWeights> live_;
  double next_s_ = 0;
  std::string library_;
  std::vector<std::pair<std::string, std::string>> variables_;
  std::string note_;
};

}  // namespace charm::cli
