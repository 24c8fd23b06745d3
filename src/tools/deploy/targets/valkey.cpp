// Valkey, or Redis: a server for each worker. It is asked by its socket, or by its port with the password that
// 'charm deploy up' makes: a server without one would obey every user of the machine.
#include <algorithm>

#include "os/files/system_files.hpp"
#include "tools/deploy/command.hpp"
#include "tools/deploy/programs.hpp"
#include "tools/deploy/targets/server.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

/// Commands run on one thread; more threads read and write the connections. The manual advises to leave one core free.
std::size_t io_threads(const Worker& worker) {
  constexpr std::size_t least_cores = 4, most = 8;
  const std::size_t threads = worker.cpus.size();
  return threads < least_cores ? 1 : std::min(threads - 1, most);
}

std::vector<File> valkey_files(const Worker& worker, const TargetOptions& options) {
  check_socket_path(worker.directory + "/socket");
  std::string text = "bind 127.0.0.1 -::1\nport " + std::to_string(worker.port) + "\nunixsocket \"" + worker.directory +
                     "/socket\"\nunixsocketperm 700\ndir \"" + worker.directory + "\"\ndaemonize no\nserver_cpulist " +
                     worker.cpus.to_text() + "\nio-threads " + std::to_string(io_threads(worker)) + "\n";
  // A save forks, and what is written meanwhile is in memory twice.
  if (worker.memory_bytes > 0) text += "maxmemory " + mib_text(worker.memory_bytes / 4 * 3) + "mb\n";
  if (options.secret.empty()) return {{"valkey.conf", text}};
  return {{"valkey.conf", text + "requirepass " + options.secret + "\n", false, true},
          {"password", options.secret + "\n", false, true}};
}

Words valkey_arguments(const Worker& worker, const TargetOptions& /*options*/) {
  return {worker.directory + "/valkey.conf"};
}

os::Question valkey_question(const Worker& worker) {
  const std::string password = os::first_line(worker.directory + "/password").value_or("");
  return {worker.directory + "/socket", 0, (password.empty() ? "" : "AUTH " + password + "\r\n") + "PING\r\n", "+PONG"};
}

constexpr Server valkey{
    .name = "valkey",
    .summary = "a Valkey or Redis server for each worker; 'charm deploy up' starts them",
    .program = "valkey-server redis-server",
    .install = "install it (Debian: valkey-server or redis-server), or run 'scripts/engines valkey'",
    .access =
        "Valkey takes commands only with its password: 'charm deploy up' writes it to DIR/w0/password, for "
        "REDISCLI_AUTH=$(cat DIR/w0/password) redis-cli -s DIR/w0/socket",
    .arguments = valkey_arguments,
    .files = valkey_files,
    .question = valkey_question};

}  // namespace

Target valkey_target() { return target_of<valkey>(); }

}  // namespace charm::deploy
