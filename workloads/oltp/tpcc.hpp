// TPC-C (standard specification, revision 5.11): the five transactions in the standard's mix, without keying and think
// times. A client is a terminal with a home warehouse; one line in a hundred of a new order is supplied by another
// warehouse, and fifteen in a hundred payments are by customers of another.
//
// A delivery is one transaction for all districts of its warehouse. It begins its search for the oldest new order
// behind the last one that is known to be delivered, so that it need not pass over deleted rows; this is read before
// the snapshot is taken, so that all before it are gone in the snapshot.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/oltp/random.hpp"
#include "workloads/oltp/tpcc_rows.hpp"
#include "workloads/oltp/transactions.hpp"

namespace charm::workloads::oltp {

/// Fills the empty tables, a warehouse at a time on each session.
void load_tpcc(Engine& engine, int sessions, const TpccScale& scale);

/// A transaction's input, drawn once and kept for all attempts.
struct TpccInput {
  enum class Kind : std::uint8_t { new_order, payment, order_status, delivery, stock_level };
  static constexpr int kinds = 5;
  struct Line {
    int item;
    int supplier;
    int quantity;
  };
  Kind kind = Kind::new_order;
  int warehouse = 1;
  int district = 1;
  int customer_warehouse = 1;
  int customer_district = 1;
  int customer = 0;  // 0: by name
  Text<16> name{};
  std::vector<Line> lines;  // of a new order; an item of 0 does not exist
  Cents amount = 0;
  int carrier = 1;
  int threshold = 10;
};

/// What a new order or payment has written, for a test of recovery.
struct TpccReceipt {
  int order = 0;
  std::int64_t history = 0;  // the client's count
};

class Tpcc : public Transactions {
 public:
  /// \param start of the counts of history rows: larger than those of an earlier run on the same database.
  Tpcc(const TpccScale& scale, int clients, std::uint64_t seed, std::int64_t start);
  ~Tpcc() override;

  void draw(int client) override;
  Attempt attempt(int client, Session& session) override;
  void finished(int client, bool committed) override;

  [[nodiscard]] const TpccInput& input(int client) const;
  [[nodiscard]] const TpccReceipt& receipt(int client) const;
  /// Committed so far, by kind.
  [[nodiscard]] std::vector<std::uint64_t> committed() const;

 private:
  struct Client;

  [[nodiscard]] std::atomic<int>& delivered(int w, int d);
  Attempt new_order(Client& client, Session& session);
  Attempt payment(Client& client, Session& session);
  Attempt order_status(Client& client, Session& session);
  Attempt delivery(Client& client, Session& session);
  Attempt stock_level(Client& client, Session& session);

  TpccScale scale_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::atomic<int>> delivered_;  // by district of all warehouses: orders up to here have been delivered
};

}  // namespace charm::workloads::oltp
