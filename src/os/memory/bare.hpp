// Calls of Linux for code that runs inside of malloc: they take no memory and no lock, throw nothing, need no C++
// library, and leave errno as it was. They call the kernel by themselves (raw_call.hpp), because the C library's
// functions may be another preloaded library's. Those that do call the C library say so: they are for places where no
// lock of the allocator is held.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace charm::os::bare {

/// Zeroed private pages. \param wanted where they must lie, and nothing else may be there already; nullptr: anywhere.
/// \return nullptr where there are none.
void* map(void* wanted, std::size_t bytes) noexcept;
/// The same, on a boundary of `alignment`, a power of two.
void* map_aligned(std::size_t bytes, std::size_t alignment) noexcept;
void unmap(void* data, std::size_t bytes) noexcept;
/// Gives the pages back; they are zero when they are touched again. \return false where the kernel refuses.
bool forget(void* data, std::size_t bytes) noexcept;

/// Nodes by OS number.
struct Nodes {
  static constexpr std::size_t most = 1024;
  unsigned long words[most / (8 * sizeof(unsigned long))] = {};
  void insert(int node) noexcept {
    constexpr std::size_t bits = 8 * sizeof(unsigned long);
    words[static_cast<std::size_t>(node) / bits] |= 1UL << (static_cast<std::size_t>(node) % bits);
  }
};
/// Where pages that are touched from now on come from: a single node while it has memory, several in turn.
/// \return 0 or an errno.
int place(void* data, std::size_t bytes, const Nodes& nodes, bool in_turn) noexcept;

/// Calls the function in a child process of its own, where a filter of system calls (seccomp) may kill it, and gives
/// what it returns (0 to 125). \return `killed` where it was, or the errno of what it takes to try.
inline constexpr int killed = 126;
int try_in_child(int (*call)(void*), void* argument) noexcept;

/// The memory of the program's own static arrays that its file does not hold (.bss), in whole pages; nothing where it
/// has less than a page. Not while a library is being loaded. Calls the C library.
struct Range {
  void* data = nullptr;
  std::size_t bytes = 0;
};
Range static_memory() noexcept;

std::size_t page_bytes() noexcept;
/// What a node gives at once when memory is touched: a page, or a huge page where the kernel gives those to all
/// programs. Only huge pages of 2 MiB count: where a page has 16 or 64 KiB they have 32 and 512 MiB, and hardly a run
/// holds one.
std::size_t touched_bytes() noexcept;
/// -1 where the kernel does not say.
int current_cpu() noexcept;
/// Whether current_cpu() reads it from memory, and needs no system call.
bool knows_cpu_without_call() noexcept;
int process() noexcept;
/// Cheap, and exact to some milliseconds.
std::uint64_t coarse_ns() noexcept;
void give_way() noexcept;
/// futex(2): sleeps while the word has this value, and wakes a thread that does.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
void wake_one(const std::atomic<std::uint32_t>& word) noexcept;
/// False where the C library does not say.
bool has_one_thread() noexcept;

/// Reads a plain file of this user or of root that nobody else may write, if it has exactly so many bytes. Its first
/// eight are a sequence number, odd while somebody writes (tools/os/sequenced_file.hpp): what changes meanwhile is read
/// again. \return false also where it changes all the time.
bool read_sequenced(const char* path, void* buffer, std::size_t bytes) noexcept;
/// Why read_sequenced() takes no such file, or why its content was not usable: half a sentence.
const char* why_not_read(const char* path, std::size_t bytes) noexcept;
/// The beginning of a file of the kernel, as a string. \return its length, 0 where it cannot be read.
std::size_t read_start_of(const char* path, char* buffer, std::size_t bytes) noexcept;
/// nullptr where it is unset, and in programs that run with another user's rights.
const char* environment(const char* name) noexcept;
/// All variables, up to a nullptr; nullptr where there are none, and in such programs.
const char* const* environment() noexcept;
unsigned user() noexcept;
/// Whether a filter of system calls (seccomp) is in force for this process; false where /proc does not say.
bool is_filtered() noexcept;
/// The path with the current folder in front where it is relative. \return false where it does not fit.
bool absolute_path(const char* path, char* buffer, std::size_t bytes) noexcept;

/// Ends the process at once.
[[noreturn]] void end(int code) noexcept;

/// What an open file is; not `open` where there is none.
struct FileIdentity {
  bool open = false;
  std::uint64_t device = 0, number = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity identity_of(int file) noexcept;

/// To standard error, or at the end of a file.
void write_error(const char* text, std::size_t length) noexcept;
bool append(const char* path, const char* text, std::size_t length) noexcept;

/// The function of this name in the libraries behind this one. Calls the C library.
void* next_function(const char* name) noexcept;
/// The function of this name as the library with this code sees it in itself and in the libraries that it needs,
/// wherever the program sees another one or none. Calls the C library.
void* function_for(const void* caller, const char* name) noexcept;
int error() noexcept;  ///< errno
void set_error(int error) noexcept;
void set_out_of_memory() noexcept;  ///< errno = ENOMEM

}  // namespace charm::os::bare
