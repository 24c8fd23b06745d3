#include "topology/survey_wire.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace charm::topology {
namespace {

constexpr int most_cpu = 1 << 20;

/// Numbers with a blank behind each, texts and lists with their length before them.
class Writer {
 public:
  template <class Number>
  void operator()(Number value)
    requires std::is_arithmetic_v<Number>
  {
    std::array<char, 64> digits{};
    if constexpr (std::is_same_v<Number, bool>) {
      digits[0] = value ? '1' : '0';
      out_ += digits[0];
    } else {
      out_.append(digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr);
    }
    out_ += ' ';
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    out_ += text;
  }
  template <class Kind>
  void operator()(const IdSet<Kind>& ids) {
    (*this)(ids.values());
  }
  template <class Item>
  void operator()(const std::vector<Item>& items) {
    (*this)(items.size());
    for (const Item& item : items) (*this)(item);
  }
  void operator()(const SurveyCore& core) { fields(*this, core); }
  void operator()(const SurveyNode& node) { fields(*this, node); }
  void operator()(const SurveyKind& kind) { fields(*this, kind); }

  /// The one list of what a survey has, for writing and for reading.
  template <class Visitor, class A>
  static void fields(Visitor& visit, A& item) {
    using Item = std::remove_const_t<A>;
    if constexpr (std::is_same_v<Item, SurveyCore>) {
      visit(item.cpus), visit(item.l3), visit(item.node), visit(item.socket), visit(item.l1d_bytes);
      visit(item.l2_bytes), visit(item.l2), visit(item.cluster), visit(item.rank), visit(item.capacity),
          visit(item.max_mhz);
      visit(item.highest_perf);
    } else if constexpr (std::is_same_v<Item, SurveyNode>) {
      visit(item.os_index), visit(item.bytes), visit(item.socket), visit(item.kind);
      visit(item.gb_per_s), visit(item.latency_ns);
    } else if constexpr (std::is_same_v<Item, SurveyKind>) {
      visit(item.cpus), visit(item.efficiency), visit(item.name);
    } else {
      visit(item.name), visit(item.origin), visit(item.cores), visit(item.l3_bytes), visit(item.cores_per_l2);
      visit(item.nodes), visit(item.kinds), visit(item.sockets), visit(item.cores_known), visit(item.arm);
      visit(item.dense_cores);
      visit(item.all_cpus), visit(item.allowed_cpus), visit(item.allowed_nodes), visit(item.all_nodes);
      visit(item.node_distance), visit(item.notes);
    }
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : left_(text) {}

  template <class Number>
  void operator()(Number& value)
    requires std::is_arithmetic_v<Number>
  {
    const std::size_t blank = left_.find(' ');
    if (blank == std::string_view::npos) throw std::runtime_error("it is cut short");
    if constexpr (std::is_same_v<Number, bool>) {
      value = left_.substr(0, blank) == "1";
    } else {
      const auto [end, error] = std::from_chars(left_.data(), left_.data() + blank, value);
      if (error != std::errc() || end != left_.data() + blank) throw std::runtime_error("a number is none");
    }
    left_.remove_prefix(blank + 1);
  }
  void operator()(std::string& text) {
    const std::size_t length = count();
    text = left_.substr(0, length);
    left_.remove_prefix(length);
  }
  template <class Kind>
  void operator()(IdSet<Kind>& ids) {
    std::vector<int> numbers;
    (*this)(numbers);
    ids = IdSet<Kind>(std::move(numbers));
  }
  template <class Item>
  void operator()(std::vector<Item>& items) {
    items.resize(count());
    for (Item& item : items) (*this)(item);
  }
  void operator()(SurveyCore& core) { Writer::fields(*this, core); }
  void operator()(SurveyNode& node) { Writer::fields(*this, node); }
  void operator()(SurveyKind& kind) { Writer::fields(*this, kind); }

 private:
  /// Of things that take at least a byte each.
  std::size_t count() {
    std::size_t number = 0;
    (*this)(number);
    if (number > left_.size()) throw std::runtime_error("a length is more than there is");
    return number;
  }

  std::string_view left_;
};

bool index_fits(int index, std::size_t count) { return index >= -1 && index < static_cast<int>(count); }

}  // namespace

std::string survey_text(const Survey& survey) {
  Writer write;
  Writer::fields(write, survey);
  return write.take();
}

std::optional<Survey> survey_from_text(const std::string& text, std::string& problem) {
  try {
    Survey survey;
    Reader read(text);
    Writer::fields(read, survey);
    problem = contradiction_in(survey);
    return problem.empty() ? std::optional(std::move(survey)) : std::nullopt;
  } catch (const std::exception& error) {
    problem = error.what();
    return std::nullopt;
  }
}

std::string contradiction_in(const Survey& survey) {
  if (survey.cores.empty()) return "it has no cpu";
  std::vector<int> cpus;
  for (const SurveyCore& core : survey.cores) {
    if (core.cpus.empty()) return "a core has no cpu";
    cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
    if (!index_fits(core.l3, survey.l3_bytes.size()) || !index_fits(core.node, survey.nodes.size()) ||
        !index_fits(core.socket, static_cast<std::size_t>(std::max(0, survey.sockets))) || core.l2 < -1 ||
        core.cluster < -1)
      return "a core lies in something that is not there";
    if (core.rank < -1 || core.capacity < 0 || core.max_mhz < 0 || core.highest_perf < 0)
      return "a core is slower than nothing";
  }
  std::sort(cpus.begin(), cpus.end());
  if (cpus.back() > most_cpu) return "a cpu has the number " + std::to_string(cpus.back());
  if (const auto twice = std::adjacent_find(cpus.begin(), cpus.end()); twice != cpus.end())
    return "cpu " + std::to_string(*twice) + " belongs to two cores";
  if (!CpuSet(cpus).is_subset_of(survey.all_cpus)) return "a core has a cpu that the machine does not have";
  std::set<int> numbers;
  for (const SurveyNode& node : survey.nodes) {
    if (node.os_index < 0 || node.os_index > most_cpu || !numbers.insert(node.os_index).second)
      return "NUMA node " + std::to_string(node.os_index) + " is there twice, or has no number that a node can have";
    if (!index_fits(node.socket, static_cast<std::size_t>(std::max(0, survey.sockets))) &&
        !(node.socket == 0 && survey.sockets == 0))
      return "a NUMA node lies in a socket that is not there";
    if (!std::isfinite(node.gb_per_s) || node.gb_per_s < 0 || !std::isfinite(node.latency_ns) || node.latency_ns < 0)
      return "the bandwidth or latency of a NUMA node is no number from 0 up";
  }
  if (!survey.node_distance.empty() && survey.node_distance.size() != survey.nodes.size())
    return "its distances are of other nodes";
  for (const auto& row : survey.node_distance) {
    if (row.size() != survey.nodes.size()) return "its distances are not square";
    if (!std::all_of(row.begin(), row.end(), [](double d) { return std::isfinite(d) && d >= 0; }))
      return "a distance is no number from 0 up";
  }
  return survey.cores_per_l2 < 1 || survey.sockets < 0 || survey.all_nodes < 0 ? "a count is below zero" : "";
}

}  // namespace charm::topology
