// A rank that leaves main(), or calls exit(), before finalize(): an error of the whole program, which has lost it. The
// mpirun of MPICH may end the others then without a word, and with exit code 0.
#pragma once

namespace charm::remote {

/// From now on this process fails if it ends as if all were well. \param rank of several.
void expect_finalize(int rank);
/// Now it may end.
void finalize_has_come() noexcept;

}  // namespace charm::remote
