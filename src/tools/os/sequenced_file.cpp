#include "tools/os/sequenced_file.hpp"

#include <charm/error.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>

#include "os/files/file_size_signal.hpp"

namespace charm::os {
namespace {

constexpr std::size_t number_bytes = sizeof(std::uint64_t);

bool write_whole_at(int file, const char* bytes, std::size_t count, std::size_t offset) {
  const NoFileSizeSignal no_signal;
  while (count > 0) {
    const ssize_t done = pwrite(file, bytes, count, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    offset += static_cast<std::size_t>(done);
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw Error(Errc::system, "the file " + path + " cannot be used: " + why, "remove it, or name another file");
}

/// Whoever can open a file can lock it, so the writer's lock is on one that only its user can open.
std::string turn_of(const std::string& path) { return path + ".writer"; }

/// Opens or makes a file of this user for writing. Where another user has put something in its place, root removes it.
Descriptor own_file(const std::string& path, mode_t mode) {
  struct stat found{};
  if (geteuid() == 0 && lstat(path.c_str(), &found) == 0 && found.st_uid != 0) unlink(path.c_str());
  OwnFile file = open_own_file(path, O_RDWR | O_CREAT, mode);
  if (!file.problem.empty()) refuse_file(path, file.problem);
  fchmod(file.descriptor.get(), mode);
  return std::move(file.descriptor);
}

/// The last writer removes its file, perhaps between our opening and locking it: then the lock is worth nothing.
Descriptor locked_turn(const std::string& path) {
  for (;;) {
    Descriptor turn = own_file(turn_of(path), 0600);
    const bool locked = flock(turn.get(), LOCK_EX | LOCK_NB) == 0;
    if (locked && is_at(turn.get(), turn_of(path))) return turn;
    if (locked) continue;
    throw Error(Errc::bad_input, "another process keeps " + path + " up to date",
                "one is enough for all programs; end it first, or name another file");
  }
}

}  // namespace

SequencedFile::SequencedFile(Descriptor descriptor, Descriptor turn, std::string path)
    : turn_(std::move(turn)), descriptor_(std::move(descriptor)), path_(std::move(path)) {
  std::uint64_t before = 0;
  if (pread(descriptor_.get(), &before, sizeof before, 0) == static_cast<ssize_t>(sizeof before)) sequence_ = before;
  sequence_ += sequence_ % 2;  // the last writer may have ended in the middle
}

SequencedFile::~SequencedFile() {
  unlink(turn_of(path_).c_str());  // while it is locked: see locked_turn()
}

std::unique_ptr<SequencedFile> SequencedFile::open(const std::string& path, bool for_all) {
  Descriptor turn = locked_turn(path);
  Descriptor file = own_file(path, for_all ? 0644 : 0600);
  return std::unique_ptr<SequencedFile>(new SequencedFile(std::move(file), std::move(turn), path));
}

bool SequencedFile::write(std::string_view bytes) {
  if (bytes.size() < number_bytes) return false;
  const auto put_number = [&](std::uint64_t number) {
    char text[number_bytes];
    std::memcpy(text, &number, number_bytes);
    return write_whole_at(descriptor_.get(), text, number_bytes, 0);
  };
  // Odd before the first byte changes, and even again after the last.
  if (!put_number(sequence_ + 1)) return false;
  const bool whole =
      write_whole_at(descriptor_.get(), bytes.data() + number_bytes, bytes.size() - number_bytes, number_bytes) &&
      ftruncate(descriptor_.get(), static_cast<off_t>(bytes.size())) == 0;
  if (!whole) return false;
  sequence_ += 2;
  return put_number(sequence_);
}

bool SequencedFile::is_still_there() const { return is_at(descriptor_.get(), path_); }

bool has_writer(const std::string& path) {
  const Descriptor file(::open(turn_of(path).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return errno == EACCES;
  return flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace charm::os
