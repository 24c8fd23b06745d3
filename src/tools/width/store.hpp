// What `charm advise threads --store` has found, for `charm run --width auto`: one file of the user's own, with an
// entry for each program.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace charm::width {

struct Stored {
  int threads = 1;
  std::string policy;  ///< empty: the system places the threads
  int cpus = 0;        ///< that the program could use then
  std::string date;    ///< ISO 8601
};

/// threads.json beside the stored profiles of machines. \throws Error (bad_config) if there is no place for it.
std::string store_path();

/// What the entry of a command is called: the path of its program, and of the script where that is an interpreter.
std::string program_key(const std::vector<std::string>& words);

/// \throws Error (bad_input) if there is a file that cannot be read.
std::optional<Stored> find_stored(const std::string& path, const std::string& key);

/// Adds the entry, or replaces it. \throws Error (system) if the file cannot be written; as find_stored.
void store(const std::string& path, const std::string& key, const Stored& stored);

}  // namespace charm::width
