#include "tools/os/program_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <string_view>
#include <unistd.h>

#include <sys/stat.h>

namespace charm::os {
namespace {

#if defined(__x86_64__)
constexpr ElfW(Half) this_machine = EM_X86_64;
#else
constexpr ElfW(Half) this_machine = EM_AARCH64;
#endif

template <class Part>
bool read_at(std::ifstream& file, std::uint64_t offset, Part& part) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&part), sizeof part));
}

}  // namespace

FoundProgram find_program(const std::string& name) {
  const auto refused = [](const std::string& path) {
    struct stat known{};
    if (stat(path.c_str(), &known) != 0) return errno == EACCES ? EACCES : ENOENT;
    return S_ISREG(known.st_mode) && access(path.c_str(), X_OK) == 0 ? 0 : EACCES;
  };
  if (name.find('/') != std::string::npos) return {name, refused(name)};
  const char* list = std::getenv("PATH");
  std::string_view folders = list == nullptr ? "/bin:/usr/bin" : list;
  int error = ENOENT;
  while (!name.empty()) {
    const std::size_t colon = folders.find(':');
    const std::string folder(folders.substr(0, colon));
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    const int here = refused(path);
    if (here == 0) return {path, 0};
    if (here == EACCES) error = here;
    if (colon == std::string_view::npos) break;
    folders.remove_prefix(colon + 1);
  }
  return {name, error};
}

Preloading preloading_into(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) head{};
  if (!read_at(file, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return Preloading::works;
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != this_machine) return Preloading::other_machine;
  struct stat known{};
  if (stat(path.c_str(), &known) == 0) {
    const bool other_user = (known.st_mode & S_ISUID) != 0 && known.st_uid != getuid();
    const bool other_group = (known.st_mode & S_ISGID) != 0 && known.st_gid != getgid();
    if (other_user || other_group) return Preloading::other_rights;
  }
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) part{};
    if (!read_at(file, head.e_phoff + std::uint64_t{i} * head.e_phentsize, part)) return Preloading::works;
    if (part.p_type != PT_INTERP) continue;
    char linker[256] = {};
    file.seekg(static_cast<std::streamoff>(part.p_offset));
    file.read(linker, static_cast<std::streamsize>(part.p_filesz < sizeof linker ? part.p_filesz : sizeof linker - 1));
    return std::strstr(linker, "/ld-musl-") != nullptr ? Preloading::other_library : Preloading::works;
  }
  return path.find("/ld-linux-") != std::string::npos ? Preloading::works : Preloading::linked_static;
}

}  // namespace charm::os
