// Files in the format of LIBSVM (C.-C. Chang, C.-J. Lin, "LIBSVM: a library for support vector machines", ACM TIST 2
// (2011)): `label feature:value feature:value ...` on a line, features ascending, those left out 0; numbered from 1, or
// from 0 if a line has feature 0 (as scikit-learn writes files and finds out by itself);
// `#` begins a comment. Errors are charm::Error(bad_input): FILE:LINE: what; remedy.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/files/input_file.hpp"
#include "workloads/sgd/samples.hpp"

namespace charm::workloads {

struct LoadedSamples {
  Samples samples;
  double negative = 0;  ///< the label that became -1, and the one that became +1
  double positive = 0;
  bool scaled = false;  ///< features were divided by their largest magnitude
};

/// Reads a file, plain or gzip, into samples: dense if at least half of all values are there, else sparse.
///
/// Rows are put into an order that the seed draws, because files are often sorted by label and SGD needs them mixed. If
/// a value's magnitude is above 1, each feature is divided by its largest magnitude: one step size cannot serve
/// features in millimetres and in kilometres, and zeros stay zeros. \param scale whether that is wanted.
template <Executor E>
LoadedSamples load_libsvm(E& e, const InputFile& input, std::uint64_t seed, bool scale = true);

}  // namespace charm::workloads
