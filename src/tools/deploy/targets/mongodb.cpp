// MongoDB: a mongod for each worker. Its cache is half of the worker's memory: the rest is for connections, sorts and
// the page cache.
#include <algorithm>

#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/server.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

/// A string of YAML.
std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("''") : std::string(1, c);
  return all + "'";
}

std::vector<File> mongodb_files(const Worker& worker, const TargetOptions& /*options*/) {
  // In whole MiB, as a number of GiB with three digits; 256 MiB is the least that mongod takes.
  const std::uint64_t cache_mb = std::max<std::uint64_t>(worker.memory_bytes / 2 >> 20U, 256);
  const std::string thousandths = std::to_string(1000 + cache_mb % 1024 * 1000 / 1024).substr(1);
  return {{"mongod.conf",
           "storage:\n  dbPath: " + quoted(worker.directory) +
               "\n  wiredTiger:\n    engineConfig:\n      cacheSizeGB: " + std::to_string(cache_mb / 1024) + "." +
               thousandths + "\nnet:\n  bindIp: 127.0.0.1\n  port: " + std::to_string(worker.port) +
               "\n  unixDomainSocket:\n    pathPrefix: " + quoted(worker.directory) + "\n    filePermissions: 0700\n"}};
}

Words mongodb_arguments(const Worker& worker, const TargetOptions& /*options*/) {
  return {"--config", worker.directory + "/mongod.conf"};
}

/// It has an answer of its own for browsers that take its port for a web server's.
os::Question mongodb_question(const Worker& worker) { return http_question(worker.port, "/", "MongoDB"); }

constexpr Server mongodb{.name = "mongodb",
                         .summary = "a mongod for each worker, its cache half of the worker's memory",
                         .program = "mongod",
                         .install = "install MongoDB's packages, and put mongod on PATH",
                         .access = "every user of the machine may use it until you make users (security.authorization)",
                         .sized = true,
                         .arguments = mongodb_arguments,
                         .files = mongodb_files,
                         .question = mongodb_question};

}  // namespace

Target mongodb_target() { return target_of<mongodb>(); }

}  // namespace charm::deploy
