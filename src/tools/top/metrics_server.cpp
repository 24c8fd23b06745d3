#include "tools/top/metrics_server.hpp"

#include <charm/error.hpp>

#include <charconv>
#include <chrono>
#include <csignal>
#include <list>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/present.hpp"
#include "tools/top/metrics.hpp"

namespace charm::top {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;

constexpr auto patience = std::chrono::seconds(10);  // for a request, and for the next one on the same connection
constexpr std::uint32_t most_of_a_head = 8192;       // bytes
constexpr std::size_t most_connections = 32;

class Connection;

/// What all connections share; used by the server's thread alone, but for the texts.
struct Shared {
  std::mutex mutex;
  std::string openmetrics, prometheus;
  bool loopback = true;
  std::list<Connection*> connections;  // the one that has been silent for longest first

  std::string text(MetricFormat format) {
    const std::lock_guard lock(mutex);
    return format == MetricFormat::openmetrics ? openmetrics : prometheus;
  }
};

/// The host of "HOST:PORT" or "[HOST]:PORT".
std::string_view host_of(std::string_view text) {
  if (text.starts_with('[')) return text.substr(1, text.find(']') - 1);
  return text.substr(0, text.find(':'));
}

using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

/// A page in a browser may let its own name stand for 127.0.0.1, and so read what a browser's user can read. It cannot
/// give another name than its own.
bool names_this_machine(const Request& request) {
  const auto host = request[http::field::host];
  if (host.empty()) return true;
  const std::string name(host_of({host.data(), host.size()}));
  boost::system::error_code error;
  asio::ip::make_address(name, error);
  return !error || name == "localhost";
}

Response answer_to(const Request& request, Shared& shared) {
  Response response{http::status::ok, request.version()};
  response.keep_alive(request.keep_alive());
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  const auto whole = request.target();
  const std::string_view target = std::string_view(whole.data(), whole.size()).substr(0, whole.find('?'));
  if (shared.loopback && !names_this_machine(request)) {
    response.result(http::status::forbidden);
    response.body() = "charm top answers to localhost and to numeric addresses only\n";
  } else if (request.method() != http::verb::get && request.method() != http::verb::head) {
    response.result(http::status::method_not_allowed);
    response.set(http::field::allow, "GET, HEAD");
    response.body() = "GET /metrics\n";
  } else if (target == "/metrics") {
    const auto accepted = request[http::field::accept];
    const bool open = std::string_view(accepted.data(), accepted.size()).find("application/openmetrics-text") !=
                      std::string_view::npos;
    const MetricFormat format = open ? MetricFormat::openmetrics : MetricFormat::prometheus;
    response.set(http::field::content_type, media_type(format));
    response.body() = shared.text(format);
  } else if (target == "/") {
    response.body() = "charm top: GET /metrics\n";
  } else {
    response.result(http::status::not_found);
    response.body() = "charm top: there is /metrics only\n";
  }
  response.prepare_payload();  // the length of the body, also where HEAD then leaves the body away
  if (request.method() == http::verb::head) response.body().clear();
  return response;
}

/// One connection, which lives as long as an operation of its own is under way.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, std::shared_ptr<Shared> shared)
      : stream_(std::move(socket)), shared_(std::move(shared)) {
    shared_->connections.push_back(this);
  }
  ~Connection() { shared_->connections.remove(this); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Makes room for another one.
  void end() {
    shared_->connections.remove(this);
    stream_.close();
  }

  void read() {
    shared_->connections.remove(this);
    shared_->connections.push_back(this);
    auto& parser = parser_.emplace();
    parser.header_limit(most_of_a_head);
    stream_.expires_after(patience);
    // A request with a body is refused without reading it.
    http::async_read_header(stream_, buffer_, parser,
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              if (!error) self->write();
                            });
  }

 private:
  void write() {
    const auto& parser = base::present(parser_);
    response_ = answer_to(parser.get(), *shared_);
    if (!parser.is_done()) response_.keep_alive(false);
    stream_.expires_after(patience);
    // A response to HEAD has the length of a body that does not follow.
    const bool head = parser.get().method() == http::verb::head;
    auto written = [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return;
      if (self->response_.keep_alive())
        self->read();
      else
        (void)self->stream_.socket().shutdown(Tcp::socket::shutdown_send, error);
    };
    if (head) {
      head_.emplace(response_);
      http::async_write_header(stream_, *head_, std::move(written));
    } else {
      http::async_write(stream_, response_, std::move(written));
    }
  }

  beast::tcp_stream stream_;
  std::shared_ptr<Shared> shared_;
  beast::flat_buffer buffer_{most_of_a_head + 1024};
  std::optional<http::request_parser<http::empty_body>> parser_;
  Response response_;
  std::optional<http::response_serializer<http::string_body>> head_;
};

[[noreturn]] void refuse(const std::string& text, const std::string& problem, const std::string& remedy) {
  throw Error(Errc::bad_input, "--metrics '" + text + "': " + problem, remedy);
}

}  // namespace

MetricsAddress metrics_address(const std::string& text, bool anywhere) {
  constexpr const char* example = "give one like 127.0.0.1:9400 or [::1]:9400";
  const auto colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  const auto close = text.find(']');
  const bool one_host = bracketed ? close != std::string::npos && close + 1 == colon : text.find(':') == colon;
  if (colon == std::string::npos || colon == 0 || !one_host) refuse(text, "no address with a port", example);
  MetricsAddress address;
  const std::string port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size()) refuse(text, "'" + port + "' is no port", example);
  address.host = bracketed ? text.substr(1, close - 1) : text.substr(0, colon);
  if (address.host == "localhost" && !bracketed) address.host = "127.0.0.1";
  boost::system::error_code no_address;
  const auto parsed = asio::ip::make_address(address.host, no_address);
  if (no_address || parsed.is_v6() != bracketed)
    refuse(text, "'" + address.host + "' is no numeric address" + (bracketed ? " of IPv6" : ""), example);
  address.loopback = parsed.is_loopback();
  if (!address.loopback && !anywhere) {
    refuse(text, "other machines can reach this address, and nothing protects what they read",
           "take 127.0.0.1 or [::1], or add --metrics-anywhere if that is wanted");
  }
  return address;
}

class MetricsServer::Running {
 public:
  explicit Running(const MetricsAddress& address) : acceptor_(context_) {
    shared_->loopback = address.loopback;
    const Tcp::endpoint endpoint(asio::ip::make_address(address.host), address.port);
    try {
      acceptor_.open(endpoint.protocol());
      acceptor_.set_option(Tcp::acceptor::reuse_address(true));
      acceptor_.bind(endpoint);
      acceptor_.listen();
      local_ = acceptor_.local_endpoint();
    } catch (const boost::system::system_error& error) {
      throw Error(Errc::system,
                  "cannot serve metrics at " + address.host + " port " + std::to_string(address.port) + ": " +
                      error.code().message(),
                  "name another port, or 0 for any that is free");
    }
    accept();
    // Signals are for the main thread, which restores the terminal.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { context_.run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Running() {
    context_.stop();
    thread_.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  [[nodiscard]] std::string url() const {
    const std::string host = local_.address().to_string();
    return "http://" + (local_.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(local_.port()) +
           "/metrics";
  }
  void publish(std::string openmetrics, std::string prometheus) {
    const std::lock_guard lock(shared_->mutex);
    shared_->openmetrics = std::move(openmetrics);
    shared_->prometheus = std::move(prometheus);
  }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code error, Tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {  // for want of descriptors, above all: not at once again
        retry_.expires_after(std::chrono::seconds(1));
        retry_.async_wait([this](beast::error_code stopped) {
          if (!stopped) accept();
        });
        return;
      }
      // Idle ones must not keep others out.
      if (shared_->connections.size() >= most_connections) shared_->connections.front()->end();
      std::make_shared<Connection>(std::move(socket), shared_)->read();
      accept();
    });
  }

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  asio::io_context context_{1};
  Tcp::acceptor acceptor_;
  asio::steady_timer retry_{context_};
  Tcp::endpoint local_;
  std::thread thread_;
};

MetricsServer::MetricsServer(const MetricsAddress& address) : running_(std::make_unique<Running>(address)) {}
MetricsServer::~MetricsServer() = default;
std::string MetricsServer::url() const { return running_->url(); }
void MetricsServer::publish(std::string openmetrics, std::string prometheus) {
  running_->publish(std::move(openmetrics), std::move(prometheus));
}

}  // namespace charm::top
