// Standard input, output and error that were closed when the process was started (`charm run ... 2>&-`).
#pragma once

namespace charm::os {

/// Occupies the numbers 0, 1 and 2 as far as they are free. Otherwise the next file that is opened, such as the table
/// of leases, would be standard error, and messages would be written into it. Reading and writing there still fails by
/// EBADF, and a program that is started still finds them closed. Call it before any file is opened.
void hold_closed_streams() noexcept;

}  // namespace charm::os
