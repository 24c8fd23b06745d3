// The format Matrix Market, for all who read it: R. Boisvert, R. Pozo, K. Remington, "The Matrix Market exchange
// formats: initial design", NISTIR 5935 (1996). take_matrix_header() reads the banner and the size line, read_entry()
// one line after them; both work on the text of a file's blocks (text.hpp), plain or gzip, and tell errors as values,
// so that lines can be read on any worker. for_each_entry() does both for a whole file, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "workloads/files/fields.hpp"
#include "workloads/files/text.hpp"

namespace charm::workloads {

/// Rows and columns: their numbers fit into 32 bits with a sign, which kernels use.
inline constexpr std::int64_t most_matrix_rows = 2147483647;

/// Which forms of the format a reader takes besides coordinate, general and symmetric matrices.
struct MatrixForms {
  bool arrays = false;
  bool skew_symmetric = false;
  bool complex = false;  ///< also Hermitian; the imaginary parts are read and dropped
};

/// What stands before the entries.
struct MatrixHeader {
  bool array = false;      ///< values alone, column by column
  bool pattern = false;    ///< entries without values, which count as 1
  bool integers = false;   ///< values are whole numbers
  bool complex = false;    ///< values are the real parts alone
  bool symmetric = false;  ///< an entry stands for its mirror image, too (also skew-symmetric and Hermitian)
  bool skew = false;       ///< symmetric, and the mirror image has the opposite sign
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;         ///< that the file has: from the size line, or the number that an array must have
  const char* size_line = nullptr;  ///< in the text that was read
};

/// From 0.
struct MatrixEntry {
  std::int64_t row = 0;
  std::int64_t column = 0;
  double value = 1;
};

/// Whether `text` begins with the banner, whatever follows in its line.
bool begins_with_matrix_banner(std::string_view text);

/// Whether a line has nothing to read: it is blank or begins with `%`.
inline bool is_matrix_comment(std::string_view line) { return is_blank_or_begins(line, '%'); }

/// Takes banner, comments and size line off `text`, in which they must stand whole.
std::optional<FieldError> take_matrix_header(std::string_view& text, MatrixForms forms, MatrixHeader& header);

/// Reads a line that is no comment. Of an array's line row and column are left alone, because they are not written
/// there.
std::optional<FieldError> read_entry(std::string_view line, const MatrixHeader& header, MatrixEntry& entry);

/// A line beyond the entries of the size line, and a text that ends at `end` before them.
FieldError surplus_entry(std::string_view line, const MatrixHeader& header);
FieldError missing_entries(const char* end, std::int64_t seen, const MatrixHeader& header);

/// Reads a file in order. \param on_header may refuse the header. \param visit is called for each entry that is
/// written.
/// \throws Error (bad_input): FILE:LINE: what; remedy.
void for_each_entry(const InputFile& input, MatrixForms forms,
                    const std::function<std::optional<FieldError>(const MatrixHeader&)>& on_header,
                    const std::function<void(const MatrixEntry&)>& visit);

}  // namespace charm::workloads
