// TPC-C's transactions that only read, and the search for a customer by name (clauses 2.5.2.2, 2.6 and 2.8).
#include <algorithm>

#include "workloads/oltp/tpcc_client.hpp"

namespace charm::workloads::oltp {

int RowAccess::customer(const TpccInput& input) {
  if (input.customer != 0) return input.customer;
  const Key prefix = name_key(input.customer_warehouse, input.customer_district, input.name);
  std::vector<int> found;
  std::string_view key;
  Outcome outcome = session_.seek(number(TpccTable::customer_name), prefix, key, value_);
  while (outcome == Outcome::ok && key.starts_with(std::string_view(prefix))) {
    found.push_back(number_in(key, key.size() - 4));
    outcome = session_.next(key, value_);
  }
  if (outcome == Outcome::conflict) return 0;
  if (found.empty()) damaged(TpccTable::customer_name, "is missing");
  return found[(found.size() - 1) / 2];
}

Attempt Tpcc::order_status(Client& client, Session& session) {
  const TpccInput& input = client.input;
  const int w = input.customer_warehouse;
  const int d = input.customer_district;
  RowAccess rows(session);
  const int c = rows.customer(input);
  if (c == 0) return Attempt::conflict;
  CustomerRow customer;
  if (!rows.get(TpccTable::customer, in_district(w, d, c), customer)) return Attempt::conflict;
  std::string_view key;
  std::string_view value;
  const Outcome outcome = session.seek(static_cast<int>(TpccTable::customer_orders), in_district(w, d, c), key, value);
  if (outcome == Outcome::conflict) return Attempt::conflict;
  if (outcome == Outcome::not_found || !key.starts_with(std::string_view(in_district(w, d, c))))
    RowAccess::damaged(TpccTable::customer_orders, "is missing");
  const int o = INT32_MAX - number_in(key, key.size() - 4);
  OrderRow order;
  if (!rows.get(TpccTable::orders, in_district(w, d, o), order)) return Attempt::conflict;
  for (int number = 1; number <= order.lines; ++number) {
    OrderLineRow line;
    if (!rows.get(TpccTable::order_line, line_key(w, d, o, number), line)) return Attempt::conflict;
  }
  return Attempt::committed;
}

Attempt Tpcc::stock_level(Client& client, Session& session) {
  const TpccInput& input = client.input;
  const int w = input.warehouse;
  const int d = input.district;
  RowAccess rows(session);
  DistrictRow district;
  if (!rows.get(TpccTable::district, district_key(w, d), district)) return Attempt::conflict;
  client.items.clear();
  const std::string end(std::string_view(line_key(w, d, district.next_order, 0)));
  std::string_view key;
  std::string_view value;
  Outcome outcome = session.seek(static_cast<int>(TpccTable::order_line),
                                 line_key(w, d, std::max(1, district.next_order - 20), 0), key, value);
  while (outcome == Outcome::ok && key < end) {
    client.items.push_back(row_of<OrderLineRow>(value).item);
    outcome = session.next(key, value);
  }
  if (outcome == Outcome::conflict) return Attempt::conflict;
  std::sort(client.items.begin(), client.items.end());
  client.items.erase(std::unique(client.items.begin(), client.items.end()), client.items.end());
  int low = 0;
  for (const int item : client.items) {
    StockRow stock;
    if (!rows.get(TpccTable::stock, stock_key(w, item), stock)) return Attempt::conflict;
    low += stock.quantity < input.threshold ? 1 : 0;
  }
  return low >= 0 ? Attempt::committed : Attempt::conflict;
}

}  // namespace charm::workloads::oltp
