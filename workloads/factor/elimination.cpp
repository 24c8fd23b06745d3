#include "workloads/factor/elimination.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace charm::workloads::factor {
namespace {

constexpr std::array step_names = {"subtrees", "front",  "open",  "assemble", "potrf",
                                   "trsm",     "update", "panel", "finish"};

std::unique_ptr<double[]> doubles(std::int64_t rows, std::int64_t columns) {
  return std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(rows * columns));
}

}  // namespace

void Computation::run(Task task) noexcept {
  if (failed_.load(std::memory_order_relaxed)) return;
  try {
    work(task);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failed_.exchange(true)) failure_ = std::current_exception();
  }
}

void Computation::end() {
  if (failure_) std::rethrow_exception(failure_);
}

Elimination::Elimination(const SparseMatrix& a, FrontTree tree, const TileOptions& options)
    : a_(a), tree_(std::move(tree)), options_(options), storage_(tree_.fronts.size()) {}

std::vector<std::string> Elimination::kinds() const {
  const char* method = tree_.method == Method::cholesky ? "cholesky" : tree_.method == Method::lu ? "lu" : "qr";
  std::vector<std::string> names;
  names.reserve(step_names.size());
  for (const char* name : step_names) names.push_back(fmt::format("{}.{}", method, name));
  return names;
}

std::string Elimination::describe() const {
  return fmt::format("{} fronts, {} tasks, {:.3g} M entries in the factor, {:.3g} Gflop", tree_.fronts.size(),
                     dag_.size(), static_cast<double>(tree_.factor_entries) / 1e6, tree_.flops / 1e9);
}

void Elimination::begin() {
  Computation::begin();
  for (Storage& storage : storage_) storage.pivots.reset(), storage.rest.reset();
}

std::vector<int> Elimination::tiles(const Front& front) const {
  std::vector<int> starts;
  for (int c = 0; c < front.pivots; c += options_.tile) starts.push_back(c);
  for (int c = front.pivots; c < front.columns; c += options_.tile) starts.push_back(c);
  starts.push_back(front.columns);
  return starts;
}

int Elimination::pivot_tiles(const Front& front) const { return (front.pivots + options_.tile - 1) / options_.tile; }

Task Elimination::add(const Step& step) {
  steps_.push_back(step);
  return dag_.add(static_cast<int>(step.kind));
}

/// Puts small subtrees with one parent into common bundles. \returns each front's bundle, -1 for those in none.
std::vector<int> Elimination::bundle() {
  const auto& fronts = tree_.fronts;
  const auto small = [&](std::size_t f) { return fronts[f].subtree_flops < options_.grain; };
  // Of a small subtree's root: the bundle that its parent fills at present. The roots of the forest have one, too.
  std::vector<int> of(fronts.size(), -1);
  std::vector<int> filling(fronts.size() + 1, -1);
  std::vector<double> filled;
  for (std::size_t f = fronts.size(); f-- > 0;) {
    if (!small(f)) continue;
    const int parent = fronts[f].parent;
    if (parent >= 0 && small(static_cast<std::size_t>(parent))) {
      of[f] = of[static_cast<std::size_t>(parent)];
      continue;
    }
    int& open = filling[parent < 0 ? 0 : static_cast<std::size_t>(parent) + 1];
    if (open < 0 || filled[static_cast<std::size_t>(open)] + fronts[f].subtree_flops > options_.grain) {
      open = static_cast<int>(filled.size());
      filled.push_back(0);
    }
    filled[static_cast<std::size_t>(open)] += fronts[f].subtree_flops;
    of[f] = open;
  }
  bundles_.resize(filled.size());
  for (std::size_t f = 0; f < fronts.size(); ++f)
    if (of[f] >= 0) bundles_[static_cast<std::size_t>(of[f])].push_back(static_cast<int>(f));
  return of;
}

void Elimination::build() {
  const std::vector<int> bundle_of = bundle();
  std::vector<Task> end(tree_.fronts.size());
  for (std::size_t b = 0; b < bundles_.size(); ++b) {
    const Task task = add({StepKind::subtrees, static_cast<std::int32_t>(b)});
    for (const int f : bundles_[b]) end[static_cast<std::size_t>(f)] = task;
  }
  for (std::size_t f = 0; f < tree_.fronts.size(); ++f) {
    if (bundle_of[f] >= 0) continue;
    const Front& front = tree_.fronts[f];
    const auto number = static_cast<std::int32_t>(f);
    const auto columns = static_cast<int>(tiles(front).size()) - 1;
    const bool large = columns > 2;
    const Task begin = add({large ? StepKind::open : StepKind::front, number});
    std::vector<Task> children;
    for (const int child : front.children) children.push_back(end[static_cast<std::size_t>(child)]);
    std::sort(children.begin(), children.end());
    children.erase(std::unique(children.begin(), children.end()), children.end());
    for (const Task child : children) dag_.edge(child, begin);
    end[f] = begin;
    if (!large) continue;
    std::vector<Task> assembled;
    for (int j = 0; j < columns; ++j) {
      assembled.push_back(add({StepKind::assemble, number, 0, j}));
      dag_.edge(begin, assembled.back());
    }
    const std::vector<Task> last = add_steps(number, assembled);
    end[f] = add({StepKind::finish, number});
    for (const Task task : last) dag_.edge(task, end[f]);
  }
  dag_.finish();
}

void Elimination::work(Task task) {
  const Step& todo = steps_[static_cast<std::size_t>(task)];
  const int f = todo.front;
  switch (todo.kind) {
    case StepKind::subtrees:
      for (const int front : bundles_[static_cast<std::size_t>(f)]) whole(front);
      break;
    case StepKind::front:
      whole(f);
      break;
    case StepKind::open:
      open(f);
      break;
    case StepKind::assemble: {
      const std::vector<int> starts = tiles(tree_.fronts[static_cast<std::size_t>(f)]);
      assemble(f, starts[static_cast<std::size_t>(todo.j)], starts[static_cast<std::size_t>(todo.j) + 1]);
      if (storage_[static_cast<std::size_t>(f)].unassembled.fetch_sub(1, std::memory_order_acq_rel) == 1)
        release_children(f);
      break;
    }
    case StepKind::finish:
      finished(f);
      break;
    default:
      step(todo);
  }
}

double Elimination::contribution_bytes(int number) const {
  const Front& front = tree_.fronts[static_cast<std::size_t>(number)];
  const double columns = front.columns - front.pivots;
  if (tree_.method == Method::cholesky) return sizeof(double) * columns * columns / 2;
  const double whole = sizeof(double) * columns * static_cast<double>(front.row_to_parent.size());
  return tree_.method == Method::qr ? whole / 2 : whole;  // QR's is a trapezoid
}

double Elimination::bytes_left(Task task) const {
  const Step& step = steps_[static_cast<std::size_t>(task)];
  if (step.kind == StepKind::open) return 0;
  if (step.kind == StepKind::front || step.kind == StepKind::finish) return contribution_bytes(step.front);
  if (step.kind == StepKind::subtrees) {
    // Those whose parents are not in the bundle are still there when it has ended.
    const std::vector<int>& bundle = bundles_[static_cast<std::size_t>(step.front)];
    double sum = 0;
    for (const int f : bundle) {
      const int parent = tree_.fronts[static_cast<std::size_t>(f)].parent;
      if (!std::binary_search(bundle.begin(), bundle.end(), parent)) sum += contribution_bytes(f);
    }
    return sum;
  }
  const Front& front = tree_.fronts[static_cast<std::size_t>(step.front)];
  const std::vector<int> starts = tiles(front);
  const auto width = [&](int tile) {
    return static_cast<double>(starts[static_cast<std::size_t>(tile) + 1] - starts[static_cast<std::size_t>(tile)]);
  };
  const bool of_panel = step.kind == StepKind::potrf || step.kind == StepKind::trsm || step.kind == StepKind::panel;
  const int tile = of_panel ? step.k : step.j;
  double rows = front.rows;
  if (tree_.method != Method::cholesky)
    rows = front.active[static_cast<std::size_t>(starts[static_cast<std::size_t>(tile) + 1]) - 1];
  else if (step.kind != StepKind::assemble)
    rows = width(step.kind == StepKind::potrf ? step.k : step.i);
  return sizeof(double) * width(tile) * rows;
}

void Elimination::whole(int front) {
  open(front);
  assemble(front, 0, tree_.fronts[static_cast<std::size_t>(front)].columns);
  release_children(front);
  factor_whole(front);
  finished(front);
}

void Elimination::open(int number) {
  const Front& front = tree_.fronts[static_cast<std::size_t>(number)];
  Storage& storage = storage_[static_cast<std::size_t>(number)];
  const int rest = front.columns - front.pivots;
  storage.pivots = doubles(front.rows, front.pivots);
  storage.rest = doubles(tree_.method == Method::cholesky ? rest : front.rows, rest);
  storage.unassembled.store(static_cast<int>(tiles(front).size()) - 1, std::memory_order_relaxed);
  opened(number);
}

int Elimination::leading(int number, int column) const {
  const Front& front = tree_.fronts[static_cast<std::size_t>(number)];
  return std::max(
      1, column >= front.pivots && tree_.method == Method::cholesky ? front.columns - front.pivots : front.rows);
}

double* Elimination::at(int number, int row, int column) const {
  const Front& front = tree_.fronts[static_cast<std::size_t>(number)];
  const Storage& storage = storage_[static_cast<std::size_t>(number)];
  const auto distance = static_cast<std::ptrdiff_t>(leading(number, column));
  if (column < front.pivots) return storage.pivots.get() + column * distance + row;
  if (tree_.method == Method::cholesky) row -= front.pivots;
  return storage.rest.get() + (column - front.pivots) * distance + row;
}

void Elimination::assemble(int number, int first_column, int end_column) {
  const Front& front = tree_.fronts[static_cast<std::size_t>(number)];
  for (int c = first_column; c < end_column; ++c) {
    const int first_row = tree_.method == Method::cholesky ? c : 0;
    double* const column = at(number, first_row, c);
    std::fill(column, column + (front.rows - first_row), 0.0);
  }
  auto entry = std::lower_bound(front.entries.begin(), front.entries.end(), first_column,
                                [](const Scatter& s, int column) { return s.column < column; });
  for (; entry != front.entries.end() && entry->column < end_column; ++entry)
    *at(number, entry->row, entry->column) += a_.values[static_cast<std::size_t>(entry->source)];
  for (const int child : front.children) add_contribution(number, child, first_column, end_column);
}

void Elimination::add_contribution(int number, int child_number, int first_column, int end_column) {
  const Front& child = tree_.fronts[static_cast<std::size_t>(child_number)];
  const auto& columns = child.to_parent;
  const bool symmetric = tree_.method == Method::cholesky;
  const std::vector<std::int32_t>& rows = symmetric ? columns : child.row_to_parent;
  const auto kept = static_cast<int>(rows.size());
  auto j = static_cast<int>(std::lower_bound(columns.begin(), columns.end(), first_column) - columns.begin());
  for (; j < static_cast<int>(columns.size()) && columns[static_cast<std::size_t>(j)] < end_column; ++j) {
    const double* const from = at(child_number, child.pivots, child.pivots + j);
    double* const to = at(number, 0, columns[static_cast<std::size_t>(j)]);
    const int first = symmetric ? j : 0;
    const int end = tree_.method == Method::qr ? std::min(j + 1, kept) : kept;  // QR's contribution is a trapezoid
    for (int i = first; i < end; ++i) to[rows[static_cast<std::size_t>(i)]] += from[i];
  }
}

void Elimination::release_children(int number) {
  for (const int child : tree_.fronts[static_cast<std::size_t>(number)].children)
    storage_[static_cast<std::size_t>(child)].rest.reset();
}

std::unique_ptr<Elimination> make_elimination(const SparseMatrix& a, FrontTree tree, const TileOptions& options) {
  switch (tree.method) {
    case Method::cholesky:
      return make_cholesky(a, std::move(tree), options);
    case Method::lu:
      return make_lu(a, std::move(tree), options);
    case Method::qr:
      break;
  }
  return make_qr(a, std::move(tree), options);
}

std::vector<double> right_side(const SparseMatrix& a) {
  std::vector<double> x(static_cast<std::size_t>(a.columns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? 1 : .5;
  return multiply(a, x);
}

double backward_error(const SparseMatrix& a, const std::vector<double>& x, const std::vector<double>& b) {
  const std::vector<double> found = multiply(a, x);
  double residual = 0;
  double longest_x = 0;
  double longest_b = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    // The comparison is so that a NaN stays.
    if (!(std::fabs(b[i] - found[i]) <= residual)) residual = std::fabs(b[i] - found[i]);
    longest_b = std::max(longest_b, std::fabs(b[i]));
  }
  for (const double value : x) longest_x = std::max(longest_x, std::fabs(value));
  const double scale = norm_infinity(a) * longest_x + longest_b;
  return scale > 0 ? residual / scale : residual;
}

}  // namespace charm::workloads::factor
