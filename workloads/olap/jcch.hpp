// TPC-H's tables with skew of the kinds that JCC-H adds ("Adding Join Crossing Correlations with Skew to TPC-H", TPCTC
// 2017): a few rows to which many others refer, days with many orders, and these together: correlations across joins.
// The amounts are CHARM's and were not compared with the paper's, which was not at hand (docs/duckdb.md). A generator
// of our own in SQL, which changes the data of DuckDB's TPC-H extension:
//
// - a quarter of the orders are those of five customers;
// - half of the orders of 1992 to 1997 were placed on Black Friday, the day after the fourth Thursday of November;
// - a quarter of the lines belong to five orders, which these customers placed on Black Friday of 1994;
// - a quarter of the lines are of five parts, each from one supplier.
//
// Keys refer to rows that exist, lines of an order are numbered, dates keep their distance from the order's, and
// prices, flags and totals follow from them as in TPC-H. The queries keep TPC-H's validation parameters, where JCC-H
// has a normal and a skewed set.
#pragma once

#include <string>
#include <vector>

namespace charm::workloads {

std::vector<std::string> jcch_statements(double scale);

}  // namespace charm::workloads
