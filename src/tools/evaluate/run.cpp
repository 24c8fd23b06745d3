#include "tools/evaluate/run.hpp"

namespace charm::evaluate {
namespace {

template <class... Each>
struct Overloaded : Each... {
  using Each::operator()...;
};

}  // namespace

std::string_view unit_of(const Run& run) {
  return std::visit(
      Overloaded{[](const StreamRun&) { return "GB/s"; }, [](const MoveRun&) { return "µs"; },
                 [](const ReadingRun&) { return "ns"; }, [](const DecisionRun&) { return "µs"; },
                 [](const FillRun& fill) { return fill.whole.empty() ? "lines" : "share"; },
                 [](const MallocRun& blocks) {
                   return blocks.what == Blocks::read ? "GB/s" : blocks.what == Blocks::small ? "ns" : "µs";
                 }},
      run);
}

bool more_is_better(const Run& run) {
  const auto* fill = std::get_if<FillRun>(&run);
  const auto* blocks = std::get_if<MallocRun>(&run);
  return std::holds_alternative<StreamRun>(run) || (fill != nullptr && !fill->whole.empty()) ||
         (blocks != nullptr && blocks->what == Blocks::read);
}

}  // namespace charm::evaluate
