// What TPC-C's transactions have in common (tpcc.cpp and tpcc_reads.cpp): the client, and typed access to rows.
#pragma once

#include <charm/error.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "workloads/oltp/tpcc.hpp"
#include "workloads/oltp/tpcc_random.hpp"

namespace charm::workloads::oltp {

struct alignas(128) Tpcc::Client {
  int number = 0;
  int home = 1;
  int home_district = 1;
  Random random;
  TpccInput input = {};
  TpccReceipt receipt = {};
  std::int64_t histories = 0;
  std::array<std::uint64_t, TpccInput::kinds> committed{};
  std::vector<int> found_orders = {};  // by district, of a delivery
  std::vector<int> items = {};         // of the last orders
};

/// Rows of a transaction. Functions return false after a conflict; then the transaction has to end.
class RowAccess {
 public:
  explicit RowAccess(Session& session) : session_(session) {}

  /// \throws Error (bad_input) if the row, which has to be there, is not.
  template <class Row>
  bool get(TpccTable table, std::string_view key, Row& row) {
    return take(session_.get(number(table), key, value_), table, row);
  }
  template <class Row>
  bool get_for_update(TpccTable table, std::string_view key, Row& row) {
    return take(session_.get_for_update(number(table), key, value_), table, row);
  }
  template <class Row>
  bool put(TpccTable table, std::string_view key, const Row& row) {
    return session_.put(number(table), key, bytes_of(row)) == Outcome::ok;
  }
  template <class Row>
  bool insert(TpccTable table, std::string_view key, const Row& row) {
    return insert_bytes(table, key, bytes_of(row));
  }
  /// A row whose key says all.
  bool insert_bytes(TpccTable table, std::string_view key, std::string_view value) {
    const Outcome outcome = session_.insert(number(table), key, value);
    // The key comes from a counter in a row that this transaction writes: only one that will conflict can have used it.
    if (outcome == Outcome::duplicate) damaged(table, "is there twice");
    return outcome == Outcome::ok;
  }
  bool erase(TpccTable table, std::string_view key) {
    const Outcome outcome = session_.erase(number(table), key);
    if (outcome == Outcome::not_found) damaged(table, "is missing");
    return outcome == Outcome::ok;
  }

  [[noreturn]] static void damaged(TpccTable table, const char* what) {
    throw Error(Errc::bad_input, "TPC-C: a row of " + tpcc_tables()[static_cast<std::size_t>(table)] + " " + what,
                "remove the database, and it is made anew");
  }

  /// The customer's number: as it was given, or by name, the middle one in the order of first names. 0: a conflict.
  int customer(const TpccInput& input);

 private:
  static int number(TpccTable table) { return static_cast<int>(table); }

  template <class Row>
  bool take(Outcome outcome, TpccTable table, Row& row) {
    if (outcome == Outcome::not_found) damaged(table, "is missing");
    if (outcome != Outcome::ok) return false;
    row = row_of<Row>(value_);
    return true;
  }

  Session& session_;
  std::string_view value_;
};

}  // namespace charm::workloads::oltp
