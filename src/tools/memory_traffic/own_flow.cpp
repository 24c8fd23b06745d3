#include "tools/memory_traffic/own_flow.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "os/files/system_files.hpp"
#include "os/threads/thread_list.hpp"
#include "tools/memory_traffic/index.hpp"
#include "tools/memory_traffic/smoothing.hpp"

namespace charm::memory_traffic {
namespace {

constexpr double even_part = 0.1;
constexpr double interval_s = 1;

/// What a busy core reads, in parts of what it can.
Weights mostly(Weights weights) {
  weights = normalised(std::move(weights));
  for (double& weight : weights) weight = (1 - even_part) * weight + even_part / static_cast<double>(weights.size());
  return weights;
}

Weights nearest(const Model& model, int root) {
  Weights weights(model.memories.size(), 0);
  std::size_t best = 0;
  for (std::size_t m = 1; m < model.memories.size(); ++m) {
    if (read_latency(model, root, model.memories[m]) < read_latency(model, root, model.memories[best])) best = m;
  }
  weights[best] = 1;
  return weights;
}

void add(std::vector<double>& to, const std::vector<double>& more, double times) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += times * more[i];
}

void add(Bandwidths& to, const Bandwidths& more, double times) {
  add(to.out, more.out, times);
  add(to.in, more.in, times);
  add(to.memory, more.memory, times);
}

std::vector<double> divided(const std::vector<double>& reading, const std::vector<double>& ours,
                            const std::vector<double>& others, double core_gb_per_s) {
  std::vector<double> own(reading.size(), 0);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (ours[i] > 0) own[i] = std::min(reading[i] * ours[i] / (ours[i] + others[i]), ours[i] * core_gb_per_s);
  }
  return own;
}

}  // namespace

Bandwidths own_flow(const Model& model, const memory::WeightPage& page, const Bandwidths& reading,
                    const BusyCores& busy) {
  Bandwidths ours = flow_on_buses(model, 0, Weights(model.memories.size(), 0));
  Bandwidths others = ours;
  const std::vector<int> all = roots(model);
  for (std::size_t r = 0; r < all.size() && r < page.roots; ++r) {
    const auto parts = memory::weights_of(page, r);
    add(ours, flow_on_buses(model, all[r], mostly(Weights(parts.begin(), parts.end()))), busy.ours[r]);
    add(others, flow_on_buses(model, all[r], mostly(nearest(model, all[r]))), busy.others[r]);
  }
  const double core = demand_of(model, 1);
  return {divided(reading.out, ours.out, others.out, core), divided(reading.in, ours.in, others.in, core),
          divided(reading.memory, ours.memory, others.memory, core)};
}

namespace {

/// The part of the weights on memories that are near to the root, or that are not; evenly where it is none.
Weights part_of(const Model& model, int root, Weights weights, bool near, bool near_is_socket) {
  Weights closest = nearest(model, root);
  double sum = 0;
  std::size_t many = 0;
  const auto belongs = [&](std::size_t m) {
    const bool is_near =
        near_is_socket ? lies_in(model, model.memories[m].domain, near_domain(model, root)) : closest[m] > 0;
    return is_near == near;
  };
  for (std::size_t m = 0; m < weights.size(); ++m) {
    if (!belongs(m)) weights[m] = 0;
    sum += weights[m];
    many += belongs(m) ? 1 : 0;
  }
  if (many == 0) return closest;  // lines from a memory that the model does not have
  for (std::size_t m = 0; m < weights.size(); ++m)
    weights[m] = sum > 0 ? weights[m] / sum : belongs(m) ? 1 / static_cast<double>(many) : 0;
  return weights;
}

}  // namespace

Bandwidths own_flow(const Model& model, const memory::WeightPage& page, const Bandwidths& reading,
                    const CountedLines& lines) {
  const Weights nowhere(model.memories.size(), 0);
  Bandwidths ours = flow_on_buses(model, 0, nowhere);
  Bandwidths others = ours;
  const std::vector<int> all = roots(model);
  for (std::size_t r = 0; r < all.size() && r < page.roots; ++r) {
    const auto parts = memory::weights_of(page, r);
    const Weights by_weight = mostly(Weights(parts.begin(), parts.end()));
    const auto flow = [&](const Weights& weights, bool near) {
      return flow_on_buses(model, all[r], part_of(model, all[r], weights, near, lines.near_is_socket));
    };
    add(ours, flow(by_weight, true), lines.ours.near[r]);
    add(ours, flow(by_weight, false), lines.ours.far[r]);
    add(others, flow(nearest(model, all[r]), true), lines.others.near[r]);
    add(others, flow(nowhere, false), lines.others.far[r]);  // evenly: nobody knows where
  }
  return {divided(reading.out, ours.out, others.out, unlimited), divided(reading.in, ours.in, others.in, unlimited),
          divided(reading.memory, ours.memory, others.memory, unlimited)};
}

OwnPrograms::OwnPrograms(const Model& model, std::string root) : root_(std::move(root)) {
  busy_.ours.assign(roots(model).size(), 0);
  busy_.others = busy_.ours;
}

namespace {

constexpr std::string_view library = "libcharm_malloc.so";

/// Whether the process with this folder in /proc was started with the library.
bool is_under_malloc(const std::string& folder) {
  // Empty for processes of other users. The kernel shows the memory in which a program got its variables.
  const std::string variables = os::read_text(folder + "/environ");
  bool overwritten = false;
  for (std::size_t begin = 0; begin < variables.size();) {
    const std::size_t end = std::min(variables.find('\0', begin), variables.size());
    const std::string_view one = std::string_view(variables).substr(begin, end - begin);
    if (one.starts_with("LD_PRELOAD=") && one.find(library) != std::string_view::npos) return true;
    overwritten = overwritten || one.find('=') == std::string_view::npos;
    begin = end + 1;
  }
  // A name that the program has given to itself lies there (setproctitle). Its mappings tell, too, which may be many.
  return overwritten && os::read_text(folder + "/maps").find(library) != std::string::npos;
}

}  // namespace

void OwnPrograms::find() {
  processes_.clear();
  const std::string proc = os::path_below(root_, "proc");
  for (const int pid : os::numbered_entries(proc)) {
    if (is_under_malloc(proc + "/" + std::to_string(pid))) processes_.push_back(pid);
  }
}

const BusyCores& OwnPrograms::read(double now_s, const memory::WeightPage& page) {
  const double seconds = now_s - read_s_;
  if (read_s_ >= 0 && seconds < interval_s) return busy_;
  const bool known = read_s_ >= 0;
  read_s_ = now_s;
  const auto root_of = [&](int cpu) -> int {
    if (cpu < 0 || at(cpu) >= memory::most_cpus || page.root_of_cpu[at(cpu)] == memory::no_root) return -1;
    return page.root_of_cpu[at(cpu)];
  };
  find();
  running_.clear();
  ++looks_;
  std::vector<double> ours(busy_.ours.size(), 0);
  std::vector<double> everyone = ours;
  std::map<std::pair<int, int>, double> threads;
  for (const int pid : processes_) {
    for (const os::ThreadView& thread : os::threads_of(pid, root_)) {
      const auto before = thread_s_.find({pid, thread.tid});
      // A thread that is new has done all of its work since.
      const double used = thread.cpu_s - (before == thread_s_.end() ? 0 : before->second);
      threads[{pid, thread.tid}] = thread.cpu_s;
      running_.push_back({thread.tid, thread.cpu});
      const int root = root_of(thread.cpu);
      if (known && root >= 0 && at(root) < ours.size()) ours[at(root)] += std::clamp(used / seconds, 0.0, 1.0);
    }
  }
  const std::map<int, os::CpuTime> cpus = os::cpu_times(root_);
  for (const auto& [cpu, now] : cpus) {
    const auto before = cpus_.find(cpu);
    const int root = root_of(cpu);
    if (before == cpus_.end() || root < 0 || at(root) >= everyone.size()) continue;
    const double total = static_cast<double>(now.total - before->second.total);
    const double busy = static_cast<double>(now.busy - before->second.busy);
    if (total > 0) everyone[at(root)] += std::clamp(busy / total, 0.0, 1.0);
  }
  thread_s_ = std::move(threads);
  cpus_ = cpus;
  busy_.ours = ours;
  for (std::size_t r = 0; r < ours.size(); ++r) busy_.others[r] = std::max(0.0, everyone[r] - ours[r]);
  return busy_;
}

}  // namespace charm::memory_traffic
