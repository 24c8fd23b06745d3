#include "ranks/doing.hpp"

namespace charm::remote {
namespace {

std::string text_of(const Doing& doing) {
  const std::string rank = "rank " + std::to_string(doing.rank) + " calls ";
  const std::string bytes = std::to_string(doing.bytes) + (doing.bytes == 1 ? " byte" : " bytes");
  switch (doing.kind) {
    case StepKind::gather:
      return rank + "gather(), reduce() or gmalloc() with values of " + bytes;
    case StepKind::barrier:
      return rank + "barrier()";
    case StepKind::finalize:
      return rank + "finalize()";
    case StepKind::broadcast:
      return rank + "broadcast() of " + bytes + " from rank " + std::to_string(doing.root);
    case StepKind::unknown:
      break;
  }
  return rank + "something else";
}

}  // namespace

void StepHead::add(const StepHead& part) noexcept {
  if (differs()) return;
  const Doing& there = part.all;
  if (there.kind != all.kind || there.root != all.root || there.bytes != all.bytes)
    other = there;
  else
    other = part.other;
}

std::string StepHead::problem() const {
  return "the ranks do not take the same step: " + text_of(all) + ", and " + text_of(other);
}

}  // namespace charm::remote
