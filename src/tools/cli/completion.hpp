// Shell completion, generated from the declared commands, so that it offers everything that help shows.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/cli11.hpp"

namespace charm::cli {

/// A point of the command line ("charm bench graph") and what may follow it.
struct CompletionPoint {
  struct Sub {
    std::string name, summary;
  };
  struct Flag {
    std::vector<std::string> names;  // with their dashes
    std::string summary;
    std::vector<std::string> words;  // accepted values, if they are a fixed set
    bool takes_value = false;
    bool takes_file = false;
    bool takes_list = false;  // comma-separated words
  };
  std::string path;
  std::vector<Sub> subs;
  std::vector<Flag> flags;
  std::vector<std::string> words;  // accepted words of positional arguments
  bool takes_process = false;      // a positional argument is a process id
};

/// All points, the outermost first.
std::vector<CompletionPoint> completion_points(const CLI::App& app);

/// \param shell bash, zsh or fish
std::string completion_script(const std::string& shell, const std::vector<CompletionPoint>& points);

}  // namespace charm::cli
