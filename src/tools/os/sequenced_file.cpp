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
int own_file(const std::string& path, mode_t mode) {
  struct stat found{};
  if (geteuid() == 0 && lstat(path.c_str(), &found) == 0 && found.st_uid != 0) unlink(path.c_str());
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode);
  if (file < 0) refuse_file(path, std::generic_category().message(errno));
  const char* problem = nullptr;
  if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode))
    problem = "it is no plain file";
  else if (found.st_uid != geteuid())
    problem = "it belongs to another user";
  else if (found.st_nlink > 1)
    problem = "it has a second name";
  if (problem != nullptr) {
    close(file);
    refuse_file(path, problem);
  }
  fchmod(file, mode);
  return file;
}

bool is_at(int file, const std::string& path) {
  struct stat open_one{};
  struct stat named{};
  return fstat(file, &open_one) == 0 && lstat(path.c_str(), &named) == 0 && open_one.st_ino == named.st_ino &&
         open_one.st_dev == named.st_dev;
}

/// The last writer removes its file, perhaps between our opening and locking it: then the lock is worth nothing.
int locked_turn(const std::string& path) {
  for (;;) {
    const int turn = own_file(turn_of(path), 0600);
    const bool locked = flock(turn, LOCK_EX | LOCK_NB) == 0;
    if (locked && is_at(turn, turn_of(path))) return turn;
    close(turn);
    if (locked) continue;
    throw Error(Errc::bad_input, "another process keeps " + path + " up to date",
                "one is enough for all programs; end it first, or name another file");
  }
}

}  // namespace

SequencedFile::SequencedFile(int descriptor, int turn, std::string path)
    : descriptor_(descriptor), turn_(turn), path_(std::move(path)) {
  std::uint64_t before = 0;
  if (pread(descriptor_, &before, sizeof before, 0) == static_cast<ssize_t>(sizeof before)) sequence_ = before;
  sequence_ += sequence_ % 2;  // the last writer may have ended in the middle
}

SequencedFile::~SequencedFile() {
  close(descriptor_);
  unlink(turn_of(path_).c_str());  // while it is locked: see locked_turn()
  close(turn_);
}

std::unique_ptr<SequencedFile> SequencedFile::open(const std::string& path, bool for_all) {
  const int turn = locked_turn(path);
  int file = -1;
  try {
    file = own_file(path, for_all ? 0644 : 0600);
  } catch (...) {
    close(turn);
    throw;
  }
  return std::unique_ptr<SequencedFile>(new SequencedFile(file, turn, path));
}

bool SequencedFile::write(std::string_view bytes) {
  if (bytes.size() < number_bytes) return false;
  const auto put_number = [&](std::uint64_t number) {
    char text[number_bytes];
    std::memcpy(text, &number, number_bytes);
    return write_whole_at(descriptor_, text, number_bytes, 0);
  };
  // Odd before the first byte changes, and even again after the last.
  if (!put_number(sequence_ + 1)) return false;
  const bool whole =
      write_whole_at(descriptor_, bytes.data() + number_bytes, bytes.size() - number_bytes, number_bytes) &&
      ftruncate(descriptor_, static_cast<off_t>(bytes.size())) == 0;
  if (!whole) return false;
  sequence_ += 2;
  return put_number(sequence_);
}

bool SequencedFile::is_still_there() const { return is_at(descriptor_, path_); }

bool has_writer(const std::string& path) {
  const int file = ::open(turn_of(path).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return errno == EACCES;
  const bool locked = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return locked;
}

}  // namespace charm::os
