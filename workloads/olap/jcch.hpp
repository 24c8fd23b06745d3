// Data after JCC-H ("Adding Join Crossing Correlations with Skew to TPC-H", TPCTC 2017): the tables of TPC-H, in which
// a quarter of the foreign keys refer to five rows each, one for each region, and half of the orders were placed on
// five to six days of seven years. A generator of our own in SQL, which changes the data of DuckDB's TPC-H extension:
//
// - a quarter of the orders are those of five customers;
// - half of the orders of 1992 to 1997 were placed on Black Friday, the day after the fourth Thursday of November;
// - a quarter of the lines belong to five orders, which these customers placed on Black Friday of 1994;
// - a quarter of the lines are of five parts, each from one supplier.
//
// Keys refer to rows that exist, lines of an order are numbered, dates keep their distance from the order's, and
// prices, flags and totals follow from them as in TPC-H. What differs from the paper's generator: which rows are
// chosen, and the queries, which keep TPC-H's validation parameters instead of a normal and a skewed set.
#pragma once

#include <string>
#include <vector>

namespace charm::workloads {

std::vector<std::string> jcch_statements(double scale);

}  // namespace charm::workloads
