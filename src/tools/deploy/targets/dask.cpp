// Dask: a scheduler, and a worker process for each of the plan's, with a thread for each of its cpus. Whoever reaches a
// worker runs code as its user, so 'charm deploy up' makes a certificate, without which nobody is admitted.
#include "tools/deploy/command.hpp"
#include "tools/deploy/coordinator.hpp"
#include "tools/deploy/targets/server.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

std::string tls_folder(const Worker& worker) {
  const std::string all = worker.directory.substr(0, worker.directory.rfind('/'));
  return all + "/" + coordinator_name;
}

/// \param secured only `charm deploy up` has made the certificate.
Variables dask_variables(const Worker& worker, const TargetOptions& options) {
  Variables all = {{"OMP_NUM_THREADS", "1"}, {"OPENBLAS_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"}};
  if (options.secret.empty()) return all;
  const std::string tls = "DASK_DISTRIBUTED__COMM__TLS__";
  all.emplace_back("DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION", "True");
  all.emplace_back(tls + "CA_FILE", tls_folder(worker) + "/certificate.pem");
  for (const char* part : {"SCHEDULER", "WORKER", "CLIENT"}) {
    all.emplace_back(tls + part + "__CERT", tls_folder(worker) + "/certificate.pem");
    all.emplace_back(tls + part + "__KEY", tls_folder(worker) + "/key.pem");
  }
  return all;
}

std::string dask_protocol(const TargetOptions& options) { return options.secret.empty() ? "tcp" : "tls"; }

/// `up` listens on the loopback address alone. The second port has pages without the dashboard, which is not secured.
Words dask_address(const Worker& worker, const TargetOptions& options) {
  const std::string web_port = ":" + std::to_string(worker.web_port);
  if (options.secret.empty()) return {"--no-dashboard", "--dashboard-address", web_port};
  return {"--no-dashboard", "--dashboard-address", "127.0.0.1" + web_port, "--host", "127.0.0.1"};
}

os::Question dask_question(const Worker& worker) { return http_question(worker.web_port, "/health", " 200 "); }

Words dask_arguments(const Worker& worker, const TargetOptions& options) {
  Words all = {"worker",
               dask_protocol(options) + "://" + coordinator_address(options),
               "--name",
               worker.name,
               "--protocol",
               dask_protocol(options),
               "--worker-port",
               std::to_string(worker.port),
               "--no-nanny",
               "--nthreads",
               std::to_string(worker.cpus.size()),
               "--memory-limit",
               worker.memory_bytes > 0 ? mib_text(worker.memory_bytes) + "MiB" : "auto",
               "--local-directory",
               worker.directory + "/spill"};
  const Words more = dask_address(worker, options);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Words dask_scheduler(const Worker& worker, const TargetOptions& options) {
  Words all = {"scheduler", "--port", std::to_string(worker.port), "--protocol", dask_protocol(options)};
  const Words more = dask_address(worker, options);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// The scheduler's client.sh sets what a program of the same user needs.
void dask_prepare(const Worker& worker, Launch& how) {
  if (worker.name != coordinator_name) return;
  how.prepared = worker.directory + "/certificate.pem";
  how.prepare = {"openssl", "req",       "-x509", "-newkey",   "rsa:2048", "-nodes",
                 "-days",   "3650",      "-subj", "/CN=charm", "-keyout",  worker.directory + "/key.pem",
                 "-out",    how.prepared};
  std::string text =
      "# . this file, then distributed.Client(\"tls://127.0.0.1:" + std::to_string(worker.port) + "\")\n";
  for (const auto& [name, value] : how.variables) {
    if (name.starts_with("DASK_")) text += "export " + name + "=" + shell_word(value) + "\n";
  }
  how.files.push_back({"client.sh", text, false, true});
}

constexpr Server dask{
    .name = "dask",
    .summary = "Dask: a scheduler, and a process for each worker; 'charm deploy up' starts them",
    .program = "dask",
    .install = "run 'scripts/engines dask', or install it (pip install dask distributed)",
    .access =
        "whoever reaches a worker of Dask runs code as its user. 'charm deploy up' admits those with the "
        "certificate that DIR/coordinator/client.sh names; the files of 'charm deploy plan' are for networks "
        "whose users you trust",
    .web_port = true,
    .coordinator_port = 8786,
    .arguments = dask_arguments,
    .variables = dask_variables,
    .question = dask_question,
    .coordinator = dask_scheduler,
    .prepare = dask_prepare};

}  // namespace

Target dask_target() { return target_of<dask>(); }

}  // namespace charm::deploy
