#include "tools/attach/locations.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "topology/core_kind_words.hpp"

namespace charm::attach {
namespace {

enum class Type { socket, node, chiplet, core, pu };

struct Name {
  std::string_view word;
  Type type;
};
constexpr std::array names = {Name{"socket", Type::socket}, Name{"package", Type::socket},  Name{"pack", Type::socket},
                              Name{"node", Type::node},     Name{"numanode", Type::node},   Name{"numa", Type::node},
                              Name{"l3", Type::chiplet},    Name{"chiplet", Type::chiplet}, Name{"core", Type::core},
                              Name{"pu", Type::pu}};

/// What the types are called in messages.
constexpr std::array plural = {"sockets", "nodes", "chiplets", "cores", "hardware threads"};

class Reader {
 public:
  Reader(const Machine& machine, const std::string& option) : machine_(machine), option_(option) {}

  [[nodiscard]] std::vector<int> read(const std::string& text) const {
    std::vector<int> cpus;
    for (std::size_t start = 0; start <= text.size();) {
      const auto comma = std::min(text.find(',', start), text.size());
      const std::string part = text.substr(start, comma - start);
      start = comma + 1;
      const std::vector<int> there = location(part, text);
      cpus.insert(cpus.end(), there.begin(), there.end());
    }
    return cpus;
  }

 private:
  [[noreturn]] void refuse(const std::string& why, const std::string& remedy) const {
    throw Error(Errc::bad_input, option_ + ": " + why, remedy);
  }
  [[noreturn]] void refuse_index(const std::string& index, const std::string& whole) const {
    refuse("'" + index + "' in '" + whole + "' is no index",
           "write 2, 2-3, 2-, 2:3 (three from 2 on), all, odd or even");
  }
  [[noreturn]] void refuse_form(const std::string& part) const {
    refuse("'" + part + "' is neither a cpu nor a part of the machine",
           "write 0-3,8 or node:0 or l3:2-3 or socket:1 or socket:1.core:0-3");
  }

  [[nodiscard]] std::vector<int> location(const std::string& part, const std::string& whole) const {
    if (part.empty()) refuse("'" + whole + "' has an empty part", "write 0-3,8 or node:0 or l3:2-3");
    if (part.find(':') == std::string::npos || (part.front() >= '0' && part.front() <= '9')) return plain_cpus(part);
    std::vector<CpuSet> parts = {machine_.allowed_cpus};
    for (std::size_t start = 0; start <= part.size();) {
      const auto dot = std::min(part.find('.', start), part.size());
      std::vector<CpuSet> inner;
      for (const CpuSet& within : parts) {
        for (CpuSet& one : step(part.substr(start, dot - start), within, part)) inner.push_back(std::move(one));
      }
      parts = std::move(inner);
      start = dot + 1;
    }
    std::vector<int> cpus;
    for (const CpuSet& one : parts) cpus.insert(cpus.end(), one.begin(), one.end());
    return cpus;
  }

  [[nodiscard]] std::vector<int> plain_cpus(const std::string& part) const {
    const auto colon = part.find(':');  // of a stride, as taskset has it: 0-30:2
    const auto dash = part.find('-');
    const auto first = number(part.substr(0, std::min(dash, colon)));
    const auto last = dash == std::string::npos ? first : number(part.substr(dash + 1, colon - dash - 1));
    const auto stride = colon == std::string::npos ? 1 : number(part.substr(colon + 1)).value_or(0);
    if (!first || !last || *first > *last || stride < 1 || (dash > colon)) refuse_form(part);
    std::vector<int> cpus;
    for (int cpu = *first; cpu <= *last; cpu += stride) {
      if (!machine_.allowed_cpus.contains(cpu)) {
        refuse("cpu " + std::to_string(cpu) + " may not be used here",
               "choose among " + machine_.allowed_cpus.to_text());
      }
      cpus.push_back(cpu);
    }
    return cpus;
  }

  [[nodiscard]] std::vector<CpuSet> step(const std::string& text, const CpuSet& within,
                                         const std::string& whole) const {
    const auto colon = text.find(':');
    if (colon == std::string::npos) refuse_form(whole);
    const std::string word = text.substr(0, colon);
    if (word == "kind") return {of_kind(text.substr(colon + 1), within, whole)};
    const auto name = std::find_if(names.begin(), names.end(), [&](const Name& each) {
      return std::equal(word.begin(), word.end(), each.word.begin(), each.word.end(),
                        [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
    });
    if (name == names.end()) {
      refuse("there are no parts of the machine called '" + word + "'",
             "write socket, node, l3 (or chiplet), core, pu or kind, as in l3:2-3 or kind:performance");
    }
    const auto parts = parts_of(name->type, within);
    const auto [first, count, stride] =
        range(text.substr(colon + 1), static_cast<int>(parts.size()), name->type, whole);
    std::vector<CpuSet> chosen;
    for (int i = 0, part = first; i < count; ++i, part += stride)
      chosen.push_back(parts[static_cast<std::size_t>(part)]);
    return chosen;
  }

  [[nodiscard]] CpuSet of_kind(const std::string& word, const CpuSet& within, const std::string& whole) const {
    const auto kind = base::choice_named<CoreKind>(word);
    if (!kind) {
      refuse("'" + word + "' in '" + whole + "' is no kind of cores",
             "write " + base::any_of_words(base::words_of<CoreKind>()));
    }
    CpuSet cpus;
    std::set<CoreKind> there;
    for (const Core& core : machine_.cores) {
      there.insert(core.kind);
      if (core.kind == *kind) cpus |= core.siblings & within;
    }
    if (!cpus.empty()) return cpus;
    std::vector<std::string> words;
    for (const CoreKind each : there) words.emplace_back(base::word_of(each));
    refuse("'" + whole + "': there is no core of that kind that may be used",
           "choose " + base::any_of_words(words) + "; 'charm topo' shows them");
  }

  /// The cpus of each part that has any of `within`, by id.
  [[nodiscard]] std::vector<CpuSet> parts_of(Type type, const CpuSet& within) const {
    std::vector<CpuSet> parts;
    const auto take = [&](const CpuSet& cpus) {
      if (const CpuSet some = cpus & within; !some.empty()) parts.push_back(some);
    };
    const auto of_cores = [&](auto of, int id) {
      CpuSet cpus;
      for (const Core& core : machine_.cores) {
        if (of(core) == id) cpus |= core.siblings;
      }
      return cpus;
    };
    if (type == Type::socket) {
      for (const Socket& socket : machine_.sockets)
        take(of_cores([](const Core& core) { return core.socket; }, socket.id));
    } else if (type == Type::node) {
      // A node is not left out where it has no cpus: the numbers are those of `charm topo`.
      for (const Node& node : machine_.nodes) {
        const bool all = within == machine_.allowed_cpus;
        if (all) {
          parts.push_back(node.cpus & within);
        } else {
          take(node.cpus);
        }
      }
    } else if (type == Type::chiplet) {
      for (const Chiplet& chiplet : machine_.chiplets)
        take(of_cores([](const Core& core) { return core.chiplet; }, chiplet.id));
    } else {
      for (const Core& core : machine_.cores) {
        if (type == Type::core) {
          take(core.siblings);
          continue;
        }
        for (const int cpu : core.siblings) {
          CpuSet one;
          one.insert(cpu);
          take(one);
        }
      }
    }
    return parts;
  }

  struct Range {
    int first, count, stride;
  };
  [[nodiscard]] Range range(const std::string& text, int there, Type type, const std::string& whole) const {
    if (text == "all") return {0, there, 1};
    if (text == "even") return {0, (there + 1) / 2, 2};
    if (text == "odd") return {1, there / 2, 2};
    const auto mark = text.find_first_of("-:");
    const auto first = number(text.substr(0, mark));
    if (!first) refuse_index(text, whole);
    int last = *first;
    if (mark != std::string::npos) {
      const std::string rest = text.substr(mark + 1);
      const auto value = number(rest);
      if (text[mark] == '-' && rest.empty()) {
        last = std::max(there - 1, *first);
      } else if (!value || (text[mark] == ':' && *value == 0)) {
        refuse_index(text, whole);
      } else {
        last = text[mark] == '-' ? *value : *first + *value - 1;
      }
    }
    if (last < *first) refuse_index(text, whole);
    if (last >= there) {
      const std::string what = plural[static_cast<std::size_t>(type)];
      refuse("'" + whole + "': there " +
                 (there == 0   ? "are no " + what
                  : there == 1 ? "is only index 0 of the " + what
                               : "are only indexes 0 to " + std::to_string(there - 1) + " of the " + what) +
                 " that may be used",
             "'charm topo' shows what there is");
    }
    return {*first, last - *first + 1, 1};
  }

  static std::optional<int> number(const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && value >= 0 && value < 1 << 20 ? std::optional(value) : std::nullopt;
  }

  const Machine& machine_;
  const std::string& option_;
};

}  // namespace

std::vector<int> cpus_at(const Machine& machine, const std::string& locations, const std::string& option) {
  std::vector<int> cpus = Reader(machine, option).read(locations);
  if (cpus.empty())
    throw Error(Errc::bad_input, option + ": '" + locations + "' has no cpu that may be used",
                "choose among " + machine.allowed_cpus.to_text());
  return cpus;
}

}  // namespace charm::attach
