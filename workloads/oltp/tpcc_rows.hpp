// TPC-C's tables (clause 1.3) as rows of fixed size and keys whose order of bytes is the order of the fields. Sums of
// money are whole cents and rates are ten-thousandths, so that the consistency conditions hold to the last digit. Two
// tables are indexes: customers by name, and orders by customer with the latest first.
#pragma once

#include <charm/error.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace charm::workloads::oltp {

enum class TpccTable : int {
  warehouse,
  district,
  customer,
  customer_name,
  history,
  orders,
  customer_orders,
  new_order,
  order_line,
  item,
  stock,
};
std::vector<std::string> tpcc_tables();

/// The standard's sizes; tests take smaller ones. At load each customer has one order, and the last 30 % of a
/// district's orders are new, that is, not delivered.
struct TpccScale {
  int warehouses = 1;
  int districts = 10;    ///< of a warehouse
  int customers = 3000;  ///< of a district
  int items = 100000;

  [[nodiscard]] int first_new_order() const { return customers - customers * 3 / 10 + 1; }
  /// Customers have this many different last names, at most.
  [[nodiscard]] int names() const { return customers < 1000 ? customers : 1000; }
};

using Cents = std::int64_t;
template <std::size_t N>
using Text = std::array<char, N>;

struct Address {
  Text<20> street_1, street_2, city;
  Text<2> state;
  Text<9> zip;
};
struct WarehouseRow {
  Text<10> name;
  Address address;
  std::int32_t tax;
  Cents ytd;
};
struct DistrictRow {
  Text<10> name;
  Address address;
  std::int32_t tax;
  Cents ytd;
  std::int32_t next_order;
};
struct CustomerRow {
  Text<16> first, last;
  Text<2> middle, credit;
  Address address;
  Text<16> phone;
  std::int32_t discount;
  std::int32_t payments, deliveries;
  std::int64_t since;
  Cents credit_limit, balance, paid;
  Text<500> data;
};
struct HistoryRow {
  std::int32_t customer_warehouse, customer_district, customer;
  std::int64_t date;
  Cents amount;
  Text<24> data;
};
struct OrderRow {
  std::int32_t customer, carrier, lines, all_local;  // carrier 0: null
  std::int64_t date;
};
struct OrderLineRow {
  std::int32_t item, supplier, quantity;
  std::int64_t delivered;  // 0: null
  Cents amount;
  Text<24> info;
};
struct ItemRow {
  std::int32_t image;
  Text<24> name;
  Cents price;
  Text<50> data;
};
struct StockRow {
  std::int32_t quantity, orders, remote_orders;
  std::int64_t ytd;
  std::array<Text<24>, 10> info;
  Text<50> data;
};

class Key {
 public:
  Key& byte(int value) {
    bytes_[size_++] = static_cast<char>(value);
    return *this;
  }
  Key& number(std::int64_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) byte(static_cast<int>(value >> shift));
    return *this;
  }
  Key& text(std::string_view text) {
    std::memcpy(bytes_.data() + size_, text.data(), text.size());
    size_ += text.size();
    return *this;
  }
  operator std::string_view() const { return {bytes_.data(), size_}; }  // NOLINT: a key is its bytes

 private:
  std::array<char, 64> bytes_{};
  std::size_t size_ = 0;
};

inline Key warehouse_key(int w) { return Key().number(w); }
inline Key district_key(int w, int d) { return warehouse_key(w).byte(d); }
/// Of customers, orders, new orders, and items of a stock with no district.
inline Key in_district(int w, int d, std::int64_t number) { return district_key(w, d).number(number); }
inline Key line_key(int w, int d, int order, int line) { return in_district(w, d, order).byte(line); }
inline Key stock_key(int w, int item) { return warehouse_key(w).number(item); }
inline Key customer_order_key(int w, int d, int customer, int order) {
  return in_district(w, d, customer).number(INT32_MAX - order);
}
inline Key name_key(int w, int d, const Text<16>& last) { return district_key(w, d).text({last.data(), last.size()}); }
inline Key name_key(int w, int d, const CustomerRow& row, int customer) {
  return name_key(w, d, row.last).text({row.first.data(), row.first.size()}).number(customer);
}
/// Rows of history have no key in the standard; theirs are unique by the client and its count.
inline Key history_key(int w, int d, int client, std::int64_t count) {
  return district_key(w, d).number(client).number(count >> 32).number(count);
}

/// The number that a key has at a position.
inline int number_in(std::string_view key, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = at; i < at + 4; ++i) number = number << 8U | static_cast<unsigned char>(key[i]);
  return static_cast<int>(number);
}

template <class Row>
std::string_view bytes_of(const Row& row) {
  static_assert(std::is_trivially_copyable_v<Row>);
  return {reinterpret_cast<const char*>(&row), sizeof row};
}
/// \throws Error (bad_input) if the size is not that of such a row.
template <class Row>
Row row_of(std::string_view bytes) {
  static_assert(std::is_trivially_copyable_v<Row>);
  if (bytes.size() != sizeof(Row))
    throw Error(Errc::bad_input, "TPC-C: a row is damaged, its size is wrong",
                "remove the database, and it is made anew");
  Row row;
  std::memcpy(&row, bytes.data(), sizeof row);
  return row;
}

}  // namespace charm::workloads::oltp
