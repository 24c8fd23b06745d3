#include "workloads/olap/jcch.hpp"

#include <fmt/format.h>

namespace charm::workloads {

std::vector<std::string> jcch_statements(double scale) {
  // NOLINTBEGIN(bugprone-suspicious-missing-comma): statements of several lines
  return {
      fmt::format("CALL dbgen(sf = {})", scale),
      // A throw of a die for a key, the same in each run; the prime is far above the number of sides.
      "CREATE TEMP MACRO draw(key, throw, sides) AS "
      "((key % 1000003) * 7919 + throw * 104729 + 12345) % 1000003 % sides",
      "CREATE TEMP MACRO fourth_thursday(year) AS "
      "make_date(year, 11, 22) + ((11 - isodow(make_date(year, 11, 22))) % 7)::INTEGER",
      "CREATE TEMP MACRO black_friday(date) AS fourth_thursday(year(date)) + 1",
      // Every third customer has no orders in TPC-H.
      "CREATE TEMP TABLE hot_customer AS SELECT n_regionkey AS region, min(c_custkey) AS custkey "
      "FROM customer JOIN nation ON c_nationkey = n_nationkey WHERE c_custkey % 3 <> 0 GROUP BY n_regionkey",
      "CREATE TEMP TABLE hot_part AS SELECT region, suppkey, min(ps_partkey) AS partkey FROM partsupp JOIN "
      "(SELECT n_regionkey AS region, min(s_suppkey) AS suppkey FROM supplier JOIN nation "
      "ON s_nationkey = n_nationkey GROUP BY n_regionkey) ON ps_suppkey = suppkey GROUP BY region, suppkey",
      "CREATE TABLE new_orders AS SELECT o_orderkey, coalesce(custkey, o_custkey) AS o_custkey, o_orderstatus, "
      "o_totalprice, CASE WHEN year(o_orderdate) < 1998 AND draw(o_orderkey, 1, 2) = 0 "
      "THEN black_friday(o_orderdate) ELSE o_orderdate END AS o_orderdate, "
      "o_orderpriority, o_clerk, o_shippriority, o_comment "
      "FROM orders LEFT JOIN hot_customer ON draw(o_orderkey, 2, 20) = region",
      "CREATE TEMP TABLE hot_order AS SELECT region, min(o_orderkey) AS orderkey FROM new_orders "
      "JOIN hot_customer ON o_custkey = custkey WHERE o_orderdate = black_friday(DATE '1994-01-01') GROUP BY region",
      // The die is thrown for a line, so key and number of the line make up its key.
      "CREATE TABLE new_lineitem AS WITH moved AS (SELECT coalesce(o.orderkey, l_orderkey) AS orderkey, "
      "p.partkey AS hot, coalesce(p.partkey, l_partkey) AS partkey, coalesce(p.suppkey, l_suppkey) AS suppkey, l.* "
      "FROM lineitem l LEFT JOIN hot_order o ON draw(l_orderkey * 8 + l_linenumber, 3, 20) = o.region "
      "LEFT JOIN hot_part p ON draw(l_orderkey * 8 + l_linenumber, 4, 20) = p.region), "
      "dated AS (SELECT moved.*, (n.o_orderdate - b.o_orderdate)::INTEGER AS later FROM moved "
      "JOIN new_orders n ON n.o_orderkey = orderkey JOIN orders b ON b.o_orderkey = l_orderkey) "
      "SELECT orderkey AS l_orderkey, partkey AS l_partkey, suppkey AS l_suppkey, "
      "row_number() OVER (PARTITION BY orderkey ORDER BY l_orderkey, l_linenumber) AS l_linenumber, l_quantity, "
      "(CASE WHEN hot IS NULL THEN l_extendedprice ELSE l_quantity * p_retailprice END)::DECIMAL(15,2) "
      "AS l_extendedprice, l_discount, l_tax, "
      "CASE WHEN l_receiptdate + later > DATE '1995-06-17' THEN 'N' WHEN l_returnflag <> 'N' THEN l_returnflag "
      "WHEN draw(l_orderkey * 8 + l_linenumber, 5, 2) = 0 THEN 'R' ELSE 'A' END AS l_returnflag, "
      "CASE WHEN l_shipdate + later > DATE '1995-06-17' THEN 'O' ELSE 'F' END AS l_linestatus, "
      "l_shipdate + later AS l_shipdate, l_commitdate + later AS l_commitdate, "
      "l_receiptdate + later AS l_receiptdate, l_shipinstruct, l_shipmode, l_comment "
      "FROM dated JOIN part ON p_partkey = partkey ORDER BY orderkey, 4",
      "DROP TABLE lineitem", "ALTER TABLE new_lineitem RENAME TO lineitem",
      "CREATE TABLE final_orders AS SELECT o_orderkey, o_custkey, CASE WHEN filled IS NULL OR shipped = 0 THEN 'O' "
      "WHEN shipped = filled THEN 'F' ELSE 'P' END AS o_orderstatus, "
      "coalesce(total, 0)::DECIMAL(15,2) AS o_totalprice, o_orderdate, o_orderpriority, o_clerk, o_shippriority, "
      "o_comment FROM new_orders LEFT JOIN (SELECT l_orderkey, count(*) AS filled, "
      "count(*) FILTER (WHERE l_linestatus = 'F') AS shipped, "
      "sum(l_extendedprice * (1 + l_tax) * (1 - l_discount)) AS total FROM lineitem GROUP BY l_orderkey) "
      "ON l_orderkey = o_orderkey ORDER BY o_orderkey",
      "DROP TABLE orders", "DROP TABLE new_orders", "ALTER TABLE final_orders RENAME TO orders"};
  // NOLINTEND(bugprone-suspicious-missing-comma)
}

}  // namespace charm::workloads
