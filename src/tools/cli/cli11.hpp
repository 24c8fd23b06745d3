// CLI11, with one instance of each of its validators in a program. They are constants at namespace scope, so each
// translation unit would have its own, and every start of `charm` would construct some four hundred of them, which
// takes .15 ms. Here they are declared as inline before they are defined.
#pragma once

// NOLINTBEGIN(readability-identifier-naming): the names are CLI11's
namespace CLI {

namespace detail {
class ExistingDirectoryValidator;
class ExistingFileValidator;
class ExistingPathValidator;
class IPV4Validator;
class NonexistentPathValidator;
}  // namespace detail
class Range;
template <typename>
class TypeValidator;

extern inline const detail::ExistingDirectoryValidator ExistingDirectory;
extern inline const detail::ExistingFileValidator ExistingFile;
extern inline const detail::ExistingPathValidator ExistingPath;
extern inline const detail::IPV4Validator ValidIPV4;
extern inline const detail::NonexistentPathValidator NonexistentPath;
extern inline const Range NonNegativeNumber;
extern inline const Range PositiveNumber;
extern inline const TypeValidator<double> Number;

}  // namespace CLI
// NOLINTEND(readability-identifier-naming)

#include <CLI/CLI.hpp>
