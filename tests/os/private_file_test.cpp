// Files that only this user can read (os/files/private_file.hpp).
#include "os/files/private_file.hpp"

#include <cstdlib>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/folder.hpp"

namespace charm::os {
namespace {

class PrivateFolder : public testing::Test {
 protected:
  void SetUp() override {
    setenv("XDG_RUNTIME_DIR", runtime_.path().c_str(), 1);
    setenv("TMPDIR", temporary_.path().c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_RUNTIME_DIR");
    unsetenv("TMPDIR");
  }
  test::Folder runtime_;
  test::Folder temporary_;
  const std::string of_temporary_ = temporary_.path("charm-" + std::to_string(geteuid()));
};

TEST_F(PrivateFolder, IsInTheUsersRuntimeFolder) { EXPECT_EQ(private_folder(), runtime_.path("charm")); }

/// As under sudo, where a folder of root's would stay behind.
TEST_F(PrivateFolder, IsNotInTheRuntimeFolderOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  constexpr uid_t somebody = 65534;
  ASSERT_EQ(chown(runtime_.path().c_str(), somebody, somebody), 0);
  EXPECT_EQ(private_folder(), of_temporary_);
  ASSERT_EQ(chown(runtime_.path().c_str(), 0, 0), 0);
}

TEST_F(PrivateFolder, IsElsewhereWhereTheVariableNamesNoFolder) {
  setenv("XDG_RUNTIME_DIR", runtime_.path("absent").c_str(), 1);
  EXPECT_EQ(private_folder(), of_temporary_);
  setenv("XDG_RUNTIME_DIR", "relative", 1);
  EXPECT_EQ(private_folder(), of_temporary_);
}

TEST_F(PrivateFolder, OfAnotherUserOrALinkIsRefused) {
  const std::string link = temporary_.path("link");
  ASSERT_EQ(symlink(runtime_.path().c_str(), link.c_str()), 0);
  EXPECT_NE(prepare_private_folder(link).find("is not a folder of this user"), std::string::npos);
  EXPECT_EQ(prepare_private_folder(of_temporary_), "");
  if (geteuid() != 0) return;
  ASSERT_EQ(chown(of_temporary_.c_str(), 65534, 65534), 0);
  EXPECT_NE(prepare_private_folder(of_temporary_).find("is not a folder of this user"), std::string::npos);
}

TEST(PrivateFile, IsReadOnlyWhereItIsThisUsersAndNoLink) {
  const test::Folder folder;
  const std::string path = folder.file("file", "text");
  EXPECT_EQ(read_private_file(path, 100), "text");
  EXPECT_EQ(read_private_file(path, 2), "te");
  ASSERT_EQ(symlink(path.c_str(), folder.path("link").c_str()), 0);
  EXPECT_EQ(read_private_file(folder.path("link"), 100), std::nullopt);
  if (geteuid() != 0) return;
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_EQ(read_private_file(path, 100), std::nullopt);
}

}  // namespace
}  // namespace charm::os
