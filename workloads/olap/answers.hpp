// Whether two answers to a query are the same: rows of text, as DuckDB prints values.
#pragma once

#include <string>
#include <vector>

namespace charm::workloads {

using AnswerRow = std::vector<std::string>;
using AnswerRows = std::vector<AnswerRow>;

/// The rows of a published answer: a line for each, fields separated by '|', the first line has the columns' names. A
/// field of NULL is empty, so an empty line is a row with NULL alone (TPC-H's q17 at scale factor 0.01).
AnswerRows rows_of(const std::string& answer);

/// What differs between an answer and the right one, in one sentence; empty if nothing does. Numbers are the same if
/// they differ by no more than 1e-6 of their size ("312" is "312.00"), and the order of rows counts, except that rows
/// may be exchanged where the right answer has the same rows in another order: TPC-H leaves the order of rows open that
/// are equal in all columns that they are sorted by.
std::string difference(AnswerRows found, AnswerRows right);

}  // namespace charm::workloads
