// The one family of exceptions that leaves the library: a code, what was wrong, and the remedy.
#pragma once

#include <charm/detail/requirements.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace charm {

/// What kind of error it is.
enum class Errc {
  bad_input,         ///< a file, string or argument that cannot be understood
  bad_config,        ///< a setting that is unknown, out of range or contradicts another
  too_many_workers,  ///< more workers than allowed physical cores
  refused,           ///< a policy refuses this machine and number of workers (Algorithm 2 as printed refuses some)
  not_running,       ///< the runtime is needed and not initialised, or is being ended
  system,            ///< the kernel refused something that is necessary
  cancelled,         ///< the task group that the work belonged to was cancelled
  remote,            ///< a function that was called on another rank has failed, or a rank is gone
  conflict,          ///< a transaction lost against another one: it may succeed if it is run again
  out_of_memory,     ///< a limit of memory was reached
};

/// Every error of the library. `what()` is one line: what was wrong, where, and after a semicolon the remedy.
class Error : public std::runtime_error {
 public:
  /// \param problem what was wrong and where. \param remedy what to do about it; may be empty.
  Error(Errc code, const std::string& problem, std::string remedy)
      : std::runtime_error(whole(remedy.empty() ? problem : problem + "; " + remedy)),
        code_(code),
        remedy_(std::move(remedy)) {}
  /// What kind of error it is.
  [[nodiscard]] Errc code() const noexcept { return code_; }
  /// What to do about it.
  [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }

 private:
  /// A message may quote a file. what() ends at the first zero byte, so that none may be in it.
  static std::string whole(std::string text) {
    for (char& c : text) c = c == '\0' ? '?' : c;
    return text;
  }

  Errc code_;
  std::string remedy_;
};

}  // namespace charm
