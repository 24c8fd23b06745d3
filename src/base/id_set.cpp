// The part of charm::IdSet that is the same for all kinds (include/charm/id_set.hpp).
#include <charm/error.hpp>
#include <charm/id_set.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>

namespace charm::detail {
namespace {

constexpr int highest_in_list = 1 << 20;  // a damaged file shall not make a list that fills memory

void check_not_negative(int id, std::string_view plural) {
  if (id >= 0) return;
  throw Error(Errc::bad_input, "there is no " + std::to_string(id) + " among the " + std::string(plural),
              "give numbers from 0 up");
}

/// Nothing where `text` is no number; then `problem` says why.
std::optional<int> number_of(std::string_view text, std::string& problem) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty()) {
    problem = "a number is missing";
  } else if (error == std::errc::result_out_of_range || value > highest_in_list) {
    problem = "'" + std::string(text) + "' is more than " + std::to_string(highest_in_list);
  } else if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    problem = "'" + std::string(text) + "' is no number";
  } else {
    return value;
  }
  return std::nullopt;
}

}  // namespace

std::vector<int> make_ids(std::vector<int> numbers, std::string_view plural) {
  if (!std::is_sorted(numbers.begin(), numbers.end())) std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (!numbers.empty()) check_not_negative(numbers.front(), plural);
  return numbers;
}

std::pair<std::size_t, bool> insert_id(std::vector<int>& ids, int id, std::string_view plural) {
  check_not_negative(id, plural);
  const auto at = ids.empty() || ids.back() < id ? ids.end() : std::lower_bound(ids.begin(), ids.end(), id);
  const auto index = static_cast<std::size_t>(at - ids.begin());
  if (at != ids.end() && *at == id) return {index, false};
  ids.insert(at, id);
  return {index, true};
}

bool erase_id(std::vector<int>& ids, int id) {
  const auto at = std::lower_bound(ids.begin(), ids.end(), id);
  if (at == ids.end() || *at != id) return false;
  ids.erase(at);
  return true;
}

bool contains_id(const std::vector<int>& ids, int id) noexcept {
  return std::binary_search(ids.begin(), ids.end(), id);
}

bool includes_ids(const std::vector<int>& all, const std::vector<int>& some) noexcept {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

bool intersect_ids(const std::vector<int>& a, const std::vector<int>& b) noexcept {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x == *y) return true;
    if (*x < *y) {
      ++x;
    } else {
      ++y;
    }
  }
  return false;
}

void add_ids(std::vector<int>& ids, const std::vector<int>& more) {
  if (more.empty() || &ids == &more) return;
  if (ids.empty() || ids.back() < more.front()) {
    ids.insert(ids.end(), more.begin(), more.end());
    return;
  }
  std::vector<int> all;
  all.reserve(ids.size() + more.size());
  std::set_union(ids.begin(), ids.end(), more.begin(), more.end(), std::back_inserter(all));
  ids = std::move(all);
}

void keep_ids(std::vector<int>& ids, const std::vector<int>& kept) {
  // A core's few cpus are held against all of a machine's: what lies before them is not looked at.
  auto next = ids.empty() ? kept.end() : std::lower_bound(kept.begin(), kept.end(), ids.front());
  std::erase_if(ids, [&](int id) {
    while (next != kept.end() && *next < id) ++next;
    return next == kept.end() || *next != id;
  });
}

void remove_ids(std::vector<int>& ids, const std::vector<int>& removed) {
  if (&ids == &removed) return ids.clear();
  auto next = ids.empty() ? removed.end() : std::lower_bound(removed.begin(), removed.end(), ids.front());
  std::erase_if(ids, [&](int id) {
    while (next != removed.end() && *next < id) ++next;
    return next != removed.end() && *next == id;
  });
}

std::string id_list(const std::vector<int>& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t last = i;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(ids[i]);
    if (last > i) text += '-' + std::to_string(ids[last]);
    i = last + 1;
  }
  return text;
}

std::optional<std::vector<int>> ids_of_list(std::string_view text, std::string& problem) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::vector<int> ids;
  bool more = !text.empty();
  while (more) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
    const std::size_t dash = part.find('-');
    const auto first = number_of(part.substr(0, dash), problem);
    if (!first) return std::nullopt;
    const std::size_t colon = dash == std::string_view::npos ? dash : part.find(':', dash);  // taskset's stride: 0-30:2
    const auto last =
        dash == std::string_view::npos
            ? first
            : number_of(part.substr(dash + 1, colon == std::string_view::npos ? colon : colon - dash - 1), problem);
    if (!last) return std::nullopt;
    const auto stride = colon == std::string_view::npos ? 1 : number_of(part.substr(colon + 1), problem);
    if (!stride) return std::nullopt;
    if (*stride == 0) {
      problem = "'" + std::string(part) + "' has a stride of 0";
      return std::nullopt;
    }
    if (*last < *first) {
      problem = "'" + std::string(part) + "' ends before it begins";
      return std::nullopt;
    }
    for (std::int64_t id = *first; id <= *last; id += *stride) ids.push_back(static_cast<int>(id));
  }
  return ids;
}

void refuse_id_list(std::string_view whose, std::string_view text, std::string_view plural,
                    const std::string& problem) {
  std::string what(whose);
  if (!what.empty()) what += ' ';
  throw Error(Errc::bad_input,
              what + "'" + std::string(text) + "' is no list of " + std::string(plural) + ": " + problem,
              "write it as 0-3,8");
}

}  // namespace charm::detail
