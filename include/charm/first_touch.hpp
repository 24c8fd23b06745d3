// First touch: the kernel places a page when it is first written, on the node of the thread that writes it. Data that a
// sequential loop fills therefore lies on one node; with these functions the workers touch it as they will use it.
#pragma once

#include <charm/all_do.hpp>
#include <charm/detail/call_body.hpp>
#include <charm/page_block.hpp>
#include <charm/placed_array.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

namespace charm {
namespace detail {
/// Writes one byte of every page of the range with the value that it has. Nobody else may write there meanwhile.
void touch_pages(void* data, std::size_t bytes) noexcept;
}  // namespace detail

/// Each worker touches the pages of its part of `range` (`part_of`), so that pages that have not been placed yet lie
/// near the worker to whose part most of the page belongs. The contents do not change; no thread may write to the range
/// meanwhile. \throws Error (not_running).
template <class T>
void first_touch(std::span<T> range) {
  const auto parts = static_cast<std::size_t>(num_workers());
  all_do([range, parts](int worker) {
    const PartRange mine = part_of(range.size(), static_cast<std::size_t>(worker), parts);
    const auto own = range.subspan(mine.first, mine.size());
    detail::touch_pages(own.data(), own.size_bytes());
  });
}

/// Each worker calls `function(first, last)` for its part of [0, size), as `part_of` splits it, to fill its data.
/// \throws Error (not_running), and the first exception of a call.
template <class F>
void first_touch(std::size_t size, F&& function)
  requires std::is_invocable_v<F&, std::size_t, std::size_t>
{
  const auto parts = static_cast<std::size_t>(num_workers());
  all_do([size, parts, &function](int worker) {
    const PartRange mine = part_of(size, static_cast<std::size_t>(worker), parts);
    detail::call_body(function, mine.first, mine.last);
  });
}

}  // namespace charm
