// Pages that follow the workers of a program to their nodes: `charm run --pages`, `charm attach --pages`.
//
// - Only for workers that stay: pages are moved only when the workers have stood on the same nodes for as long as
//   moving all that lies elsewhere would take at the rate that is allowed, and three seconds at least. So a program
//   whose workers go to and fro spends at most as much on its pages as it would have lost by leaving them.
// - Within the rate: never more than the allowed rate, in steps of a few milliseconds.
// - Not against the kernel: nothing while the kernel moves pages itself (NUMA balancing): two that move pages against
//   each other would not stop.
// - Stop where it does not help: it stops for good if most pages stay where they are, or come back although the workers
//   have not moved.
// - Memory with a policy of the program's own, of files, or shared with others stays.
//
// The clock is an argument, and the pages are behind an interface.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "base/id_sets.hpp"

namespace charm::attach {

class ProgramPages {
 public:
  struct Moved {
    std::uint64_t bytes = 0, refused = 0;
    bool end = false;  ///< nothing is left of what was found
  };
  ProgramPages() = default;
  virtual ~ProgramPages() = default;
  ProgramPages(const ProgramPages&) = delete;
  ProgramPages& operator=(const ProgramPages&) = delete;

  /// Bytes that may be moved and lie on other nodes; the next move() begins with them.
  virtual std::uint64_t find(const OsNodeSet& nodes) = 0;
  virtual Moved move(std::uint64_t most) = 0;
  /// Whether the kernel moves pages to the threads that use them.
  virtual bool balanced_by_kernel() = 0;
};

/// --pages: not at all, once, or again whenever the workers have moved; at most so many GB (10^9 bytes) a second.
struct PagesWish {
  enum class When { keep, once, follow } when = When::keep;
  double gb_per_s = 1;
};

class PageFollower {
 public:
  PageFollower(ProgramPages& pages, PagesWish wish) : pages_(pages), wish_(wish) {}

  /// \param nodes those on which the workers are placed (OS numbers); empty: they are not placed.
  /// \return when it wants to be called again.
  double step(double now, const OsNodeSet& nodes);

  /// Whether there is anything to do, now or later.
  [[nodiscard]] bool is_wanted() const { return wish_.when != PagesWish::When::keep && state_ != State::ended; }
  [[nodiscard]] std::uint64_t moved() const { return moved_; }
  /// What was done, or why nothing is, for the summary; empty: nothing had to be done.
  [[nodiscard]] std::string summary() const;

 private:
  enum class State { stands, moves, looks_back, ended };

  void begin(double now);
  double move(double now);
  void look_back(double now);
  void end(std::string why);

  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr double least_stand_s = 3, look_back_s = 30, step_s = .02;

  ProgramPages& pages_;
  const PagesWish wish_;
  OsNodeSet nodes_;
  State state_ = State::stands;
  double since_ = 0;                         ///< when the workers came to these nodes
  double due_ = never;                       ///< of the next action
  double last_ = 0;                          ///< of the latest move
  bool found_ = false;                       ///< what is elsewhere is known since they stand here
  std::uint64_t elsewhere_ = 0;              ///< then
  std::uint64_t arrived_ = 0, refused_ = 0;  ///< of this pass
  std::uint64_t moved_ = 0;                  ///< in all
  std::string why_;                          ///< it has ended
};

}  // namespace charm::attach
