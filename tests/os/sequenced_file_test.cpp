#include "tools/os/sequenced_file.hpp"

#include <charm/error.hpp>

#include <fcntl.h>
#include <filesystem>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/folder.hpp"

namespace charm::os {
namespace {

class SequencedFileTest : public testing::Test {
 protected:
  const test::Folder folder_;
  const std::string path_ = folder_.path("page");
};

TEST_F(SequencedFileTest, HasOneWriter) {
  const auto file = SequencedFile::open(path_, true);
  EXPECT_TRUE(has_writer(path_));
  EXPECT_THROW(SequencedFile::open(path_, true), Error);
}

TEST_F(SequencedFileTest, LeavesNoLockBehind) {
  SequencedFile::open(path_, true);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".writer"));
}

TEST_F(SequencedFileTest, AReadersLockKeepsNoWriterOut) {
  SequencedFile::open(path_, true);
  EXPECT_FALSE(has_writer(path_));
  const int reader = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(reader, LOCK_SH | LOCK_NB), 0);
  EXPECT_NO_THROW(SequencedFile::open(path_, true));
  close(reader);
}

TEST_F(SequencedFileTest, WithASecondNameIsRefused) {
  SequencedFile::open(path_, true);
  std::filesystem::create_hard_link(path_, folder_.path("other"));
  EXPECT_THROW(SequencedFile::open(path_, true), Error);
}

TEST_F(SequencedFileTest, RootTakesThePlaceOfWhatAnotherUserHasPutThere) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can";
  constexpr uid_t somebody = 65534;
  folder_.file("precious", "all of it");
  const auto plant = [&](const std::string& name, bool link) {
    std::filesystem::remove(name);
    if (link)
      std::filesystem::create_symlink(folder_.path("precious"), name);
    else
      close(creat(name.c_str(), 0644));
    ASSERT_EQ(lchown(name.c_str(), somebody, somebody), 0);
  };
  for (const bool link : {false, true}) {
    plant(path_, link);
    plant(path_ + ".writer", link);
    SequencedFile::open(path_, true);
    struct stat found{};
    ASSERT_EQ(lstat(path_.c_str(), &found), 0);
    EXPECT_TRUE(S_ISREG(found.st_mode) && found.st_uid == 0) << link;
    EXPECT_EQ(std::filesystem::file_size(folder_.path("precious")), 9U);
  }
}

}  // namespace
}  // namespace charm::os
