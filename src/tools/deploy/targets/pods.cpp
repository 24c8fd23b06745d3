#include "tools/deploy/targets/pods.hpp"

#include <cctype>

#include "tools/deploy/command.hpp"

namespace charm::deploy {

std::string yaml_string(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c == '\n' ? "\\n" : std::string(1, c);
  }
  return all + "\"";
}

std::string lower_case(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

std::string pod(const Worker& worker, const TargetOptions& options, const std::string& claim) {
  // A pod gets hardware threads by whole cores.
  const std::string resources = "cpu: \"" + std::to_string(worker.core_cpus.size()) +
                                "\"\n          memory: " + mib_text(worker.memory_bytes) + "Mi\n";
  const std::string folder = yaml_string(worker.directory);
  std::string command;
  if (!options.exec.empty()) {
    for (const std::string& word : command_of(options.exec, worker)) {
      command += (command.empty() ? "" : ", ") + yaml_string(word);
    }
    command = "      command: [" + command + "]\n";
  }
  const std::string claims =
      claim.empty()
          ? ""
          : "        claims:\n          - name: cpus\n  resourceClaims:\n    - name: cpus\n      resourceClaimName: " +
                claim + "\n";
  return "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: charm-" + lower_case(worker.name) +
         "\n  labels:\n    app: charm-deploy\nspec:\n  nodeSelector:\n    kubernetes.io/hostname: " +
         yaml_string(lower_case(worker.host)) +
         "\n  restartPolicy: OnFailure\n  containers:\n    - name: worker\n      image: " + yaml_string(options.image) +
         "\n" + command + "      workingDir: " + folder +
         "\n      volumeMounts:\n        - name: folder\n          mountPath: " + folder +
         "\n      ports:\n        - containerPort: " + std::to_string(worker.port) +
         "\n      resources:\n        requests:\n          " + resources + "        limits:\n          " + resources +
         claims + "  volumes:\n    - name: folder\n      hostPath:\n        path: " + folder +
         "\n        type: DirectoryOrCreate\n";
}

}  // namespace charm::deploy
