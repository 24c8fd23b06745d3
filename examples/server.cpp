// A server: requests come through a channel, each is answered by a task of its own, which may wait without keeping a
// worker. A coroutine takes a request back if it is not answered in time.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

using namespace std::chrono_literals;

struct Request {
  int number = 0;
  charm::channel<int>* reply = nullptr;
};

class Server {
 public:
  void serve(charm::channel<Request>& requests) {
    while (auto request = requests.recv()) scope_.spawn([this, r = *request] { answer(r); });
    scope_.join();  // until all are answered
  }

 private:
  void answer(Request request) {
    charm::sleep_for(100us);  // a database, say: other tasks run meanwhile
    {
      const std::lock_guard lock(mutex_);  // a charm::mutex may be held over a wait
      sum_ += request.number;
    }
    request.reply->send(request.number * request.number);
  }
  charm::mutex mutex_;
  long sum_ = 0;
  charm::async_scope scope_;
};

charm::task<int> first_answer(charm::channel<int>& replies) {
  const auto wait = [](charm::channel<int>& from) -> charm::task<int> { co_return (co_await charm::recv(from)).value_or(-1); };
  const auto limit = []() -> charm::task<int> {
    co_await charm::after(2s);
    co_return -2;
  };
  const auto first = co_await charm::when_any(wait(replies), limit());
  co_return first.index() == 0 ? std::get<0>(first) : -2;
}

int main() {
  charm::init();
  charm::channel<Request> requests(64);
  Server server;
  auto serving = charm::async([&] { server.serve(requests); });
  std::atomic<int> wrong{0};
  charm::parallel_for(0, 1000, [&](int i) {  // clients
    charm::channel<int> reply(1);
    requests.send({i, &reply});
    if (reply.recv() != i * i) ++wrong;
  }, {.grain = 1});
  std::thread outside([&] {  // any thread may be a client
    charm::channel<int> reply(1);
    requests.send({12, &reply});
    if (charm::sync_wait(first_answer(reply)) != 144) ++wrong;
  });
  outside.join();
  requests.close();
  serving.get();
  charm::finalize();
  std::printf("1001 requests, %d wrong answers\n", wrong.load());
  return wrong == 0 ? 0 : 1;
}
