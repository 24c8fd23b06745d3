// Reads TPC-C's tables for the consistency conditions: by warehouses, which the sessions share out. Payments of a
// warehouse may be by customers of another, so that their sums are kept aside until all have been read.
#include <algorithm>

#include <fmt/format.h>

#include "workloads/oltp/sessions.hpp"
#include "workloads/oltp/tpcc_conditions.hpp"

namespace charm::workloads::oltp {
namespace {

struct Payment {
  int warehouse;
  int district;
  int customer;
  Cents amount;
};

/// What a session finds.
struct Findings {
  std::vector<Payment> payments;
  std::string broken;
};

class WarehouseReader {
 public:
  WarehouseReader(Session& session, const TpccScale& scale, int w, WarehouseFacts& facts, Findings& findings)
      : session_(session), scale_(scale), w_(w), facts_(facts), findings_(findings) {}

  void read() {
    facts_.districts.resize(static_cast<std::size_t>(scale_.districts));
    for (int d = 1; d <= scale_.districts; ++d) {
      DistrictFacts& district = facts_.districts[static_cast<std::size_t>(d - 1)];
      district.warehouse = w_;
      district.district = d;
      district.customers.resize(static_cast<std::size_t>(scale_.customers));
    }
    int warehouses = 0;
    rows<WarehouseRow>(TpccTable::warehouse, [&](std::string_view, const WarehouseRow& row) {
      facts_.ytd = row.ytd;
      ++warehouses;
    });
    int districts = 0;
    rows<DistrictRow>(TpccTable::district, [&](std::string_view key, const DistrictRow& row) {
      if (DistrictFacts* district = district_of(key)) {
        district->ytd = row.ytd;
        district->next_order = row.next_order;
        ++districts;
      }
    });
    int customers = 0;
    rows<CustomerRow>(TpccTable::customer, [&](std::string_view key, const CustomerRow& row) {
      if (CustomerFacts* customer = customer_of(district_of(key), number_in(key, 5))) {
        customer->balance = row.balance;
        customer->paid = row.paid;
        customer->deliveries = row.deliveries;
        ++customers;
      }
    });
    if (warehouses != 1 || districts != scale_.districts || customers != scale_.districts * scale_.customers)
      broken(fmt::format("it has {} districts and {} customers", districts, customers));
    read_orders();
    read_history();
  }

 private:
  void read_orders() {
    rows<OrderRow>(TpccTable::orders, [&](std::string_view key, const OrderRow& row) {
      if (DistrictFacts* district = district_of(key)) {
        OrderFacts order;
        order.number = number_in(key, 5);
        order.customer = row.customer;
        order.lines_said = row.lines;
        order.carrier = row.carrier != 0;
        district->orders.push_back(order);
      }
    });
    scan(TpccTable::new_order, [&](std::string_view key, std::string_view) {
      DistrictFacts* district = district_of(key);
      if (district == nullptr) return;
      const int number = number_in(key, 5);
      if (district->new_orders++ == 0) district->least_new_order = number;
      district->last_new_order = number;
      if (OrderFacts* order = order_of(*district, number)) order->is_new = true;
    });
    rows<OrderLineRow>(TpccTable::order_line, [&](std::string_view key, const OrderLineRow& row) {
      DistrictFacts* district = district_of(key);
      if (district == nullptr) return;
      ++district->lines;
      OrderFacts* order = order_of(*district, number_in(key, 5));
      if (order == nullptr) return;
      ++order->lines;
      if (row.delivered == 0) return;
      ++order->lines_delivered;
      if (CustomerFacts* customer = customer_of(district, order->customer)) customer->delivered += row.amount;
    });
  }

  void read_history() {
    rows<HistoryRow>(TpccTable::history, [&](std::string_view key, const HistoryRow& row) {
      facts_.histories += row.amount;
      if (DistrictFacts* district = district_of(key)) district->histories += row.amount;
      findings_.payments.push_back({row.customer_warehouse, row.customer_district, row.customer, row.amount});
    });
  }

  template <class F>
  void scan(TpccTable table, F&& f) {
    const Key prefix = warehouse_key(w_);
    std::string_view key;
    std::string_view value;
    session_.begin();
    Outcome outcome = session_.seek(static_cast<int>(table), prefix, key, value);
    while (outcome == Outcome::ok && key.starts_with(std::string_view(prefix))) {
      f(key, value);
      outcome = session_.next(key, value);
    }
    session_.rollback();
    if (outcome == Outcome::conflict) broken("a read was refused while nobody wrote");
  }

  template <class Row, class F>
  void rows(TpccTable table, F&& f) {
    scan(table, [&](std::string_view key, std::string_view value) { f(key, row_of<Row>(value)); });
  }

  DistrictFacts* district_of(std::string_view key) {
    const int d = key.size() > 4 ? static_cast<unsigned char>(key[4]) : 0;
    if (d >= 1 && d <= scale_.districts) return &facts_.districts[static_cast<std::size_t>(d - 1)];
    broken(fmt::format("there is a row of district {}", d));
    return nullptr;
  }

  OrderFacts* order_of(DistrictFacts& district, int number) {
    const auto found = std::lower_bound(district.orders.begin(), district.orders.end(), number,
                                        [](const OrderFacts& order, int wanted) { return order.number < wanted; });
    if (found != district.orders.end() && found->number == number) return &*found;
    broken(fmt::format("there is a new order or order line of order {} in district {}, which does not exist", number,
                       district.district));
    return nullptr;
  }

  CustomerFacts* customer_of(DistrictFacts* district, int c) {
    if (district == nullptr) return nullptr;
    if (c >= 1 && c <= scale_.customers) return &district->customers[static_cast<std::size_t>(c - 1)];
    broken(fmt::format("there is a row of customer {}", c));
    return nullptr;
  }

  void broken(const std::string& what) {
    if (findings_.broken.empty()) findings_.broken = fmt::format("warehouse {}: {}", w_, what);
  }

  Session& session_;
  const TpccScale& scale_;
  int w_;
  WarehouseFacts& facts_;
  Findings& findings_;
};

}  // namespace

TpccFacts collect_tpcc(Engine& engine, int sessions, const TpccScale& scale) {
  TpccFacts facts;
  facts.scale = scale;
  facts.warehouses.resize(static_cast<std::size_t>(scale.warehouses));
  std::vector<Findings> findings(static_cast<std::size_t>(sessions));
  on_all_sessions(engine, sessions, [&](int number, Session& session) {
    for (int w = number + 1; w <= scale.warehouses; w += sessions)
      WarehouseReader(session, scale, w, facts.warehouses[static_cast<std::size_t>(w - 1)],
                      findings[static_cast<std::size_t>(number)])
          .read();
  });
  for (const Findings& each : findings) {
    if (facts.broken.empty()) facts.broken = each.broken;
    for (const Payment& payment : each.payments) {
      if (payment.warehouse < 1 || payment.warehouse > scale.warehouses || payment.district < 1 ||
          payment.district > scale.districts || payment.customer < 1 || payment.customer > scale.customers) {
        facts.broken = fmt::format("there is a payment by customer {} of warehouse {}, district {}", payment.customer,
                                   payment.warehouse, payment.district);
        continue;
      }
      facts.warehouses[static_cast<std::size_t>(payment.warehouse - 1)]
          .districts[static_cast<std::size_t>(payment.district - 1)]
          .customers[static_cast<std::size_t>(payment.customer - 1)]
          .histories += payment.amount;
    }
  }
  return facts;
}

}  // namespace charm::workloads::oltp
