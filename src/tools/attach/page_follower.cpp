#include "tools/attach/page_follower.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace charm::attach {
namespace {

constexpr double giga = 1e9;

std::string megabytes(std::uint64_t bytes) { return base::three_digits(static_cast<double>(bytes) * 1e-6) + " MB"; }

}  // namespace

double PageFollower::step(double now, const OsNodeSet& nodes) {
  if (!is_wanted()) return never;
  if (nodes != nodes_) {
    nodes_ = nodes;
    since_ = now;
    found_ = false;
    state_ = State::stands;
    due_ = nodes.empty() ? never : now + least_stand_s;
  }
  if (now < due_) return due_;
  switch (state_) {
    case State::stands:
      begin(now);
      break;
    case State::moves:
      due_ = move(now);
      break;
    case State::looks_back:
      look_back(now);
      break;
    case State::ended:
      break;
  }
  return state_ == State::ended ? never : due_;
}

/// Only for workers that stay, not against the kernel.
void PageFollower::begin(double now) {
  if (pages_.balanced_by_kernel())
    return end("NUMA balancing moves pages itself, so --pages does not (sysctl kernel.numa_balancing=0 ends that)");
  if (!found_) {
    found_ = true;
    elsewhere_ = pages_.find(nodes_);
    due_ = std::max(now, since_ + static_cast<double>(elsewhere_) / (wish_.gb_per_s * giga));
    if (elsewhere_ == 0) {
      due_ = never;
      if (wish_.when == PagesWish::When::once) end("");
      return;
    }
    if (now < due_) return;
  }
  elsewhere_ = pages_.find(nodes_);  // it may have grown or been freed
  arrived_ = refused_ = 0;
  last_ = now;
  state_ = State::moves;
  due_ = now + step_s;
}

/// Within the rate.
double PageFollower::move(double now) {
  const double allowed = std::min(now - last_, 5 * step_s) * wish_.gb_per_s * giga;
  last_ = now;
  const ProgramPages::Moved moved = pages_.move(static_cast<std::uint64_t>(allowed));
  arrived_ += moved.bytes;
  refused_ += moved.refused;
  moved_ += moved.bytes;
  if (!moved.end) return now + step_s;
  if (refused_ > arrived_) {
    end("the kernel moved " + megabytes(arrived_) + " and left " + megabytes(refused_) + " where they were");
  } else if (wish_.when == PagesWish::When::once) {
    end("");
  } else {
    state_ = State::looks_back;
  }
  return now + look_back_s;
}

/// Stop where it does not help.
void PageFollower::look_back(double /*now*/) {
  const std::uint64_t back = pages_.find(nodes_);
  if (back > arrived_ / 2 && arrived_ > 0)
    return end("of " + megabytes(arrived_) + " that were moved " + megabytes(back) +
               " lie elsewhere again although no worker has moved: something else puts them there");
  due_ = never;  // until the workers go to other nodes
}

void PageFollower::end(std::string why) {
  why_ = std::move(why);
  state_ = State::ended;
  due_ = never;
}

std::string PageFollower::summary() const {
  if (moved_ == 0) return why_;
  return "pages: " + megabytes(moved_) + " moved to the workers' nodes" + (why_.empty() ? "" : "; " + why_);
}

}  // namespace charm::attach
