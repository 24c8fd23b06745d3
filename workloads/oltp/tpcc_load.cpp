// TPC-C's initial population (clause 4.3.3).
#include <algorithm>
#include <chrono>
#include <numeric>

#include "workloads/oltp/sessions.hpp"
#include "workloads/oltp/tpcc.hpp"
#include "workloads/oltp/tpcc_random.hpp"

namespace charm::workloads::oltp {
namespace {

constexpr std::int64_t loaded_at = 1;  // a date that is not null

class Loader {
 public:
  Loader(Session& session, const TpccScale& scale, std::uint64_t seed)
      : writer_(session), scale_(scale), random_(seed) {}

  void items() {
    for (int i = 1; i <= scale_.items; ++i) {
      ItemRow row{};
      row.image = static_cast<std::int32_t>(random_.within(1, 10000));
      fill(row.name, random_, 14);
      row.price = random_.within(100, 10000);
      fill_data(row.data, random_);
      add(TpccTable::item, Key().number(i), row);
    }
  }

  void warehouse(int w) {
    WarehouseRow row{};
    fill(row.name, random_, 6);
    fill_address(row.address);
    row.tax = static_cast<std::int32_t>(random_.within(0, 2000));
    row.ytd = Cents{1000} * scale_.customers * scale_.districts;
    add(TpccTable::warehouse, warehouse_key(w), row);
    for (int i = 1; i <= scale_.items; ++i) stock(w, i);
    for (int d = 1; d <= scale_.districts; ++d) district(w, d);
  }

  void finish() { writer_.finish(); }

 private:
  template <class Row>
  void add(TpccTable table, const Key& key, const Row& row) {
    writer_.add(static_cast<int>(table), key, bytes_of(row));
  }

  void fill_address(Address& address) {
    fill(address.street_1, random_, 10);
    fill(address.street_2, random_, 10);
    fill(address.city, random_, 10);
    fill(address.state, random_);
    address.zip = {'0', '0', '0', '0', '1', '1', '1', '1', '1'};
    for (std::size_t i = 0; i < 4; ++i) address.zip[i] = static_cast<char>('0' + random_.below(10));
  }

  void stock(int w, int item) {
    StockRow row{};
    row.quantity = static_cast<std::int32_t>(random_.within(10, 100));
    for (auto& info : row.info) fill(info, random_);
    fill_data(row.data, random_);
    add(TpccTable::stock, stock_key(w, item), row);
  }

  void district(int w, int d) {
    DistrictRow row{};
    fill(row.name, random_, 6);
    fill_address(row.address);
    row.tax = static_cast<std::int32_t>(random_.within(0, 2000));
    row.ytd = Cents{1000} * scale_.customers;
    row.next_order = scale_.customers + 1;
    add(TpccTable::district, district_key(w, d), row);
    for (int c = 1; c <= scale_.customers; ++c) customer(w, d, c);
    std::vector<int> customers(static_cast<std::size_t>(scale_.customers));
    std::iota(customers.begin(), customers.end(), 1);
    for (std::size_t i = customers.size(); i > 1; --i) std::swap(customers[i - 1], customers[random_.below(i)]);
    for (int o = 1; o <= scale_.customers; ++o) order(w, d, o, customers[static_cast<std::size_t>(o) - 1]);
  }

  void customer(int w, int d, int c) {
    CustomerRow row{};
    row.last = last_name(c <= scale_.names() ? c - 1 : random_name(random_, scale_, name_constant_of_load));
    fill(row.first, random_, 8);
    row.middle = {'O', 'E'};
    row.credit = random_.below(10) == 0 ? Text<2>{'B', 'C'} : Text<2>{'G', 'C'};
    fill_address(row.address);
    for (char& digit : row.phone) digit = static_cast<char>('0' + random_.below(10));
    row.discount = static_cast<std::int32_t>(random_.within(0, 5000));
    row.since = loaded_at;
    row.credit_limit = 5000000;
    row.balance = -1000;
    row.paid = 1000;
    row.payments = 1;
    fill(row.data, random_, 300);
    add(TpccTable::customer, in_district(w, d, c), row);
    writer_.add(static_cast<int>(TpccTable::customer_name), name_key(w, d, row, c), "c");
    HistoryRow history{w, d, c, loaded_at, 1000, {}};
    fill(history.data, random_, 12);
    add(TpccTable::history, history_key(w, d, 0, c), history);
  }

  void order(int w, int d, int o, int customer) {
    const bool delivered = o < scale_.first_new_order();
    OrderRow row{customer, delivered ? static_cast<std::int32_t>(random_.within(1, 10)) : 0,
                 static_cast<std::int32_t>(random_.within(5, 15)), 1, loaded_at};
    add(TpccTable::orders, in_district(w, d, o), row);
    writer_.add(static_cast<int>(TpccTable::customer_orders), customer_order_key(w, d, customer, o), "o");
    if (!delivered) writer_.add(static_cast<int>(TpccTable::new_order), in_district(w, d, o), "n");
    for (int line = 1; line <= row.lines; ++line) {
      OrderLineRow each{static_cast<std::int32_t>(random_.within(1, scale_.items)),
                        w,
                        5,
                        delivered ? loaded_at : 0,
                        delivered ? 0 : random_.within(1, 999999),
                        {}};
      fill(each.info, random_);
      add(TpccTable::order_line, line_key(w, d, o, line), each);
    }
  }

  BulkWriter writer_;
  const TpccScale& scale_;
  Random random_;
};

}  // namespace

std::vector<std::string> tpcc_tables() {
  return {"warehouse",       "district",  "customer",   "customer_name", "history", "orders",
          "customer_orders", "new_order", "order_line", "item",          "stock"};
}

void load_tpcc(Engine& engine, int sessions, const TpccScale& scale) {
  on_all_sessions(engine, sessions, [&](int number, Session& session) {
    for (int w = number + 1; w <= scale.warehouses; w += sessions) {
      Loader loader(session, scale, static_cast<std::uint64_t>(w));
      if (w == 1) loader.items();
      loader.warehouse(w);
      loader.finish();
    }
  });
}

}  // namespace charm::workloads::oltp
