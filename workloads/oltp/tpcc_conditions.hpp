// The consistency conditions of TPC-C, clauses 3.3.2.1 to 3.3.2.12, of a database that nobody writes meanwhile.
//
// collect_tpcc() reads all tables once and sums them up; each condition is a function of these facts. Condition 11 of
// the standard, orders - new orders = 2100 in each district, is true until the first delivery; here it counts the
// deliveries that the customers' rows tell, and so stays true.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/oltp/engine.hpp"
#include "workloads/oltp/tpcc_rows.hpp"

namespace charm::workloads::oltp {

struct OrderFacts {
  int number = 0;
  int customer = 0;
  int lines_said = 0;  // O_OL_CNT
  int lines = 0;       // rows of order_line
  int lines_delivered = 0;
  bool carrier = false;  // not null
  bool is_new = false;   // a row of new_order
};

struct CustomerFacts {
  Cents balance = 0;
  Cents paid = 0;       // C_YTD_PAYMENT
  Cents histories = 0;  // the sum of H_AMOUNT
  Cents delivered = 0;  // the sum of OL_AMOUNT of delivered lines
  int deliveries = 0;
};

struct DistrictFacts {
  int warehouse = 0;
  int district = 0;
  int next_order = 0;
  Cents ytd = 0;
  Cents histories = 0;
  std::int64_t new_orders = 0;
  int least_new_order = 0;
  int last_new_order = 0;
  std::int64_t lines = 0;
  std::vector<OrderFacts> orders;  // ascending
  std::vector<CustomerFacts> customers;
};

struct WarehouseFacts {
  Cents ytd = 0;
  Cents histories = 0;
  std::vector<DistrictFacts> districts;
};

struct TpccFacts {
  TpccScale scale;
  std::vector<WarehouseFacts> warehouses;
  std::string broken;  // what no condition can be asked of: a row that refers to nothing, a missing district
};

TpccFacts collect_tpcc(Engine& engine, int sessions, const TpccScale& scale);

/// What is wrong, with where; empty if the condition holds.
using TpccCondition = std::string (*)(const TpccFacts&);
extern const std::array<TpccCondition, 12> tpcc_conditions;  // of clauses 3.3.2.1 to 3.3.2.12

/// "condition 3.3.2.4: …" for the first that does not hold; empty if all do.
std::string tpcc_complaint(const TpccFacts& facts);

}  // namespace charm::workloads::oltp
