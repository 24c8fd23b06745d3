// Facts about the calling process: its user and program, the cpu time that it has used, its limits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace charm::os {

int process_id() noexcept;
/// Effective user id.
unsigned user_id() noexcept;
/// Whether it runs with more rights than its caller: set-user-ID, set-group-ID or file capabilities.
bool has_more_rights_than_caller() noexcept;
/// Removes all variables from the environment whose names begin so.
void forget_variables(std::string_view prefix);
/// Path of the program that the process runs; empty where /proc does not say.
std::string program_path();

/// Name of the host from uname(2); empty if there is none.
std::string host_name();
/// "Linux 6.1.0 x86_64".
std::string kernel_name();

/// Processor time of all threads, user and system.
double cpu_seconds() noexcept;
/// The same of children that have ended and were waited for.
double cpu_seconds_of_children() noexcept;

/// Replaces the program of this process (exec). \param words its name and arguments. \returns the errno, or not at all.
int become(const std::string& path, const std::vector<std::string>& words);

/// The same for a program that is looked up in PATH; its name is the first word.
int become_found(const std::vector<std::string>& words);

/// Writes to the standard error stream by one system call, so that it may be called between fork and exec.
void write_to_stderr(std::string_view text) noexcept;

}  // namespace charm::os
