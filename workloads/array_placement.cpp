#include "workloads/array_placement.hpp"

#include <charm/error.hpp>
#include <charm/placed_array.hpp>

#include <algorithm>
#include <array>
#include <unistd.h>
#include <utility>

namespace charm::workloads {
namespace {

constexpr const auto& names = array_memory_names;

/// What a border between two parts is rounded to: arrays of that size and above ask for huge pages.
std::size_t page_of(std::size_t bytes) {
  constexpr std::size_t huge = std::size_t{2} << 20U;
  return bytes >= huge ? huge : static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Memory memory_named(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw Error(Errc::bad_config, "memory '" + std::string(name) + "' is unknown",
                "choose among touched, near, interleaved, partitioned, replicated");
  }
  return static_cast<Memory>(found - names.begin());
}

ArrayPlacement::ArrayPlacement(Memory choice, std::vector<int> node_of_worker, const std::vector<int>& order)
    : choice_(choice), node_of_worker_(std::move(node_of_worker)) {
  nodes_ = NodeSet(node_of_worker_);
  if (nodes_.size() < 2 || choice == Memory::touched) {
    nodes_.clear();
    return;
  }
  for (const int worker : order) node_of_part_.push_back(node_of_worker_[static_cast<std::size_t>(worker)]);
}

std::vector<std::int64_t> ArrayPlacement::bounds(std::int64_t size) const {
  std::vector<std::int64_t> all;
  for (std::size_t part = 0; part <= parts(); ++part) {
    all.push_back(part == parts()
                      ? size
                      : static_cast<std::int64_t>(part_of(static_cast<std::size_t>(size), part, parts()).first));
  }
  return all;
}

std::vector<PageRun> ArrayPlacement::runs(std::span<const std::int64_t> bounds, std::size_t element_bytes) const {
  std::vector<PageRun> all;
  const auto offset = [&](std::size_t bound) { return static_cast<std::size_t>(bounds[bound]) * element_bytes; };
  const std::size_t page = page_of(offset(parts()));
  std::size_t begin = 0;
  for (std::size_t part = 0; part < parts(); ++part) {
    // A border goes to the nearest page; the last part ends with the last page.
    const bool last = part + 1 == parts();
    const std::size_t end = (offset(part + 1) + (last ? page - 1 : page / 2)) / page * page;
    if (end <= begin) continue;
    if (!all.empty() && all.back().node == node_of_part_[part])
      all.back().bytes += end - begin;
    else
      all.push_back({begin, end - begin, node_of_part_[part]});
    begin = end;
  }
  return all;
}

}  // namespace charm::workloads
