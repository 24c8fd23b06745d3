// TPC-C's clients: what they draw (clauses 2.4 to 2.8, 5.2.3), and the transactions that write (see tpcc.hpp).
#include "workloads/oltp/tpcc.hpp"

#include <algorithm>

#include "workloads/oltp/tpcc_client.hpp"

namespace charm::workloads::oltp {
namespace {

int other_warehouse(Random& random, int home, int warehouses) {
  const auto drawn = static_cast<int>(random.within(1, warehouses - 1));
  return drawn < home ? drawn : drawn + 1;
}

void draw_lines(TpccInput& input, Random& random, const TpccScale& scale) {
  input.lines.resize(static_cast<std::size_t>(random.within(5, 15)));
  for (TpccInput::Line& line : input.lines) {
    line = {random_item(random, scale), input.warehouse, static_cast<int>(random.within(1, 10))};
    if (scale.warehouses > 1 && random.below(100) == 0)
      line.supplier = other_warehouse(random, input.warehouse, scale.warehouses);
  }
  if (random.below(100) == 0) input.lines.back().item = 0;
}

void draw_customer(TpccInput& input, Random& random, const TpccScale& scale) {
  input.customer = 0;
  if (random.below(100) < 60)
    input.name = last_name(random_name(random, scale, name_constant_of_run));
  else
    input.customer = random_customer(random, scale);
}

/// Clause 2.5.2.2: what is known of a customer with bad credit is put before what was known.
void add_to_data(CustomerRow& row, const TpccInput& input, int customer) {
  const std::string added = std::to_string(customer) + " " + std::to_string(input.customer_district) + " " +
                            std::to_string(input.customer_warehouse) + " " + std::to_string(input.district) + " " +
                            std::to_string(input.warehouse) + " " + std::to_string(input.amount) + " ";
  std::move_backward(row.data.begin(), row.data.end() - static_cast<std::ptrdiff_t>(added.size()), row.data.end());
  std::copy(added.begin(), added.end(), row.data.begin());
}

std::int64_t today() { return 2; }  // a date that is not null, and not that of the load

}  // namespace

Tpcc::Tpcc(const TpccScale& scale, int clients, std::uint64_t seed, std::int64_t start)
    : scale_(scale), delivered_(static_cast<std::size_t>(scale.warehouses * scale.districts)) {
  for (int i = 0; i < clients; ++i) {
    auto client = std::make_unique<Client>();
    client->number = i + 1;  // 0 is the loader
    client->home = i % scale.warehouses + 1;
    client->home_district = i / scale.warehouses % scale.districts + 1;
    client->random = Random(random_at(seed, static_cast<std::uint64_t>(i)));
    client->histories = start;
    clients_.push_back(std::move(client));
  }
}

Tpcc::~Tpcc() = default;

const TpccInput& Tpcc::input(int client) const { return clients_[static_cast<std::size_t>(client)]->input; }
const TpccReceipt& Tpcc::receipt(int client) const { return clients_[static_cast<std::size_t>(client)]->receipt; }

std::vector<std::uint64_t> Tpcc::committed() const {
  std::vector<std::uint64_t> all(TpccInput::kinds);
  for (const auto& client : clients_) {
    for (std::size_t kind = 0; kind < all.size(); ++kind) all[kind] += client->committed[kind];
  }
  return all;
}

std::atomic<int>& Tpcc::delivered(int w, int d) {
  return delivered_[static_cast<std::size_t>((w - 1) * scale_.districts + d - 1)];
}

void Tpcc::draw(int number) {
  using Kind = TpccInput::Kind;
  Client& client = *clients_[static_cast<std::size_t>(number)];
  Random& random = client.random;
  TpccInput& input = client.input;
  input.warehouse = input.customer_warehouse = client.home;
  input.district = input.customer_district = static_cast<int>(random.within(1, scale_.districts));
  const auto drawn = random.below(100);
  if (drawn < 45) {
    input.kind = Kind::new_order;
    input.customer = random_customer(random, scale_);
    draw_lines(input, random, scale_);
  } else if (drawn < 88) {
    input.kind = Kind::payment;
    input.amount = random.within(100, 500000);
    if (scale_.warehouses > 1 && random.below(100) < 15) {
      input.customer_warehouse = other_warehouse(random, client.home, scale_.warehouses);
      input.customer_district = static_cast<int>(random.within(1, scale_.districts));
    }
    draw_customer(input, random, scale_);
  } else if (drawn < 92) {
    input.kind = Kind::order_status;
    draw_customer(input, random, scale_);
  } else if (drawn < 96) {
    input.kind = Kind::delivery;
    input.carrier = static_cast<int>(random.within(1, 10));
  } else {
    input.kind = Kind::stock_level;
    input.district = client.home_district;
    input.threshold = static_cast<int>(random.within(10, 20));
  }
}

Attempt Tpcc::attempt(int number, Session& session) {
  Client& client = *clients_[static_cast<std::size_t>(number)];
  Attempt done = Attempt::conflict;
  switch (client.input.kind) {
    case TpccInput::Kind::new_order:
      session.begin();
      done = new_order(client, session);
      break;
    case TpccInput::Kind::payment:
      session.begin();
      done = payment(client, session);
      break;
    case TpccInput::Kind::order_status:
      session.begin();
      done = order_status(client, session);
      break;
    case TpccInput::Kind::delivery:
      done = delivery(client, session);
      break;
    case TpccInput::Kind::stock_level:
      session.begin();
      done = stock_level(client, session);
      break;
  }
  if (done == Attempt::committed) return session.commit() == Outcome::ok ? done : Attempt::conflict;
  session.rollback();
  return done;
}

void Tpcc::finished(int number, bool committed) {
  Client& client = *clients_[static_cast<std::size_t>(number)];
  if (!committed) return;
  ++client.committed[static_cast<std::size_t>(client.input.kind)];
  if (client.input.kind == TpccInput::Kind::payment) ++client.histories;
  if (client.input.kind != TpccInput::Kind::delivery) return;
  for (int d = 1; d <= scale_.districts; ++d) {
    const int found = client.found_orders[static_cast<std::size_t>(d) - 1];
    std::atomic<int>& last = delivered(client.input.warehouse, d);
    int before = last.load(std::memory_order_relaxed);
    while (before < found && !last.compare_exchange_weak(before, found, std::memory_order_release)) {
    }
  }
}

Attempt Tpcc::new_order(Client& client, Session& session) {
  const TpccInput& input = client.input;
  const int w = input.warehouse;
  const int d = input.district;
  RowAccess rows(session);
  WarehouseRow warehouse;
  CustomerRow customer;
  DistrictRow district;
  if (!rows.get(TpccTable::warehouse, warehouse_key(w), warehouse) ||
      !rows.get(TpccTable::customer, in_district(w, d, input.customer), customer) ||
      !rows.get_for_update(TpccTable::district, district_key(w, d), district))
    return Attempt::conflict;
  // The district is written before anything is inserted: who has drawn the same order number is refused here.
  const int o = district.next_order++;
  if (!rows.put(TpccTable::district, district_key(w, d), district)) return Attempt::conflict;
  const bool all_local = std::all_of(input.lines.begin(), input.lines.end(),
                                     [w](const TpccInput::Line& line) { return line.supplier == w; });
  const OrderRow order{input.customer, 0, static_cast<std::int32_t>(input.lines.size()), all_local ? 1 : 0, today()};
  if (!rows.insert(TpccTable::orders, in_district(w, d, o), order) ||
      !rows.insert_bytes(TpccTable::customer_orders, customer_order_key(w, d, input.customer, o), "o") ||
      !rows.insert_bytes(TpccTable::new_order, in_district(w, d, o), "n"))
    return Attempt::conflict;
  int number = 0;
  for (const TpccInput::Line& line : input.lines) {
    if (line.item == 0) return Attempt::rolled_back;  // clause 2.4.1.4
    ItemRow item;
    StockRow stock;
    const Key key = stock_key(line.supplier, line.item);
    if (!rows.get(TpccTable::item, Key().number(line.item), item) || !rows.get_for_update(TpccTable::stock, key, stock))
      return Attempt::conflict;
    stock.quantity -= line.quantity;
    if (stock.quantity < 10) stock.quantity += 91;
    stock.ytd += line.quantity;
    ++stock.orders;
    if (line.supplier != w) ++stock.remote_orders;
    const OrderLineRow each{line.item,
                            line.supplier,
                            line.quantity,
                            0,
                            item.price * line.quantity,
                            stock.info[static_cast<std::size_t>(d - 1)]};
    if (!rows.put(TpccTable::stock, key, stock) ||
        !rows.insert(TpccTable::order_line, line_key(w, d, o, ++number), each))
      return Attempt::conflict;
  }
  client.receipt.order = o;
  return Attempt::committed;
}

Attempt Tpcc::payment(Client& client, Session& session) {
  const TpccInput& input = client.input;
  RowAccess rows(session);
  WarehouseRow warehouse;
  DistrictRow district;
  const Key at_warehouse = warehouse_key(input.warehouse);
  const Key at_district = district_key(input.warehouse, input.district);
  if (!rows.get_for_update(TpccTable::warehouse, at_warehouse, warehouse)) return Attempt::conflict;
  warehouse.ytd += input.amount;
  if (!rows.put(TpccTable::warehouse, at_warehouse, warehouse) ||
      !rows.get_for_update(TpccTable::district, at_district, district))
    return Attempt::conflict;
  district.ytd += input.amount;
  if (!rows.put(TpccTable::district, at_district, district)) return Attempt::conflict;
  const int c = rows.customer(input);
  if (c == 0) return Attempt::conflict;
  const Key at_customer = in_district(input.customer_warehouse, input.customer_district, c);
  CustomerRow customer;
  if (!rows.get_for_update(TpccTable::customer, at_customer, customer)) return Attempt::conflict;
  customer.balance -= input.amount;
  customer.paid += input.amount;
  ++customer.payments;
  if (customer.credit == Text<2>{'B', 'C'}) add_to_data(customer, input, c);
  HistoryRow history{input.customer_warehouse, input.customer_district, c, today(), input.amount, {}};
  std::copy(warehouse.name.begin(), warehouse.name.end(), history.data.begin());
  std::copy(district.name.begin(), district.name.end(), history.data.begin() + 14);
  if (!rows.put(TpccTable::customer, at_customer, customer) ||
      !rows.insert(TpccTable::history, history_key(input.warehouse, input.district, client.number, client.histories),
                   history))
    return Attempt::conflict;
  client.receipt.history = client.histories;
  return Attempt::committed;
}

Attempt Tpcc::delivery(Client& client, Session& session) {
  const int w = client.input.warehouse;
  client.found_orders.assign(static_cast<std::size_t>(scale_.districts), 0);
  std::vector<int> behind;  // read before the snapshot is taken (tpcc.hpp)
  for (int d = 1; d <= scale_.districts; ++d) behind.push_back(delivered(w, d).load(std::memory_order_acquire));
  session.begin();
  RowAccess rows(session);
  for (int d = 1; d <= scale_.districts; ++d) {
    std::string_view key;
    std::string_view value;
    const Outcome outcome = session.seek(static_cast<int>(TpccTable::new_order),
                                         in_district(w, d, behind[static_cast<std::size_t>(d - 1)] + 1), key, value);
    if (outcome == Outcome::conflict) return Attempt::conflict;
    if (outcome == Outcome::not_found || !key.starts_with(std::string_view(district_key(w, d)))) continue;
    const int o = number_in(key, 5);
    const Key at_order = in_district(w, d, o);
    OrderRow order;
    if (!rows.erase(TpccTable::new_order, at_order) || !rows.get_for_update(TpccTable::orders, at_order, order))
      return Attempt::conflict;
    order.carrier = client.input.carrier;
    if (!rows.put(TpccTable::orders, at_order, order)) return Attempt::conflict;
    Cents sum = 0;
    for (int number = 1; number <= order.lines; ++number) {
      OrderLineRow line;
      const Key at_line = line_key(w, d, o, number);
      if (!rows.get_for_update(TpccTable::order_line, at_line, line)) return Attempt::conflict;
      line.delivered = today();
      sum += line.amount;
      if (!rows.put(TpccTable::order_line, at_line, line)) return Attempt::conflict;
    }
    CustomerRow customer;
    const Key at_customer = in_district(w, d, order.customer);
    if (!rows.get_for_update(TpccTable::customer, at_customer, customer)) return Attempt::conflict;
    customer.balance += sum;
    ++customer.deliveries;
    if (!rows.put(TpccTable::customer, at_customer, customer)) return Attempt::conflict;
    client.found_orders[static_cast<std::size_t>(d) - 1] = o;
  }
  return Attempt::committed;
}

}  // namespace charm::workloads::oltp
