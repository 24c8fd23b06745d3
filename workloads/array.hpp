// Array<T>: a large array whose pages are touched first by whoever writes them, so that a parallel fill also spreads
// the pages. Large arrays ask for huge pages: random access is bound by address translation long before bandwidth
// (RandomAccess on 1 GiB gains two thirds).
// Invariant: elements are uninitialised until written; size() never grows.
#pragma once

#include <charm/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <sys/mman.h>

namespace charm::workloads {

template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(std::int64_t size) : size_(size) {
    if (size == 0) return;
    std::size_t bytes = round_up(static_cast<std::size_t>(size) * sizeof(T), page);
    // A huge page must start on its own boundary: map one more and give back both ends.
    std::size_t extra = bytes >= huge_page ? huge_page : 0;
    void* mapped =
        mmap(nullptr, bytes + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
      throw Error(Errc::system, "the system refuses an array of " + std::to_string(bytes >> 20) + " MiB",
                  "use a smaller graph or table, or raise the memory limit");
    }
    auto address = reinterpret_cast<std::uintptr_t>(mapped);
    std::size_t head = extra == 0 ? 0 : round_up(address, huge_page) - address;
    if (head > 0) munmap(mapped, head);
    data_ = reinterpret_cast<T*>(address + head);
    if (extra > head) munmap(reinterpret_cast<std::byte*>(data_) + bytes, extra - head);
    bytes_ = bytes;
    if (extra != 0) madvise(data_, bytes, MADV_HUGEPAGE);  // only advice: without it the array works, slower
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    Array(std::move(other)).swap(*this);
    return *this;
  }
  ~Array() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }

  /// Keeps the first `size` elements and returns the pages behind them to the system.
  void shrink(std::int64_t size) {
    std::size_t keep = round_up(static_cast<std::size_t>(size) * sizeof(T), page);
    if (data_ != nullptr && keep < bytes_) {
      munmap(reinterpret_cast<std::byte*>(data_) + keep, bytes_ - keep);
      bytes_ = keep;
      if (keep == 0) data_ = nullptr;
    }
    size_ = size;
  }

  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(bytes_, other.bytes_);
  }

 private:
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t huge_page = std::size_t{2} << 20;
  static constexpr std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

  T* data_ = nullptr;
  std::int64_t size_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace charm::workloads
