// The entry for Streamcluster: points in memory, and verified, timed trials. What is in workloads/kernel_run.hpp for
// the graph kernels is here for this one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workloads/kernel_run.hpp"
#include "workloads/streamcluster/input.hpp"
#include "workloads/streamcluster/reference.hpp"
#include "workloads/streamcluster/stream.hpp"

namespace charm::workloads {

/// Points in memory, ready to be clustered. Errors are charm::Error(bad_input) and name the file.
class PointSet {
 public:
  static PointSet generate(const PointOptions& options, const Runner& runner);
  /// \see read_points
  static PointSet load(const std::string& path, Index dimensions, const Runner& runner);
  PointSet(PointSet&&) noexcept;
  PointSet& operator=(PointSet&&) noexcept;
  ~PointSet();

  [[nodiscard]] std::string describe() const;  ///< "16384 points of 128 dimensions, seed 1"

  struct Data;
  [[nodiscard]] Data& data() const { return *data_; }

 private:
  explicit PointSet(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// The points of a set; a view.
Points points_of(const PointSet& points);

/// The centres in a file as PARSEC's streamcluster writes it: of each its number, weight and coordinates.
/// \throws Error (bad_input) if it is not that.
StreamCenters read_centers(const std::string& path, Index dimensions);

/// What is wrong with an answer; empty if nothing is. There may be up to twice as many centres as were asked for, since
/// no cost of a centre need give a number within the bounds; their weights must be those of the points, and number and
/// costs those of a plain implementation within 1e-6. \param right null: these are not compared.
std::string complaint_about(const StreamCenters& found, const Points& points, const StreamOptions& options,
                            const ReferenceCosts* right);

/// Runs and validates by complaint_about(). The plain implementation runs on the first use, untimed, and not beyond
/// 2^23 coordinates.
KernelRun run_streamcluster(const Runner& runner, const PointSet& points, const StreamOptions& options, int trials = 1,
                            const Progress& progress = {});

}  // namespace charm::workloads
