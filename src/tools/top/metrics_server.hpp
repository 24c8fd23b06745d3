// Answers scrapes over HTTP, from a thread of its own, with the text that was published last. It listens on loopback
// addresses unless others are asked for explicitly, because its answers contain names of programs and how busy they
// are. HTTP is Boost.Beast's, which comes with the Boost headers that CHARM needs in any case. (prometheus-cpp writes
// no OpenMetrics, and Debian's cpp-httplib would make every start of `charm` load OpenSSL.)
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace charm::top {

struct MetricsAddress {
  std::string host;  ///< a numeric address, without brackets
  std::uint16_t port = 0;
  bool loopback = true;
};

/// \param text "127.0.0.1:9400", "[::1]:9400", "localhost:9400"; port 0 takes one that is free.
/// \param anywhere whether an address that other machines reach is accepted.
/// \throws Error (bad_input) that says what is wrong with it.
MetricsAddress metrics_address(const std::string& text, bool anywhere);

class MetricsServer {
 public:
  /// Listens from now on. \throws Error (system) if the address is taken or is not this machine's.
  explicit MetricsServer(const MetricsAddress& address);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  /// "http://127.0.0.1:9400/metrics"
  [[nodiscard]] std::string url() const;
  /// What scrapes get from now on, in either format.
  void publish(std::string openmetrics, std::string prometheus);

 private:
  class Running;
  std::unique_ptr<Running> running_;
};

}  // namespace charm::top
