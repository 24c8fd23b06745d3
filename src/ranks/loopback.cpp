#include "ranks/loopback.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace charm::remote {

void Loopback::send(int /*to*/, Buffer& /*buffer*/) { std::abort(); }  // the engine keeps what is for its own rank

Transport::Event Loopback::poll(bool /*thorough*/) {
  if (finished_ == nullptr) return {};
  return {Event::Kind::finished, nullptr, std::exchange(finished_, nullptr)};
}

void Loopback::gather(Collective& step, const void* mine, std::size_t bytes, void* all) {
  std::memcpy(all, mine, bytes);
  finished_ = &step;
}

void Loopback::broadcast(Collective& step, void* /*data*/, std::size_t /*bytes*/, int /*root*/) { finished_ = &step; }

int Loopback::lost(std::string& /*description*/) { return -1; }

std::string Loopback::close() { return {}; }

}  // namespace charm::remote
