#include "workloads/files/input_file.hpp"

#include <charm/error.hpp>
#include <charm/page_block.hpp>

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace charm::workloads {
namespace {

constexpr double mib = 1048576;
constexpr double base_mib = 64;
constexpr double times_the_file = 64;

/// What a file of a common kind needs at most, with room to spare.
double most_by_size(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return base_mib * mib + (error ? 0 : times_the_file * static_cast<double>(size));
}

std::string amount(double bytes) {
  return bytes < 10 * 1024 * mib ? fmt::format("{:.0f} MiB", bytes / mib)
                                 : fmt::format("{:.0f} GiB", bytes / mib / 1024);
}

}  // namespace

void InputFile::require(double bytes, std::string_view what, std::string_view remedy) const {
  const double most = most_ != 0 ? static_cast<double>(most_) : most_by_size(path_);
  if (bytes > most) {
    throw Error(Errc::bad_input,
                fmt::format("{}: {} need {}; reading it may take {}{}", path_, what, amount(bytes), amount(most),
                            most_ == 0 ? " by its size" : ""),
                fmt::format("{}, or allow it with --file-memory {:.0f}M", remedy, bytes / mib + 1));
  }
  const auto has = static_cast<double>(available_memory());
  if (has > 0 && bytes > has) {
    throw Error(Errc::bad_input,
                fmt::format("{}: {} need {}, {} are available", path_, what, amount(bytes), amount(has)),
                fmt::format("{}, or use a larger machine", remedy));
  }
}

}  // namespace charm::workloads
