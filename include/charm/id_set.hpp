// Sets of numbers that name parts of the machine: hardware threads, cores, chiplets, NUMA nodes. All are sets of int,
// and each kind is a type of its own, so that the numbers of nodes cannot be passed where cpus are meant.
#pragma once

#include <charm/detail/requirements.hpp>

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace charm {

namespace detail {
// What is the same for all kinds. All vectors but the one that make_ids() takes are ascending and without repetition.
std::vector<int> make_ids(std::vector<int> numbers, std::string_view plural);
std::pair<std::size_t, bool> insert_id(std::vector<int>& ids, int id, std::string_view plural);
bool erase_id(std::vector<int>& ids, int id);
bool contains_id(const std::vector<int>& ids, int id) noexcept;
bool includes_ids(const std::vector<int>& all, const std::vector<int>& some) noexcept;
bool intersect_ids(const std::vector<int>& a, const std::vector<int>& b) noexcept;
void add_ids(std::vector<int>& ids, const std::vector<int>& more);
void keep_ids(std::vector<int>& ids, const std::vector<int>& kept);
void remove_ids(std::vector<int>& ids, const std::vector<int>& removed);
std::string id_list(const std::vector<int>& ids);
std::optional<std::vector<int>> ids_of_list(std::string_view text, std::string& problem);
[[noreturn]] void refuse_id_list(std::string_view whose, std::string_view text, std::string_view plural,
                                 const std::string& problem);

struct CpuKind {
  static constexpr std::string_view plural = "cpus";
};
struct CoreKind {
  static constexpr std::string_view plural = "cores";
};
struct ChipletKind {
  static constexpr std::string_view plural = "chiplets";
};
struct NodeKind {
  static constexpr std::string_view plural = "NUMA nodes";
};
}  // namespace detail

/// A set of numbers of one kind, ascending in a vector: cheap to read and to compare, meant to be built rarely.
/// Functions that add a negative number throw Error (bad_input).
/// \tparam Kind has the member `plural`, the word that errors use.
template <class Kind>
class IdSet {
 public:
  using value_type = int;                                   ///< as containers have it
  using size_type = std::size_t;                            ///< as containers have it
  using difference_type = std::ptrdiff_t;                   ///< as containers have it
  using const_reference = const int&;                       ///< as containers have it
  using reference = const_reference;                        ///< numbers are not changed in place
  using const_iterator = std::vector<int>::const_iterator;  ///< ascending
  using iterator = const_iterator;                          ///< numbers are not changed in place

  IdSet() = default;
  /// In any order; repetitions are dropped.
  IdSet(std::initializer_list<int> ids) : ids_(detail::make_ids(ids, Kind::plural)) {}
  /// In any order; repetitions are dropped.
  explicit IdSet(std::vector<int> ids) : ids_(detail::make_ids(std::move(ids), Kind::plural)) {}
  /// In any order; repetitions are dropped.
  template <std::input_iterator Iterator>
  IdSet(Iterator first, Iterator last) : ids_(detail::make_ids(std::vector<int>(first, last), Kind::plural)) {}

  [[nodiscard]] const_iterator begin() const noexcept { return ids_.begin(); }    ///< at the lowest number
  [[nodiscard]] const_iterator end() const noexcept { return ids_.end(); }        ///< behind the highest number
  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }         ///< number of numbers
  [[nodiscard]] bool empty() const noexcept { return ids_.empty(); }              ///< whether the set is empty
  [[nodiscard]] int operator[](std::size_t i) const noexcept { return ids_[i]; }  ///< the i-th lowest, from 0
  [[nodiscard]] int front() const noexcept { return ids_.front(); }               ///< the lowest
  [[nodiscard]] int back() const noexcept { return ids_.back(); }                 ///< the highest
  /// Whether the set contains `id`.
  [[nodiscard]] bool contains(int id) const noexcept { return detail::contains_id(ids_, id); }
  /// The numbers, ascending.
  [[nodiscard]] const std::vector<int>& values() const noexcept { return ids_; }

  /// Adds a number. \returns its position, and whether it is new. Cheap if it is the highest.
  std::pair<iterator, bool> insert(int id) {
    const auto [at, is_new] = detail::insert_id(ids_, id, Kind::plural);
    return {ids_.begin() + static_cast<std::ptrdiff_t>(at), is_new};
  }
  /// For std::inserter; the hint is not used.
  iterator insert(const_iterator /*hint*/, int id) { return insert(id).first; }
  /// Removes a number. \returns how many were removed: 0 or 1.
  std::size_t erase(int id) { return detail::erase_id(ids_, id) ? 1 : 0; }
  void clear() noexcept { ids_.clear(); }                   ///< removes all
  void reserve(std::size_t count) { ids_.reserve(count); }  ///< reserves memory for that many numbers

  /// Whether `other` contains all numbers of this set.
  [[nodiscard]] bool is_subset_of(const IdSet& other) const noexcept { return detail::includes_ids(other.ids_, ids_); }
  /// Whether the two have a number in common.
  [[nodiscard]] bool intersects(const IdSet& other) const noexcept { return detail::intersect_ids(ids_, other.ids_); }

  /// Union.
  IdSet& operator|=(const IdSet& other) {
    detail::add_ids(ids_, other.ids_);
    return *this;
  }
  /// Intersection.
  IdSet& operator&=(const IdSet& other) {
    detail::keep_ids(ids_, other.ids_);
    return *this;
  }
  /// Difference.
  IdSet& operator-=(const IdSet& other) {
    detail::remove_ids(ids_, other.ids_);
    return *this;
  }
  [[nodiscard]] friend IdSet operator|(IdSet a, const IdSet& b) { return std::move(a |= b); }  ///< union
  [[nodiscard]] friend IdSet operator&(IdSet a, const IdSet& b) { return std::move(a &= b); }  ///< intersection
  [[nodiscard]] friend IdSet operator-(IdSet a, const IdSet& b) { return std::move(a -= b); }  ///< difference

  /// Lexicographic.
  friend auto operator<=>(const IdSet&, const IdSet&) = default;

  /// The set in the kernel's list notation, as in cpuset files: "0-3,8"; empty for the empty set.
  [[nodiscard]] std::string to_text() const { return detail::id_list(ids_); }
  /// Reads that notation, in any order; blanks and a line feed at the end are skipped, empty text is the empty set.
  /// \param whose the beginning of an error, for instance the name of an option. \throws Error (bad_input) that says
  /// what is wrong with `text`.
  [[nodiscard]] static IdSet parse(std::string_view text, std::string_view whose = {}) {
    std::string problem;
    auto ids = detail::ids_of_list(text, problem);
    if (!ids) detail::refuse_id_list(whose, text, Kind::plural, problem);
    return IdSet(std::move(*ids));
  }
  /// The same for text that may be damaged. \returns nothing if it is no such list.
  [[nodiscard]] static std::optional<IdSet> try_parse(std::string_view text) {
    std::string problem;
    auto ids = detail::ids_of_list(text, problem);
    return ids ? std::optional<IdSet>(IdSet(std::move(*ids))) : std::nullopt;
  }

 private:
  std::vector<int> ids_;
};

using CpuSet = IdSet<detail::CpuKind>;          ///< hardware threads, by the operating system's numbers
using CoreSet = IdSet<detail::CoreKind>;        ///< cores, by index in Machine::cores
using ChipletSet = IdSet<detail::ChipletKind>;  ///< chiplets, by index in Machine::chiplets
using NodeSet = IdSet<detail::NodeKind>;        ///< NUMA nodes, by index in Machine::nodes, not by the system's numbers

}  // namespace charm
