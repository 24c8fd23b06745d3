// Implements the public headers of placed memory: calls the functions of src/memory with the machine and workers of the
// running runtime.
#include <charm/first_touch.hpp>
#include <charm/memory_resource.hpp>
#include <charm/page_block.hpp>
#include <charm/per_chiplet.hpp>
#include <charm/placed_array.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>

#include "memory/blocks.hpp"
#include "memory/by_traffic.hpp"
#include "os/memory/memory.hpp"
#include "os/threads/affinity.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"

namespace charm {
namespace {

memory::Block mapped(std::size_t bytes, MemoryOptions options) {
  return memory::map_block(os::page_system(), bytes, options.huge);
}

}  // namespace

PageBlock::PageBlock(std::size_t bytes, MemoryOptions options) {
  const memory::Block block = mapped(bytes, options);
  data_ = block.data;
  bytes_ = block.bytes;
  unit_ = block.unit;
}

PageBlock::PageBlock(std::size_t bytes, on_node node, MemoryOptions options)
    : PageBlock(bytes, NodeSet{node.id}, options) {}

PageBlock::PageBlock(std::size_t bytes, over_workers /*everyone*/, MemoryOptions options) : PageBlock(bytes, options) {
  const NodeSet nodes = detail::nodes_with_workers();
  const memory::Block block{data_, bytes_, unit_,
                            memory::touched_at_once(os::page_system(), bytes_, unit_, options.huge), false};
  std::shared_ptr<const memory::WeightPage> weights;
  {
    const sched::Visit visit;
    weights = visit->weights_in_force();
  }
  if (weights && weights->memories > 1) {
    placed_ = memory::place_by_weights(os::page_system(), &machine(), block, *weights,
                                       memory::shared_weights(*weights, machine(), nodes));
  } else {
    placed_ = memory::place_in_turns(os::page_system(), &machine(), block, nodes);
  }
}

PageBlock::PageBlock(std::size_t bytes, const NodeSet& nodes, MemoryOptions options) : PageBlock(bytes, options) {
  placed_ = memory::place_in_turns(os::page_system(), &machine(), {data_, bytes_, unit_, unit_, false}, nodes);
}

PageBlock::PageBlock(std::size_t bytes, const std::vector<PageRun>& runs, MemoryOptions options)
    : PageBlock(bytes, options) {
  placed_ = memory::place_runs(os::page_system(), &machine(), {data_, bytes_, unit_, unit_, false}, runs);
}

void PageBlock::shrink(std::size_t bytes) noexcept {
  if (data_ == nullptr) return;
  const std::size_t keep = (bytes + unit_ - 1) / unit_ * unit_;
  if (keep >= bytes_) return;
  os::page_system().unmap(static_cast<std::byte*>(data_) + keep, bytes_ - keep);
  bytes_ = keep;
  if (keep == 0) data_ = nullptr;
}

void PageBlock::release() noexcept { shrink(0); }

int node_of(const void* address) {
  const PageCensus one = page_census(address, 1);
  const auto at = std::find(one.pages.begin(), one.pages.end(), std::size_t{1});
  return at == one.pages.end() ? -1 : static_cast<int>(at - one.pages.begin());
}

PageCensus page_census(const void* data, std::size_t bytes) {
  return memory::census(os::page_system(), machine(), data, bytes);
}

std::uint64_t available_memory() { return os::available_bytes().value_or(0); }

namespace detail {

int node_of_target(Target target) { return memory::node_of_target(machine(), worker_cores(), target); }

std::vector<int> nodes_of_workers() { return memory::nodes_of_workers(machine(), worker_cores()); }

NodeSet nodes_with_workers() { return memory::nodes_with_workers(machine(), worker_cores()); }

int current_node() {
  const Machine& here = machine();
  if (here.nodes.size() <= 1) return 0;
  if (here.is_live()) return memory::node_of_cpu(here, os::current_cpu());
  const WorkerBase* worker = this_worker();
  return worker == nullptr ? 0 : memory::node_of_target(here, worker_cores(), {Target::Kind::worker, worker->id});
}

int current_chiplet() {
  const Machine& here = machine();
  if (here.chiplets.size() <= 1) return 0;
  const sched::Worker* worker = sched::this_worker();
  if (worker != nullptr && worker->worker_core().chiplet >= 0) return worker->worker_core().chiplet;
  const Core* core = here.is_live() ? here.core_of_cpu(os::current_cpu()) : nullptr;
  return core == nullptr ? 0 : core->chiplet;
}

std::size_t page_bytes() noexcept { return os::page_system().page_bytes(); }

std::size_t huge_page_bytes() noexcept { return os::page_system().huge_page_bytes(); }

void touch_pages(void* data, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  const std::size_t page = page_bytes();
  auto* at = static_cast<volatile unsigned char*>(data);
  auto* const end = at + bytes;
  while (at < end) {
    *at = *at;
    at += page - reinterpret_cast<std::uintptr_t>(at) % page;
  }
}

std::vector<PageRun> partition_runs(std::size_t size, std::size_t element_bytes, const std::vector<int>& node_of_part,
                                    std::size_t page) {
  std::vector<PageRun> runs;
  const std::size_t parts = node_of_part.size();
  std::size_t begin = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t last = part_of(size, part, parts).last * element_bytes;
    // The border goes to the nearest page; the last part ends with the last page.
    const std::size_t end = part + 1 == parts ? (last + page - 1) / page * page : (last + page / 2) / page * page;
    if (end <= begin) continue;
    if (!runs.empty() && runs.back().node == node_of_part[part]) {
      runs.back().bytes += end - begin;
    } else {
      runs.push_back({begin, end - begin, node_of_part[part]});
    }
    begin = end;
  }
  return runs;
}

PageResource::PageResource(const NodeSet& nodes, MemoryOptions options) : options_(options) {
  if (nodes.empty()) return;
  const OsNodeSet numbers = memory::numbers_of(&machine(), nodes);
  numbers_.assign(numbers.begin(), numbers.end());
}

void* PageResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  os::PageSystem& system = os::page_system();
  const std::size_t unit = options_.huge == HugePages::no ? system.page_bytes() : system.huge_page_bytes();
  // The length alone has to tell deallocate() what was mapped.
  HugePages huge = options_.huge;
  if (huge == HugePages::advised && bytes < unit) huge = HugePages::no;
  memory::Block block;
  try {
    block = memory::map_block(system, std::max<std::size_t>(bytes, 1), huge, alignment);
  } catch (const Error&) {
    throw std::bad_alloc();  // what containers and their users know
  }
  memory::place_in_turns(system, block, OsNodeSet(numbers_.begin(), numbers_.end()));
  return block.data;
}

void PageResource::do_deallocate(void* pointer, std::size_t bytes, std::size_t) {
  os::PageSystem& system = os::page_system();
  const std::size_t unit = options_.huge == HugePages::requested ? system.huge_page_bytes() : system.page_bytes();
  system.unmap(pointer, (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit);
}

}  // namespace detail
}  // namespace charm
