// Tables and queries that a user brings along: the files of a suite's own generators (dbgen, dsdgen, JCC-H's), and
// statements, one in each file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace charm::workloads {

/// The files in a folder that hold a table's rows, fields separated by '|': "orders.tbl", "orders.tbl.2" and
/// "store_sales_1_4.dat" as generators number their parts, with .gz or .zst behind where they are compressed.
/// \throws Error (bad_input) where there is none, or the folder cannot be read.
std::vector<std::string> files_of_table(const std::string& folder, const std::string& table);

/// A number that is another one where a file of the folder was added, removed or changed, as far as names, sizes and
/// times tell. \throws Error (bad_input) where the folder cannot be read.
std::uint64_t fingerprint_of(const std::string& folder);

/// The names of a folder's statements: its files *.sql without the ending, q2 before q10.
/// \throws Error (bad_input) where there is none, or the folder cannot be read.
std::vector<std::string> own_queries(const std::string& folder);

/// The text of one. \throws Error (bad_input) where it cannot be read, or is empty.
std::string own_query(const std::string& folder, const std::string& name);

}  // namespace charm::workloads
