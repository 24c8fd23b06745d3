#include "tools/attach/mask_origin.hpp"

#include <iterator>

namespace charm::attach {

int& MaskOrigin::count_of(Process& process, const Mask& mask) {
  Count& count = process.counts[mask.mask];
  return mask.chosen ? count.chosen : count.ours;
}

void MaskOrigin::retire(Process& process, const Mask& mask, double now) {
  --count_of(process, mask);
  const Count& left = process.counts[mask.mask];
  if (left.ours == 0 && left.chosen == 0) process.counts.erase(mask.mask);
  if (!mask.chosen) process.past[mask.mask] = now;
}

void MaskOrigin::has(int process, int thread, const CpuSet& mask, bool chosen, double now) {
  Process& of = processes_[process];
  const auto [found, is_new] = of.threads.try_emplace(thread, Mask{mask, chosen});
  if (!is_new) {
    if (found->second.mask == mask && found->second.chosen == chosen) return;
    retire(of, found->second, now);
    found->second = {mask, chosen};
  }
  ++count_of(of, found->second);
}

void MaskOrigin::gone(int process, int thread, double now) {
  const auto of = processes_.find(process);
  if (of == processes_.end()) return;
  const auto found = of->second.threads.find(thread);
  if (found == of->second.threads.end()) return;
  retire(of->second, found->second, now);
  of->second.threads.erase(found);
}

void MaskOrigin::prune(double now) {
  for (auto process = processes_.begin(); process != processes_.end();) {
    auto& [threads, counts, past] = process->second;
    std::erase_if(past, [&](const auto& each) { return each.second < now - moment_s; });
    process = threads.empty() && past.empty() ? processes_.erase(process) : std::next(process);
  }
}

bool MaskOrigin::ours(int process, int parent, const CpuSet& mask) const {
  bool had = false;
  for (const auto& [id, of] : processes_) {
    if (parent != 0 && id != process && id != parent) continue;
    if (const auto count = of.counts.find(mask); count != of.counts.end()) {
      if (count->second.chosen > 0) return false;  // chosen by a relative
      had = true;
    }
    had = had || of.past.contains(mask);
  }
  return had;
}

}  // namespace charm::attach
