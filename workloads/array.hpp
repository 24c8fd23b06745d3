// Array<T>: a large array whose pages are touched first by the worker that writes them, so that a parallel fill also
// spreads the pages. Large arrays ask for huge pages: random access is bound by address translation long before
// bandwidth (RandomAccess on 1 GiB gains two thirds). The pages are charm::PageBlock's; array_placement.hpp makes
// arrays whose pages are on chosen nodes. Invariant: elements are uninitialised until written; size() never grows.
#pragma once

#include <charm/page_block.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace charm::workloads {

template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  /// \throws Error (system) where there is not that much address space.
  explicit Array(std::int64_t size)
      : block_(static_cast<std::size_t>(size) * sizeof(T), MemoryOptions{.huge = HugePages::advised}),
        data_(static_cast<T*>(block_.data())),
        size_(size) {}
  /// An array in given pages of at least that size.
  Array(std::int64_t size, PageBlock block)
      : block_(std::move(block)), data_(static_cast<T*>(block_.data())), size_(size) {}
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    Array(std::move(other)).swap(*this);
    return *this;
  }
  ~Array() = default;

  /// Keeps the first `size` elements and returns the pages behind them to the system.
  void shrink(std::int64_t size) {
    block_.shrink(static_cast<std::size_t>(size) * sizeof(T));
    data_ = static_cast<T*>(block_.data());
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
    block_.swap(other.block_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  PageBlock block_;
  T* data_ = nullptr;  // the first byte of the block
  std::int64_t size_ = 0;
};

}  // namespace charm::workloads
