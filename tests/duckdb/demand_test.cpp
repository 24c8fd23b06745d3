// What is read from DuckDB's profile of a query.
#include "workloads/olap/demand.hpp"

#include <gtest/gtest.h>

namespace charm::workloads {
namespace {

TEST(OlapDemand, IsTheSumOverTheOperators) {
  const OlapDemand demand = demand_of(R"({"cpu_time": 0.5, "total_memory_allocated": 1000, "children": [
    {"operator_type": "TOP_N", "operator_cardinality": 10, "result_set_size": 80, "operator_rows_scanned": 0, "children": [
      {"operator_type": "HASH_JOIN", "operator_cardinality": 20, "result_set_size": 320, "operator_rows_scanned": 0,
       "children": [
        {"operator_type": "TABLE_SCAN", "operator_cardinality": 50, "result_set_size": 600, "operator_rows_scanned": 100},
        {"operator_type": "TABLE_SCAN", "operator_cardinality": 0, "result_set_size": 0, "operator_rows_scanned": 7}]}]}]})");
  EXPECT_DOUBLE_EQ(demand.busy_s, .5);
  EXPECT_EQ(demand.working_set_bytes, 1000U);
  EXPECT_EQ(demand.scanned_bytes, 100U * 12 + 7U * 8) << "a row has the bytes of those that are given, or eight";
  EXPECT_EQ(demand.exchanges, 2);
  EXPECT_EQ(demand.moved_rows, 20U + 50);
  EXPECT_EQ(demand.moved_bytes, 320U + 600);
}

TEST(OlapDemand, OfWhatIsNoProfileIsZero) {
  for (const char* text : {"", "[]", "no", "{}", R"({"children": 3})"}) {
    const OlapDemand demand = demand_of(text);
    EXPECT_EQ(demand.scanned_bytes, 0U) << text;
    EXPECT_EQ(demand.exchanges, 0) << text;
  }
}

}  // namespace
}  // namespace charm::workloads
