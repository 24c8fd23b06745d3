// Code addresses as numbers that are the same on all ranks: which program or library, and where in it.
#pragma once

#include <cstdint>
#include <vector>

namespace charm::remote {

/// Reads which images this process has. Once, before anything is called.
void find_code();

/// Identities of the images in the order of their numbers; the program is the first.
std::vector<std::uint64_t> code_identities();

/// \param same by number: whether the image is the same on all ranks, so that functions of it can be called.
void allow_code(const std::vector<bool>& same);

}  // namespace charm::remote
