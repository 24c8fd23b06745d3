// ClickHouse: a server for each worker, its memory limit and threads those of the worker. It answers SQL on its port
// and by HTTP on the second one.
#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/server.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

std::string xml_text(const std::string& text) {
  std::string all;
  for (const char c : text) {
    all += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return all;
}

std::string element(const std::string& name, const std::string& text) {
  return "  <" + name + ">" + xml_text(text) + "</" + name + ">\n";
}

std::vector<File> clickhouse_files(const Worker& worker, const TargetOptions& options) {
  const std::string& dir = worker.directory;
  const std::string threads = std::to_string(worker.cpus.size());
  const std::string password =
      options.secret.empty() ? "<no_password/>" : "<password>" + options.secret + "</password>";
  const std::string config =
      "<clickhouse>\n" + element("listen_host", "127.0.0.1") + element("tcp_port", std::to_string(worker.port)) +
      element("http_port", std::to_string(worker.web_port)) + element("path", dir + "/data/") +
      element("tmp_path", dir + "/tmp/") + element("user_files_path", dir + "/user_files/") +
      element("format_schema_path", dir + "/format_schemas/") + element("users_config", dir + "/users.xml") +
      element("max_server_memory_usage", std::to_string(worker.memory_bytes)) +
      element("background_pool_size", threads) + element("mark_cache_size", std::to_string(worker.memory_bytes / 10)) +
      "  <logger><console>1</console><level>information</level></logger>\n</clickhouse>\n";
  const std::string users =
      "<clickhouse>\n  <profiles><default><max_threads>" + threads +
      "</max_threads></default></profiles>\n  <quotas><default/></quotas>\n  <users><default>" + password +
      "<networks><ip>127.0.0.1</ip><ip>::1</ip></networks><profile>default</profile><quota>default</quota>"
      "</default></users>\n</clickhouse>\n";
  return {{"config.xml", config}, {"users.xml", users, false, !options.secret.empty()}};
}

Words clickhouse_arguments(const Worker& worker, const TargetOptions& /*options*/) {
  return {"server", "--config-file=" + worker.directory + "/config.xml"};
}

os::Question clickhouse_question(const Worker& worker) { return http_question(worker.web_port, "/ping", "Ok."); }

constexpr Server clickhouse{
    .name = "clickhouse",
    .summary = "a ClickHouse server for each worker: memory limit, threads, ports",
    .program = "clickhouse",
    .install = "install ClickHouse's packages, and put clickhouse on PATH",
    .access =
        "ClickHouse's user 'default' has the password that 'charm deploy up' writes to DIR/w0/users.xml; the files "
        "of 'charm deploy plan' have none",
    .sized = true,
    .web_port = true,
    .arguments = clickhouse_arguments,
    .files = clickhouse_files,
    .question = clickhouse_question};

}  // namespace

Target clickhouse_target() { return target_of<clickhouse>(); }

}  // namespace charm::deploy
