// Which workers run at a width. At full width all do; at less, some rest (docs/design/controller.md, "Width").
#pragma once

#include <vector>

#include "controller/setup.hpp"

namespace charm::controller {

/// thin: some workers of each chiplet run, so that all caches are used; packed: those of as few chiplets as possible.
/// Of workers that share a core the second ones rest first: thin everywhere, packed on a chiplet.
enum class WidthShape { thin, packed };

struct WidthLevel {
  int workers = 1;  ///< that run
  WidthShape shape = WidthShape::thin;
  friend bool operator==(const WidthLevel&, const WidthLevel&) = default;
};

/// By worker: whether it rests at `level` where the workers are spread over `spread` chiplets. Worker 0, which the
/// program's own thread may be, never rests.
std::vector<char> resting_at(const Setup& setup, const WidthLevel& level, int spread);

/// What to try from full width: coarse steps, since the speed need not be a convex function of the width.
std::vector<WidthLevel> from_full(const Setup& setup);
/// What to try from a width that was better than full: first far from it, then near.
std::vector<WidthLevel> from_gain(const Setup& setup, const WidthLevel& best);

}  // namespace charm::controller
