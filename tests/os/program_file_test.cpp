// Programs of other kinds are copies of this one's file with a changed head.
#include "tools/os/program_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/folder.hpp"

namespace charm::os {
namespace {

class ProgramFile : public testing::Test {
 protected:
  ProgramFile() {
    std::ifstream self("/proc/self/exe", std::ios::binary);
    content_.assign(std::istreambuf_iterator<char>(self), {});
  }
  ElfW(Ehdr) & head() { return *reinterpret_cast<ElfW(Ehdr)*>(content_.data()); }
  /// The part that names the dynamic linker.
  ElfW(Phdr) & linker() {
    auto* parts = reinterpret_cast<ElfW(Phdr)*>(content_.data() + head().e_phoff);
    while (parts->p_type != PT_INTERP) ++parts;
    return *parts;
  }
  std::string written(const char* name = "program", mode_t mode = 0755) {
    const std::string path = folder_.file(name, content_);
    chmod(path.c_str(), mode);
    return path;
  }
  test::Folder folder_;
  std::string content_;
};

}  // namespace

TEST_F(ProgramFile, OfThisKindIsPreloadedInto) { EXPECT_EQ(preloading_into(written()), Preloading::works); }

TEST_F(ProgramFile, WithoutADynamicLinkerIsLinkedStatically) {
  linker().p_type = PT_NULL;
  EXPECT_EQ(preloading_into(written()), Preloading::linked_static);
  EXPECT_EQ(preloading_into(written("ld-linux-x86-64.so.2")), Preloading::works);
}

TEST_F(ProgramFile, OfAnotherMachineIsTold) {
  head().e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(preloading_into(written()), Preloading::other_machine);
  head().e_ident[EI_CLASS] = ELFCLASS64;
  head().e_machine = EM_S390;
  EXPECT_EQ(preloading_into(written()), Preloading::other_machine);
}

TEST_F(ProgramFile, OfMuslIsTold) {
  std::strcpy(content_.data() + linker().p_offset, "/lib/ld-musl-x.so.1");
  EXPECT_EQ(preloading_into(written()), Preloading::other_library);
}

TEST_F(ProgramFile, WithTheRightsOfItsOwnUserIsPreloadedInto) {
  EXPECT_EQ(preloading_into(written("program", 04755)), Preloading::works);
}

TEST_F(ProgramFile, ThatTellsNothingIsPreloadedInto) {
  content_ = "#!/bin/sh\n";
  EXPECT_EQ(preloading_into(written()), Preloading::works);
  content_ = "\177ELF";
  EXPECT_EQ(preloading_into(written()), Preloading::works);
  EXPECT_EQ(preloading_into("/no/such/file"), Preloading::works);
}

TEST_F(ProgramFile, IsFoundByPathAsExecDoes) {
  const std::string path = written("some-program-of-a-test");
  const std::string before = getenv("PATH");
  setenv("PATH", ("/none:" + path.substr(0, path.rfind('/'))).c_str(), 1);
  EXPECT_EQ(find_program("some-program-of-a-test").path, path);
  EXPECT_EQ(find_program(path).error, 0);
  EXPECT_EQ(find_program("another-program-of-a-test").error, ENOENT);
  chmod(path.c_str(), 0644);
  if (getuid() == 0) {
    EXPECT_EQ(find_program("some-program-of-a-test").error, EACCES);  // root, too, needs some right to execute
  }
  setenv("PATH", before.c_str(), 1);
}

}  // namespace charm::os
