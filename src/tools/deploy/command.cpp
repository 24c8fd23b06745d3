#include "tools/deploy/command.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "base/choice.hpp"
#include "base/format.hpp"
#include "tools/deploy/coordinator.hpp"

namespace charm::deploy {

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else if (c == '\\' && quote == '"' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) {
        word += text[++i];
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) {
    throw Error(Errc::bad_config, "--exec: a quotation mark " + std::string(1, quote) + " does not end",
                "close it, or put a backslash before it");
  }
  if (in_word) words.push_back(word);
  return words;
}

std::string mib_text(std::uint64_t bytes) { return std::to_string(bytes >> 20U); }

std::string expanded(std::string_view word, const Worker& worker) {
  const std::size_t digits = worker.name.find_last_not_of("0123456789");
  const std::array<std::pair<std::string_view, std::string>, 11> known = {{
      {"name", worker.name},
      {"index", worker.name.substr(digits + 1)},
      {"host", worker.host},
      {"port", std::to_string(worker.port)},
      {"web_port", std::to_string(worker.web_port)},
      {"dir", worker.directory},
      {"cpus", worker.cpus.to_text()},
      {"cores", std::to_string(worker.cores.size())},
      {"nodes", worker.nodes.to_text()},
      {"memory_mb", mib_text(worker.memory_bytes)},
      {"heap_mb", mib_text(worker.heap_bytes)},
  }};
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if ((c == '{' || c == '}') && i + 1 < word.size() && word[i + 1] == c) {
      text += c;
      ++i;
      continue;
    }
    if (c != '{') {
      text += c;
      continue;
    }
    const std::size_t end = word.find('}', i);
    const std::string_view name = word.substr(i + 1, end == std::string_view::npos ? end : end - i - 1);
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.first == name; });
    if (end == std::string_view::npos || found == known.end()) {
      std::string names;
      for (const auto& [each, value] : known) names += (names.empty() ? "{" : ", {") + std::string(each) + "}";
      throw Error(Errc::bad_config,
                  "--exec: '" + std::string(word.substr(i, end == std::string_view::npos ? end : end - i + 1)) +
                      "' is no placeholder",
                  "take one of " + names + ", and {{ for a brace");
    }
    if (worker.memory_bytes == 0 && name.ends_with("_mb")) {
      throw Error(Errc::bad_config, "--exec: {" + std::string(name) + "}: the memory of " + worker.host + " is unknown",
                  "give --node-memory");
    }
    text += found->second;
    i = end;
  }
  return text;
}

std::vector<std::string> command_of(const std::string& exec, const Worker& worker) {
  std::vector<std::string> words = split_words(exec);
  if (words.empty() || words.front().empty()) {
    throw Error(Errc::bad_config, "--exec names no command", "give --exec 'command {port} {dir}'");
  }
  for (std::string& word : words) word = expanded(word, worker);
  return words;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::string numactl(const Worker& worker) {
  std::string line = "numactl --physcpubind=" + worker.cpus.to_text();
  if (worker.memory == Memory::bind) line += " --membind=" + worker.nodes.to_text();
  if (worker.memory == Memory::weighted) line += " --weighted-interleave=" + worker.nodes.to_text();
  if (worker.memory == Memory::preferred) line += " --preferred=" + worker.nodes.to_text();
  return line;
}

void need_memory(const Worker& worker, std::string_view target) {
  if (worker.memory_bytes > 0) return;
  throw Error(
      Errc::bad_config,
      "target " + std::string(target) + " needs the workers' memory, and the memory of " + worker.host + " is unknown",
      "give the size of a NUMA node: --node-memory 256G");
}

void need_memory(const Plan& plan, std::string_view target) {
  for (const Worker& worker : plan.workers) need_memory(worker, target);
}

void need_heap(const Worker& worker, std::string_view target, std::uint64_t least, std::string_view why) {
  if (worker.heap_bytes >= least) return;
  throw Error(Errc::bad_input,
              "target " + std::string(target) + ": " + worker.name + " would have " + mib_text(worker.heap_bytes) +
                  " MiB for its heap, less than " + mib_text(least) + " MiB, " + std::string(why),
              worker.name == coordinator_name
                  ? "leave more to the system with --reserve"
                  : "plan fewer workers (--policy, --per-chiplet), or leave less to the system with --reserve");
}

void keep_off_ports(const Plan& plan, std::string_view target, std::initializer_list<int> ports) {
  for (const Worker& worker : plan.workers) {
    for (const int port : ports) {
      if (worker.port != port && worker.web_port != port) continue;
      throw Error(Errc::bad_config,
                  "target " + std::string(target) + ": port " + std::to_string(port) + " of " + worker.name +
                      " is that of the engine's master or coordinator",
                  "give another --port");
    }
  }
}

std::string heading(std::string_view comment, const Plan& plan) {
  std::string text = std::string(comment) + " " + base::counted(plan.workers.size(), "worker") + " on " +
                     base::counted(plan.hosts.size(), "machine") + ": " + std::string(base::word_of(plan.policy));
  if (plan.policy == Policy::wicp) text += ", " + std::string(base::word_of(plan.shape));
  return text + ". Written by charm deploy plan.\n";
}

}  // namespace charm::deploy
