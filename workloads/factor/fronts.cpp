#include "workloads/factor/fronts.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "workloads/factor/suitesparse.hpp"

namespace charm::workloads::factor {
namespace {

std::size_t index(Position i) { return static_cast<std::size_t>(i); }

constexpr Position most_columns_of_a_front = std::numeric_limits<int>::max() / 4;

[[noreturn]] void too_large(const SparseMatrix& a) {
  throw Error(Errc::bad_input, fmt::format("{}: the fronts of the factorisation are too large", a.name),
              "take a smaller matrix");
}

/// A full matrix is one front, and asking CHOLMOD would take longer than the factorisation.
void one_front(const SparseMatrix& a, FrontTree& tree) {
  if (a.columns > most_columns_of_a_front || a.rows > most_columns_of_a_front) too_large(a);
  tree.order.resize(index(a.columns));
  std::iota(tree.order.begin(), tree.order.end(), Position{0});
  Front front;
  front.pivots = front.columns = static_cast<int>(a.columns);
  front.places = tree.order;
  tree.fronts.push_back(std::move(front));
}

void ask_cholmod(const SparseMatrix& a, FrontTree& tree) {
  Cholmod cholmod;
  cholmod->supernodal = CHOLMOD_SUPERNODAL;
  const bool symmetric = tree.method == Method::cholesky;
  if (!symmetric) {  // METIS would form A^T A, which one full row fills
    cholmod->nmethods = 1;
    cholmod->method[0].ordering = CHOLMOD_AMD;  // COLAMD, if the matrix is not symmetric
  }
  const SparseMatrix across = symmetric ? SparseMatrix{} : transposed(a);
  cholmod_sparse view = symmetric ? view_of(a, -1) : view_of(across, 0);
  cholmod_factor* factor = cholmod_l_analyze(&view, cholmod);
  const int status = cholmod->status;
  if (factor == nullptr || factor->is_super == 0) {
    cholmod_l_free_factor(&factor, cholmod);
    if (status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    too_large(a);
  }
  const auto* order = static_cast<const Position*>(factor->Perm);
  const auto* super = static_cast<const Position*>(factor->super);
  const auto* starts = static_cast<const Position*>(factor->pi);
  const auto* places = static_cast<const Position*>(factor->s);
  tree.order.assign(order, order + a.columns);
  bool fits = true;
  for (std::size_t s = 0; s < factor->nsuper; ++s) {
    Front front;
    front.first = super[s];
    const Position width = starts[s + 1] - starts[s];
    fits = fits && width <= most_columns_of_a_front;
    front.pivots = static_cast<int>(super[s + 1] - super[s]);
    front.columns = static_cast<int>(width);
    front.places.assign(places + starts[s], places + starts[s + 1]);
    tree.fronts.push_back(std::move(front));
  }
  cholmod_l_free_factor(&factor, cholmod);
  if (!fits) too_large(a);
}

/// Parents, children, and where a contribution's columns are in the parent.
void link(FrontTree& tree, const std::vector<int>& front_of) {
  for (std::size_t f = 0; f < tree.fronts.size(); ++f) {
    Front& front = tree.fronts[f];
    if (front.columns == front.pivots) continue;
    front.parent = front_of[index(front.places[static_cast<std::size_t>(front.pivots)])];
    Front& parent = tree.fronts[static_cast<std::size_t>(front.parent)];
    parent.children.push_back(static_cast<int>(f));
    auto at = parent.places.begin();
    for (auto place = front.places.begin() + front.pivots; place != front.places.end(); ++place) {
      at = std::lower_bound(at, parent.places.end(), *place);
      front.to_parent.push_back(static_cast<std::int32_t>(at - parent.places.begin()));
    }
  }
}

std::int32_t local(const Front& front, Position place) {
  if (place < front.first + front.pivots) return static_cast<std::int32_t>(place - front.first);
  const auto at = std::lower_bound(front.places.begin() + front.pivots, front.places.end(), place);
  return static_cast<std::int32_t>(at - front.places.begin());
}

void sort_entries(FrontTree& tree) {
  for (Front& front : tree.fronts)
    std::sort(front.entries.begin(), front.entries.end(), [](const Scatter& x, const Scatter& y) {
      return std::pair(x.column, x.row) < std::pair(y.column, y.row);
    });
}

void place_symmetric(const SparseMatrix& a, FrontTree& tree, const std::vector<int>& front_of,
                     const std::vector<Position>& place_of) {
  for (Position c = 0; c < a.columns; ++c) {
    const Position column = place_of[index(c)];
    Front& front = tree.fronts[static_cast<std::size_t>(front_of[index(column)])];
    for (Position p = a.starts[index(c)]; p < a.starts[index(c) + 1]; ++p) {
      const Position row = place_of[index(a.indices[index(p)])];
      if (row >= column) front.entries.push_back({local(front, row), local(front, column), p});
    }
  }
  for (Front& front : tree.fronts) front.rows = front.columns;
}

/// A row of a front before it has its place: the column of its first entry decides that.
struct RowToPlace {
  std::int32_t lead;
  int child;      // -1: a row of A
  Position from;  // the row of A, or of the child's contribution
};

/// Rows of LU and QR: those of A that begin in the front's columns and those of the children's contributions, ordered
/// by where they begin, so that the elimination of a column meets only the rows that have something in it.
void place_rows(const SparseMatrix& a, FrontTree& tree, const std::vector<int>& front_of,
                const std::vector<Position>& place_of) {
  const SparseMatrix across = transposed(a);
  std::vector<Position> source(a.indices.size());  // of an entry of `across`, its number in a
  {
    std::vector<Position> next(across.starts.begin(), across.starts.end() - 1);
    for (Position c = 0; c < a.columns; ++c)
      for (Position p = a.starts[index(c)]; p < a.starts[index(c) + 1]; ++p)
        source[index(next[index(a.indices[index(p)])]++)] = p;
  }
  std::vector<std::vector<Position>> rows_of(tree.fronts.size());
  for (Position r = 0; r < a.rows; ++r) {
    Position lead = a.columns;
    for (Position p = across.starts[index(r)]; p < across.starts[index(r) + 1]; ++p)
      lead = std::min(lead, place_of[index(across.indices[index(p)])]);
    if (lead < a.columns) rows_of[static_cast<std::size_t>(front_of[index(lead)])].push_back(r);
  }
  for (std::size_t f = 0; f < tree.fronts.size(); ++f) {
    Front& front = tree.fronts[f];
    std::vector<RowToPlace> rows;
    for (const Position r : rows_of[f]) {
      std::int32_t lead = front.columns;
      for (Position p = across.starts[index(r)]; p < across.starts[index(r) + 1]; ++p)
        lead = std::min(lead, local(front, place_of[index(across.indices[index(p)])]));
      rows.push_back({lead, -1, r});
    }
    for (const int c : front.children) {
      Front& child = tree.fronts[static_cast<std::size_t>(c)];
      const int kept = (tree.method == Method::qr ? std::min(child.rows, child.columns) : child.rows) - child.pivots;
      child.row_to_parent.resize(static_cast<std::size_t>(std::max(kept, 0)));
      for (int i = 0; i < kept; ++i) {
        const auto begins = static_cast<std::size_t>(tree.method == Method::qr ? i : 0);
        rows.push_back({child.to_parent[begins], c, i});
      }
    }
    std::sort(rows.begin(), rows.end(), [](const RowToPlace& x, const RowToPlace& y) {
      return std::tuple(x.lead, x.child, x.from) < std::tuple(y.lead, y.child, y.from);
    });
    if (rows.size() > static_cast<std::size_t>(most_columns_of_a_front)) too_large(a);
    front.rows = static_cast<int>(rows.size());
    front.active.assign(static_cast<std::size_t>(front.columns), 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const RowToPlace& row = rows[i];
      ++front.active[static_cast<std::size_t>(row.lead)];
      front.own_rows.push_back(row.child < 0 ? row.from : -1);
      if (row.child >= 0) {
        tree.fronts[static_cast<std::size_t>(row.child)].row_to_parent[index(row.from)] = static_cast<std::int32_t>(i);
        continue;
      }
      for (Position p = across.starts[index(row.from)]; p < across.starts[index(row.from) + 1]; ++p)
        front.entries.push_back(
            {static_cast<std::int32_t>(i), local(front, place_of[index(across.indices[index(p)])]), source[index(p)]});
    }
    std::partial_sum(front.active.begin(), front.active.end(), front.active.begin());
    for (int j = 0; j < front.pivots; ++j) {
      if (front.active[static_cast<std::size_t>(j)] > j) continue;
      throw Error(Errc::bad_input,
                  fmt::format("{} is singular by its structure: column {} depends on others whatever the values are",
                              a.name, tree.order[index(front.first + j)] + 1),
                  "give a matrix of full rank");
    }
  }
}

void count(FrontTree& tree) {
  std::uint64_t contributions = 0;
  std::uint64_t largest = 0;
  for (Front& front : tree.fronts) {
    const double n = front.columns;
    const double m = front.rows;
    for (int i = 0; i < front.pivots || (tree.method == Method::qr && i < std::min(front.rows, front.columns)); ++i) {
      const double across = n - i - 1;
      const double down =
          tree.method == Method::cholesky ? across : std::max(0.0, front.active[static_cast<std::size_t>(i)] - i - 1.0);
      if (tree.method == Method::cholesky)
        front.flops += down * (across + 1) + down + 1;  // one triangle
      else if (tree.method == Method::lu)
        front.flops += down + 2 * down * across;
      else
        front.flops += 3 * (down + 1) + 4 * (down + 1) * across;
    }
    tree.flops += front.flops;
    front.subtree_flops += front.flops;
    if (front.parent >= 0) tree.fronts[static_cast<std::size_t>(front.parent)].subtree_flops += front.subtree_flops;
    const double p = front.pivots;
    const double kept = tree.method == Method::lu ? p * (m + n - p) : tree.method == Method::qr ? p * n : p * m;
    const double left = (tree.method == Method::cholesky ? n - p : m) * (n - p);
    tree.factor_entries += static_cast<std::int64_t>(kept);
    // A contribution lives until the parent has taken it, so those of a level may all be there.
    contributions += static_cast<std::uint64_t>(left) * sizeof(double);
    largest = std::max(largest, static_cast<std::uint64_t>(m * p) * sizeof(double));
  }
  tree.bytes = static_cast<std::uint64_t>(tree.factor_entries) * sizeof(double) + contributions + largest;
}

}  // namespace

FrontTree analyse(const SparseMatrix& a, Method method) {
  FrontTree tree;
  tree.method = method;
  if (a.full())
    one_front(a, tree);
  else
    ask_cholmod(a, tree);
  std::vector<Position> place_of(index(a.columns));
  for (Position k = 0; k < a.columns; ++k) place_of[index(tree.order[index(k)])] = k;
  std::vector<int> front_of(index(a.columns));
  for (std::size_t f = 0; f < tree.fronts.size(); ++f) {
    const Front& front = tree.fronts[f];
    std::fill_n(front_of.begin() + front.first, front.pivots, static_cast<int>(f));
  }
  link(tree, front_of);
  if (method == Method::cholesky)
    place_symmetric(a, tree, front_of, place_of);
  else
    place_rows(a, tree, front_of, place_of);
  sort_entries(tree);
  count(tree);
  return tree;
}

}  // namespace charm::workloads::factor
