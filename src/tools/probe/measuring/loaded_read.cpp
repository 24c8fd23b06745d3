#include "tools/probe/measuring/loaded_read.hpp"

#include <algorithm>

#include "os/threads/pause.hpp"
#include "tools/probe/measuring/node_memory_speed.hpp"

namespace charm::probe {
namespace {

constexpr std::size_t piece_bytes = std::size_t{64} << 10U;  // some microseconds

std::vector<int> all_of(std::vector<int> cpus, const std::vector<int>& more) {
  cpus.insert(cpus.end(), more.begin(), more.end());
  return cpus;
}

}  // namespace

LoadedRead::LoadedRead(const std::vector<int>& load, const std::vector<int>& readers, const std::vector<int>& nodes,
                       std::size_t bytes_each)
    : members_(load.size() + readers.size()),
      loads_(load.size()),
      part_bytes_(std::max(piece_bytes, bytes_each / nodes.size() / piece_bytes * piece_bytes)),
      threads_(all_of(load, readers), [this](int rank) { work(static_cast<std::size_t>(rank)); }) {
  for (Member& member : members_) {
    for (const int node : nodes) member.memory.push_back(memory_on(part_bytes_, node));
  }
  threads_.round();
  touch_ = false;
}

double LoadedRead::load_alone(double part, double seconds) {
  part_ = part;
  read_beside_ = false;
  return part > 0 ? gb_per_s_of(0, loads_, seconds) : 0;
}

double LoadedRead::beside_load(double part, double seconds) {
  part_ = part;
  read_beside_ = true;
  return gb_per_s_of(loads_, members_.size(), seconds);
}

double LoadedRead::gb_per_s_of(std::size_t first, std::size_t end, double seconds) {
  for (Member& member : members_) member.bytes = 0;
  end_ns_ = now_ns() + seconds * 1e9;
  const double ns = threads_.round();
  std::uint64_t bytes = 0;
  for (std::size_t rank = first; rank < end; ++rank) bytes += members_[rank].bytes;
  return static_cast<double>(bytes) / ns;
}

void LoadedRead::work(std::size_t rank) {
  Member& member = members_[rank];
  if (touch_) {
    for (os::NodeMemory& memory : member.memory)
      std::fill_n(static_cast<std::uint64_t*>(memory.data()), part_bytes_ / sizeof(std::uint64_t), std::uint64_t{1});
  } else if (rank < loads_) {
    if (part_ > 0) read_until(member, part_);
  } else if (read_beside_) {
    read_until(member, 1);
  }
}

void LoadedRead::read_until(Member& member, double part) const {
  std::uint64_t sum = 0;
  std::uint64_t bytes = 0;
  std::size_t offset = 0;
  std::size_t which = 0;
  for (double now = now_ns(); now < end_ns_;) {
    const auto* data = static_cast<const std::byte*>(member.memory[which].data()) + offset;
    sum += sum_of_words(reinterpret_cast<const std::uint64_t*>(data), piece_bytes / sizeof(std::uint64_t));
    bytes += piece_bytes;
    // The nodes take turns, so that all are read at the same time whatever the others of this cpu do.
    if (++which == member.memory.size()) which = 0, offset = (offset + piece_bytes) % part_bytes_;
    const double read = now_ns();
    const double rest_until = std::min(end_ns_, read + (read - now) * (1 / part - 1));
    while ((now = now_ns()) < rest_until) os::pause();
  }
  member.bytes = bytes;
  result_.fetch_add(sum, std::memory_order_relaxed);
}

}  // namespace charm::probe
