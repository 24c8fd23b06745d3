#include "tools/memory_traffic/kernel_weights.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/format.hpp"
#include "os/files/system_files.hpp"

namespace charm::memory_traffic {
namespace {

namespace fs = std::filesystem;

constexpr int most_whole = 32;
constexpr double near_enough = .01;
/// The file's name, and the one that it has where the kernel's build expanded it as a macro (seen in Linux 6.18).
constexpr std::array<const char*, 2> automatic_names{"auto", "__auto_type"};

fs::path folder_below(const std::string& root) {
  return fs::path(root) / "sys/kernel/mm/mempolicy/weighted_interleave";
}

NodeParts as_shares(const NodeParts& parts) {
  double sum = 0;
  for (const auto& [node, part] : parts) sum += part;
  NodeParts shares;
  for (const auto& [node, part] : parts) {
    if (part > 0) shares[node] = part / sum;
  }
  return shares;
}

}  // namespace

std::optional<KernelWeights> read_kernel_weights(const std::string& root) {
  KernelWeights weights;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_below(root), error)) {
    const std::string name = entry.path().filename().string();
    const std::string text = os::first_line(entry.path().string()).value_or("");
    if (name == automatic_names[0] || name == automatic_names[1])
      weights.automatic = text.starts_with('Y') || text.starts_with('1') || text == "true";
    if (!name.starts_with("node")) continue;
    const int weight = std::atoi(text.c_str());
    if (weight > 0) weights.of_node[std::atoi(name.c_str() + 4)] = weight;
  }
  if (weights.of_node.empty()) return std::nullopt;
  return weights;
}

void write_kernel_weights(const KernelWeights& weights, const std::string& root) {
  const auto taken = [&](const std::string& name, const std::string& text) {
    return static_cast<bool>(std::ofstream(folder_below(root) / name) << text << std::flush);
  };
  if (weights.automatic.value_or(false)) {
    const bool plain = fs::exists(folder_below(root) / automatic_names[0]);
    // Without bandwidths from the firmware the kernel begins with its own choice, and does not return to it (ENODEV).
    if (taken(automatic_names[plain ? 0 : 1], "true")) return;
  }
  for (const auto& [node, weight] : weights.of_node) {
    const std::string name = "node" + std::to_string(node);
    if (taken(name, std::to_string(weight))) continue;
    throw Error(Errc::system, "cannot write " + (folder_below(root) / name).string() + ": " + std::strerror(errno),
                "the kernel's weights are root's: call it as root, outside of containers");
  }
}

std::map<int, int> whole_weights(const NodeParts& parts) {
  const NodeParts wanted = as_shares(parts);
  double largest = 0;
  for (const auto& [node, part] : wanted) largest = std::max(largest, part);
  std::map<int, int> best;
  double best_off = std::numeric_limits<double>::infinity();
  for (int top = 1; top <= most_whole && best_off > near_enough; ++top) {
    std::map<int, int> whole;
    for (const auto& [node, part] : wanted)
      whole[node] = std::max(1, static_cast<int>(std::lround(part / largest * top)));
    const double off = largest_difference(parts_by(whole, wanted), wanted);
    if (off >= best_off) continue;
    best_off = off;
    best = std::move(whole);
  }
  return best;
}

NodeParts parts_by(const std::map<int, int>& weights, const NodeParts& nodes) {
  NodeParts parts;
  for (const auto& [node, part] : nodes) {
    if (part <= 0) continue;
    const auto weight = weights.find(node);
    parts[node] = weight == weights.end() ? 1 : weight->second;
  }
  return as_shares(parts);
}

double largest_difference(const NodeParts& a, const NodeParts& b) {
  double most = 0;
  for (const auto& [node, part] : a) {
    const auto other = b.find(node);
    most = std::max(most, std::abs(part - (other == b.end() ? 0 : other->second)));
  }
  for (const auto& [node, part] : b) {
    if (!a.contains(node)) most = std::max(most, part);
  }
  return most;
}

std::string to_text(const NodeParts& parts) {
  std::string text;
  for (const auto& [node, part] : parts)
    text += (text.empty() ? "node " : ", node ") + std::to_string(node) + " " + base::format_percent(part);
  return text;
}

}  // namespace charm::memory_traffic
