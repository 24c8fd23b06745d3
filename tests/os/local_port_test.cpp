// Asking a server, which is another thing than that the kernel connects to it.
#include "tools/os/local_port.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/folder.hpp"

namespace {

using charm::os::answers;

/// A socket on which somebody listens.
class Listener {
 public:
  explicit Listener(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    if (bind(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) listen(file_, 4);
  }
  ~Listener() { close(file_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Serves one client: reads, and replies in two parts.
  void reply(const std::string& first, const std::string& second) const {
    const int client = accept(file_, nullptr, nullptr);
    std::array<char, 100> asked{};
    EXPECT_EQ(read(client, asked.data(), asked.size()), 4);
    for (const std::string& part : {first, second}) {
      // Who has the whole reply hangs up, after which not even nothing can be sent.
      if (part.empty()) continue;
      const auto size = static_cast<ssize_t>(part.size());
      EXPECT_EQ(send(client, part.data(), part.size(), MSG_NOSIGNAL), size);
    }
    close(client);
  }

 private:
  int file_ = socket(AF_UNIX, SOCK_STREAM, 0);
};

TEST(AServer, ThatListensAndDoesNotReplyDoesNotAnswer) {
  const charm::test::Folder folder;
  const std::string path = folder.path("socket");
  const Listener hangs(path);
  EXPECT_TRUE(answers({path, 0, "", ""}, 5));
  EXPECT_FALSE(answers({path, 0, "PING", "PONG"}, 0.1));
}

TEST(AServer, AnswersByWhatItReplies) {
  const charm::test::Folder folder;
  const std::string path = folder.path("socket");
  const Listener listener(path);
  const auto asked = [&](const char* first, const char* second) {
    std::thread server([&] { listener.reply(first, second); });
    const bool answered = answers({path, 0, "PING", "PONG"}, 60);
    server.join();
    return answered;
  };
  EXPECT_TRUE(asked("PONG", ""));
  EXPECT_TRUE(asked("+PO", "NG"));
  EXPECT_FALSE(asked("-LOADING", ""));
  EXPECT_FALSE(answers({folder.path("none"), 0, "PING", "PONG"}, 60));
}

}  // namespace
