// Parallel loops over two dimensions, cut into tiles.
#pragma once

#include <charm/detail/call_body.hpp>
#include <charm/error.hpp>
#include <charm/parallel_for.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>

namespace charm {

/// Rows [first_row, last_row) and columns [first_column, last_column). A tile of such a range is a range2d, too.
struct range2d {
  std::int64_t first_row = 0;     ///< the first row
  std::int64_t last_row = 0;      ///< the row behind the last one
  std::int64_t first_column = 0;  ///< the first column
  std::int64_t last_column = 0;   ///< the column behind the last one

  /// Number of rows; must not be above 2^63 - 1.
  [[nodiscard]] std::int64_t rows() const noexcept { return last_row - first_row; }
  /// Number of columns.
  [[nodiscard]] std::int64_t columns() const noexcept { return last_column - first_column; }
  /// Whether it contains no index.
  [[nodiscard]] bool empty() const noexcept { return first_row >= last_row || first_column >= last_column; }
};

/// How a two-dimensional loop is cut.
struct TileOptions {
  std::int64_t rows = 0;               ///< rows of a tile; 0: 64, or fewer if workers would get no tile
  std::int64_t columns = 0;            ///< columns of a tile; 0: the same
  Schedule schedule = Schedule::lazy;  ///< who runs which tiles; they are numbered row by row of tiles
};

namespace detail {

struct Tiles {
  range2d range;
  std::int64_t rows, columns;  // size of a tile
  [[nodiscard]] std::int64_t down() const noexcept { return (range.rows() - 1) / rows + 1; }
  [[nodiscard]] std::int64_t across() const noexcept { return (range.columns() - 1) / columns + 1; }
  [[nodiscard]] range2d at(std::int64_t number) const noexcept {
    const std::int64_t row = range.first_row + number / across() * rows;
    const std::int64_t column = range.first_column + number % across() * columns;
    return {row, range.last_row - row < rows ? range.last_row : row + rows, column,
            range.last_column - column < columns ? range.last_column : column + columns};
  }
};

/// \throws Error (bad_input) where there would be more tiles than are counted.
inline Tiles tiles_of(const range2d& range, const TileOptions& options, int workers) {
  constexpr std::int64_t most = 64;
  Tiles tiles{range, options.rows > 0 ? options.rows : (std::min)(most, range.rows()),
              options.columns > 0 ? options.columns : (std::min)(most, range.columns())};
  std::int64_t count = 0;
  while (!__builtin_mul_overflow(tiles.down(), tiles.across(), &count) && count < std::int64_t{8} * workers) {
    const bool rows = options.rows <= 0 && tiles.rows > 4;
    const bool columns = options.columns <= 0 && tiles.columns > 4;
    if (!rows && !columns) break;
    std::int64_t& longer = rows && (!columns || tiles.rows >= tiles.columns) ? tiles.rows : tiles.columns;
    longer = (longer + 1) / 2;
  }
  if (__builtin_mul_overflow(tiles.down(), tiles.across(), &count))
    throw Error(Errc::bad_input, "a range2d has more tiles than 2^63", "choose larger tiles (TileOptions)");
  return tiles;
}

}  // namespace detail

/// Calls `body(row, column)`, or `body(tile)` with a range2d, so that every pair of indices is covered exactly once:
///
///     charm::parallel_for(charm::range2d{0, rows, 0, columns},
///                         [&](std::int64_t row, std::int64_t column) { b[column][row] = a[row][column]; });
///
/// One task runs a tile, row by row, and in each row column by column. Neighbouring tiles of a row tend to run on one
/// worker. Exceptions, cancellation and where it may be called from are as in one dimension.
/// \throws Error (bad_input) if there would be more than 2^63 tiles; (not_running).
template <class F>
  requires std::invocable<F&, std::int64_t, std::int64_t> || std::invocable<F&, const range2d&>
void parallel_for(const range2d& range, F&& body, TileOptions options = {}) {
  if (range.empty()) return;
  if (detail::this_worker() == nullptr) return run([&] { parallel_for(range, body, options); });
  const detail::Tiles tiles = detail::tiles_of(range, options, num_workers());
  parallel_for(std::int64_t{0}, tiles.down() * tiles.across(),
               [&](std::int64_t number) {
                 const range2d tile = tiles.at(number);
                 if constexpr (std::invocable<F&, const range2d&>) {
                   body(tile);
                 } else {
                   for (std::int64_t row = tile.first_row; row < tile.last_row; ++row) {
                     for (std::int64_t column = tile.first_column; column < tile.last_column; ++column)
                       detail::call_body(body, row, column);
                   }
                 }
               },
               {.schedule = options.schedule});
}

}  // namespace charm
