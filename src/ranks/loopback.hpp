// The transport of a program that is the only rank: nothing leaves the process.
#pragma once

#include "ranks/transport.hpp"

namespace charm::remote {

class Loopback : public Transport {
 public:
  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int ranks() const noexcept override { return 1; }
  [[nodiscard]] std::string name() const override { return "loopback"; }
  void send(int to, Buffer& buffer) override;
  Event poll(bool thorough) override;
  void gather(Collective& step, const void* mine, std::size_t bytes, void* all) override;
  void broadcast(Collective& step, void* data, std::size_t bytes, int root) override;
  bool suspects() override { return false; }
  int lost(std::string& description) override;
  std::string agree(const std::string& problem) override { return problem; }
  std::string close() override;

 private:
  Collective* finished_ = nullptr;
};

}  // namespace charm::remote
