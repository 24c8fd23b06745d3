#include "workloads/oltp/tpcc_conditions.hpp"

#include <fmt/format.h>

namespace charm::workloads::oltp {
namespace {

template <class F>
std::string first_of_districts(const TpccFacts& facts, F&& complaint) {
  for (const WarehouseFacts& warehouse : facts.warehouses) {
    for (const DistrictFacts& district : warehouse.districts) {
      const std::string text = complaint(district);
      if (!text.empty())
        return fmt::format("warehouse {}, district {}: {}", district.warehouse, district.district, text);
    }
  }
  return {};
}

template <class F>
std::string first_of_orders(const TpccFacts& facts, F&& complaint) {
  return first_of_districts(facts, [&](const DistrictFacts& district) {
    for (const OrderFacts& order : district.orders) {
      const std::string text = complaint(order);
      if (!text.empty()) return fmt::format("order {}: {}", order.number, text);
    }
    return std::string();
  });
}

template <class F>
std::string first_of_customers(const TpccFacts& facts, F&& complaint) {
  return first_of_districts(facts, [&](const DistrictFacts& district) {
    for (std::size_t i = 0; i < district.customers.size(); ++i) {
      const std::string text = complaint(district.customers[i]);
      if (!text.empty()) return fmt::format("customer {}: {}", i + 1, text);
    }
    return std::string();
  });
}

std::string differ(const char* a, std::int64_t left, const char* b, std::int64_t right) {
  return left == right ? std::string() : fmt::format("{} is {}, and {} is {}", a, left, b, right);
}

std::string districts_ytd(const TpccFacts& facts) {
  for (const WarehouseFacts& warehouse : facts.warehouses) {
    Cents sum = 0;
    for (const DistrictFacts& district : warehouse.districts) sum += district.ytd;
    const std::string text = differ("W_YTD", warehouse.ytd, "the sum of D_YTD", sum);
    if (!text.empty()) return text;
  }
  return {};
}

std::string next_order(const TpccFacts& facts) {
  return first_of_districts(facts, [](const DistrictFacts& district) {
    const int last = district.orders.empty() ? 0 : district.orders.back().number;
    std::string text = differ("D_NEXT_O_ID - 1", district.next_order - 1, "the last O_ID", last);
    if (text.empty() && district.new_orders > 0)  // the standard's condition supposes that there are some
      text = differ("D_NEXT_O_ID - 1", district.next_order - 1, "the last NO_O_ID", district.last_new_order);
    return text;
  });
}

std::string new_orders_dense(const TpccFacts& facts) {
  return first_of_districts(facts, [](const DistrictFacts& district) {
    if (district.new_orders == 0) return std::string();
    return differ("the range of NO_O_ID", district.last_new_order - district.least_new_order + 1,
                  "the number of new orders", district.new_orders);
  });
}

std::string lines_of_district(const TpccFacts& facts) {
  return first_of_districts(facts, [](const DistrictFacts& district) {
    std::int64_t said = 0;
    for (const OrderFacts& order : district.orders) said += order.lines_said;
    return differ("the sum of O_OL_CNT", said, "the number of order lines", district.lines);
  });
}

std::string carrier_unless_new(const TpccFacts& facts) {
  return first_of_orders(facts, [](const OrderFacts& order) -> std::string {
    if (order.carrier != order.is_new) return {};
    return order.carrier ? "it has a carrier, and is a new order" : "it has no carrier, and is no new order";
  });
}

std::string lines_of_order(const TpccFacts& facts) {
  return first_of_orders(facts, [](const OrderFacts& order) {
    return differ("O_OL_CNT", order.lines_said, "the number of its lines", order.lines);
  });
}

std::string delivered_if_carried(const TpccFacts& facts) {
  return first_of_orders(facts, [](const OrderFacts& order) -> std::string {
    if (order.lines_delivered == (order.carrier ? order.lines : 0)) return {};
    return fmt::format("{} of {} lines have a delivery date, and it has {} carrier", order.lines_delivered, order.lines,
                       order.carrier ? "a" : "no");
  });
}

std::string warehouse_history(const TpccFacts& facts) {
  for (const WarehouseFacts& warehouse : facts.warehouses) {
    const std::string text = differ("W_YTD", warehouse.ytd, "the sum of H_AMOUNT", warehouse.histories);
    if (!text.empty()) return text;
  }
  return {};
}

std::string district_history(const TpccFacts& facts) {
  return first_of_districts(facts, [](const DistrictFacts& district) {
    return differ("D_YTD", district.ytd, "the sum of H_AMOUNT", district.histories);
  });
}

std::string customer_balance(const TpccFacts& facts) {
  return first_of_customers(facts, [](const CustomerFacts& customer) {
    return differ("C_BALANCE", customer.balance, "delivered OL_AMOUNT - H_AMOUNT",
                  customer.delivered - customer.histories);
  });
}

std::string orders_without_new(const TpccFacts& facts) {
  return first_of_districts(facts, [&facts](const DistrictFacts& district) {
    std::int64_t deliveries = facts.scale.first_new_order() - 1;
    for (const CustomerFacts& customer : district.customers) deliveries += customer.deliveries;
    return differ("orders - new orders", static_cast<std::int64_t>(district.orders.size()) - district.new_orders,
                  "the number of deliveries", deliveries);
  });
}

std::string balance_and_payments(const TpccFacts& facts) {
  return first_of_customers(facts, [](const CustomerFacts& customer) {
    return differ("C_BALANCE + C_YTD_PAYMENT", customer.balance + customer.paid, "delivered OL_AMOUNT",
                  customer.delivered);
  });
}

}  // namespace

const std::array<TpccCondition, 12> tpcc_conditions = {districts_ytd,        next_order,         new_orders_dense,
                                                       lines_of_district,    carrier_unless_new, lines_of_order,
                                                       delivered_if_carried, warehouse_history,  district_history,
                                                       customer_balance,     orders_without_new, balance_and_payments};

std::string tpcc_complaint(const TpccFacts& facts) {
  if (!facts.broken.empty()) return facts.broken;
  for (std::size_t i = 0; i < tpcc_conditions.size(); ++i) {
    const std::string text = tpcc_conditions[i](facts);
    if (!text.empty()) return fmt::format("condition 3.3.2.{}: {}", i + 1, text);
  }
  return {};
}

}  // namespace charm::workloads::oltp
