// PostgreSQL: a server for each worker, each with a data directory and a port of its own; 'charm deploy up' makes and
// starts them. The user who runs them may connect by the socket in the worker's folder; all others need a line in the
// pg_hba.conf of the data directory.
#include <charm/error.hpp>

#include <algorithm>
#include <cstdlib>

#include "tools/deploy/command.hpp"
#include "tools/deploy/programs.hpp"
#include "tools/deploy/targets/targets.hpp"
#include "tools/os/service.hpp"

namespace charm::deploy {
namespace {

constexpr std::uint64_t bytes_of_mib = std::uint64_t{1} << 20U;

/// A string of postgresql.conf.
std::string setting_string(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("''") : c == '\\' ? std::string("\\\\") : std::string(1, c);
  return all + "'";
}

/// A quarter of the memory is the server's own cache, as its manual advises; parallel queries use the worker's cores.
std::string postgresql_settings(const Worker& worker) {
  const std::string data = worker.directory + "/data";
  const std::uint64_t memory_mb = worker.memory_bytes / bytes_of_mib;
  const auto cores = std::to_string(worker.cores.size());
  std::string text = "data_directory = " + setting_string(data) +
                     "\nhba_file = " + setting_string(data + "/pg_hba.conf") +
                     "\nident_file = " + setting_string(data + "/pg_ident.conf") +
                     "\nlisten_addresses = 'localhost'\nport = " + std::to_string(worker.port) +
                     "\nunix_socket_directories = " + setting_string(worker.directory) + "\n";
  if (memory_mb > 0) {
    text += "shared_buffers = " + std::to_string(std::max<std::uint64_t>(memory_mb / 4, 16)) +
            "MB\neffective_cache_size = " + std::to_string(std::max<std::uint64_t>(memory_mb * 3 / 4, 16)) + "MB\n";
  }
  return text + "max_worker_processes = " + std::to_string(worker.cores.size() + 8) +
         "\nmax_parallel_workers = " + cores +
         "\nmax_parallel_workers_per_gather = " + std::to_string(std::max<std::size_t>(worker.cores.size() / 2, 1)) +
         "\n";
}

/// A database has the locale of the program that makes it: from cron that is none, and its text would be bytes of any
/// encoding (SQL_ASCII).
constexpr const char* unicode_locale =
    "case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in *UTF-8* | *utf8*) ;; *) export LC_ALL=C.UTF-8 ;; esac\n";

std::vector<File> postgresql_files(const Plan& plan, const TargetOptions& /*options*/) {
  std::vector<File> all;
  for (const Worker& worker : plan.workers) {
    all.push_back({worker.name + "/postgresql.conf", heading("#", plan) + postgresql_settings(worker)});
  }
  for (const HostPlan& host : plan.hosts) {
    all.push_back(start_script(
        plan, host.name,
        [&](const Worker& worker) {
          const std::string dir = shell_word(worker.directory);
          return "mkdir -p " + dir + "\ncp \"$(dirname \"$0\")/" + worker.name + "/postgresql.conf\" " + dir +
                 "\n[ -d " + dir + "/data ] || " + numactl(worker) +
                 " initdb --encoding=UTF8 --auth-local=peer --auth-host=reject --no-instructions -D " + dir +
                 "/data\n" + numactl(worker) + " postgres -D " + dir + " >>" + dir + "/log 2>&1 </dev/null &\n";
        },
        unicode_locale));
  }
  return all;
}

/// Whether the locale of this process is one of UTF-8.
bool in_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale = value;
    return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

std::string socket_of(const Worker& worker) { return worker.directory + "/.s.PGSQL." + std::to_string(worker.port); }

Launch postgresql_launch(const Worker& worker, const TargetOptions& /*options*/) {
  check_socket_path(socket_of(worker));
  Launch how;
  how.words = {postgresql_program("postgres"), "-D", worker.directory};
  if (!in_unicode()) how.variables.emplace_back("LC_ALL", "C.UTF-8");
  how.prepare = {postgresql_program("initdb"),
                 "--encoding=UTF8",
                 "--auth-local=peer",
                 "--auth-host=reject",
                 "--no-instructions",
                 "--no-sync",
                 "-D",
                 worker.directory + "/data"};
  how.prepared = worker.directory + "/data/PG_VERSION";
  how.files = {{"postgresql.conf", "# Written by charm deploy up.\n" + postgresql_settings(worker)}};
  how.not_as_root = "PostgreSQL does not run as root";
  how.stop_signal = SIGINT;  // "fast": does not wait for clients
  return how;
}

/// A message of the frontend: its length, which counts itself, and its content.
std::string message(const std::string& content) {
  const auto length = static_cast<std::uint32_t>(content.size() + 4);
  std::string text;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) text += static_cast<char>(length >> shift & 0xffU);
  return text + content;
}

/// A query, all in one: the user who runs the server may begin by name alone.
os::Question postgresql_question(const Worker& worker) {
  constexpr char end = '\0';
  const std::string protocol_3("\0\3\0\0", 4);
  const std::string begin =
      protocol_3 + "user" + end + os::user_name() + end + "database" + end + "postgres" + end + end;
  return {socket_of(worker), 0, message(begin) + "Q" + message(std::string("SELECT 1") + end) + "X" + message(""),
          std::string("SELECT 1") + end};
}

}  // namespace

Target postgresql_target() {
  return {.name = "postgresql",
          .summary = "a server for each worker; 'charm deploy up' makes and starts them",
          .uses = "",
          .files = postgresql_files,
          .launch = postgresql_launch,
          .question = postgresql_question};
}

}  // namespace charm::deploy
