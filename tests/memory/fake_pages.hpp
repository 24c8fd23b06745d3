// A machine with as many nodes as a test wants: the memory is real, where it lies is a book.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include <sys/mman.h>

#include "os/memory/page_system.hpp"

namespace charm::memory {

class FakePages final : public os::PageSystem {
 public:
  std::set<int> allowed_nodes = {0, 1, 2, 3, 4, 5, 6, 7};
  bool reserved = false;     // huge pages in the pool
  bool always_huge = false;  // the kernel gives huge pages to all programs
  int huge_error = 0;        // of the advice
  int place_error = 0;       // of every placement
  int nodes_of_error = 0;
  bool full = false;                   // no address space left
  std::map<std::uintptr_t, int> home;  // by page; the node it would come from
  std::set<std::uintptr_t> mapped;     // pages
  std::vector<std::pair<std::uintptr_t, std::size_t>> advised;
  std::vector<std::uintptr_t> placed;  // where each placement began

  ~FakePages() override {
    for (const std::uintptr_t page : std::set<std::uintptr_t>(mapped)) unmap(address(page), small);
  }
  [[nodiscard]] std::size_t page_bytes() const noexcept override { return small; }
  [[nodiscard]] std::size_t huge_page_bytes() const noexcept override { return huge; }
  [[nodiscard]] std::size_t touched_bytes() const noexcept override { return always_huge ? huge : small; }
  void* map(std::size_t bytes, bool reserved_huge) override {
    if (full || bytes % small != 0) return nullptr;
    if (reserved_huge && (!reserved || bytes % huge != 0)) return nullptr;
    // Reserved huge pages begin on their own boundary.
    const std::size_t more = reserved_huge ? huge : 0;
    void* data =
        mmap(nullptr, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) return nullptr;
    auto begin = reinterpret_cast<std::uintptr_t>(data);
    if (reserved_huge) begin = (begin + huge - 1) / huge * huge;
    for (std::size_t at = 0; at < bytes; at += small) mapped.insert((begin + at) / small);
    return reinterpret_cast<void*>(begin);
  }
  void unmap(void* data, std::size_t bytes) noexcept override {
    for (std::size_t at = 0; at < bytes; at += small) {
      mapped.erase(page(data) + at / small);
      home.erase(page(data) + at / small);
    }
    munmap(data, bytes);
  }
  int advise_huge(void* data, std::size_t bytes) override {
    if (huge_error == 0) advised.emplace_back(reinterpret_cast<std::uintptr_t>(data), bytes);
    return huge_error;
  }
  int place(void* data, std::size_t bytes, os::MemoryPolicy policy, const OsNodeSet& nodes) override {
    if (place_error != 0) return place_error;
    if (reinterpret_cast<std::uintptr_t>(data) % small != 0) return EINVAL;
    for (const int node : nodes) {
      if (!allowed_nodes.contains(node)) return EINVAL;
    }
    if (policy == os::MemoryPolicy::preferred && nodes.size() != 1) return EINVAL;
    placed.push_back(reinterpret_cast<std::uintptr_t>(data));
    std::size_t turn = 0;
    for (std::size_t at = 0; at < bytes; at += small) {
      if (!mapped.contains(page(data) + at / small)) return EFAULT;
      home[page(data) + at / small] = nodes[turn++ % nodes.size()];
    }
    return 0;
  }
  int nodes_of(std::span<const void* const> pages, std::span<int> nodes) override {
    if (nodes_of_error != 0) return nodes_of_error;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const auto found = home.find(page(pages[i]));
      nodes[i] = found == home.end() ? -ENOENT : found->second;
    }
    return 0;
  }

  static constexpr std::size_t small = 4096;
  static constexpr std::size_t huge = std::size_t{2} << 20U;

 private:
  static std::uintptr_t page(const void* data) { return reinterpret_cast<std::uintptr_t>(data) / small; }
  static void* address(std::uintptr_t page) { return reinterpret_cast<void*>(page * small); }
};

}  // namespace charm::memory
