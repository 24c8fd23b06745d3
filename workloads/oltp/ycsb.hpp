// YCSB (Cooper et al., "Benchmarking cloud serving systems with YCSB", SoCC 2010): its core workloads A to F, and the
// mix of CHARM §5.1.
//
// A record carries its number, the number of times it was written, and a checksum over all its bytes. So there are
// checks that can fail: each read compares the checksum, and after a run the versions of all records must have grown by
// exactly the number of committed writes: one more or less means a lost update or half a transaction.
//
// The key of record i is a bijective hash of i (and a filler), as YCSB's "hashed" insertion order; records that are
// asked for often are therefore spread over the table. An update changes one of ten fields and so reads the record
// first, as YCSB's own bindings of key-value stores do; a read-modify-write also checks what it has read.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/oltp/transactions.hpp"
#include "workloads/oltp/zipfian.hpp"

namespace charm::workloads::oltp {

struct YcsbOptions {
  std::uint64_t records = 1000000;
  std::size_t key_bytes = 24;     ///< at least 8
  std::size_t value_bytes = 100;  ///< at least least_value_bytes
};
inline constexpr std::size_t least_key_bytes = 8;
inline constexpr std::size_t least_value_bytes = 34;  // number, version and checksum, and ten fields of a byte

/// Percentages of the operations, each a transaction; together 100.
struct YcsbMix {
  int read = 0;
  int update = 0;
  int insert = 0;
  int scan = 0;
  int read_modify_write = 0;
  bool latest = false;  ///< records are chosen by how lately they were inserted, whatever distribution is asked for
};

/// \param kernel "ycsb-a" to "ycsb-f" or "ycsb-paper". \throws Error (bad_config) for others.
YcsbMix ycsb_mix(const std::string& kernel);

std::vector<std::string> ycsb_tables();

/// The number of records and the sum of their versions.
struct YcsbTotals {
  std::uint64_t records = 0;
  std::uint64_t versions = 0;
  std::uint64_t damaged = 0;  ///< records whose checksum, size or key is wrong
};
/// Reads the whole table, by all sessions at once, each on a thread of its own.
YcsbTotals ycsb_totals(Engine& engine, int sessions, const YcsbOptions& options);

/// Fills the empty table, in the order of the keys; by all sessions at once.
void load_ycsb(Engine& engine, int sessions, const YcsbOptions& options);

/// The record's key and content, for tests and the loader.
std::string ycsb_key(std::uint64_t record, std::size_t key_bytes);
std::string ycsb_value(std::uint64_t record, std::uint64_t version, std::size_t value_bytes);

class Ycsb : public Transactions {
 public:
  /// \param before what the table has; taken by ycsb_totals() or from the Ycsb of the run before.
  Ycsb(const YcsbOptions& options, const YcsbMix& mix, Distribution distribution, const YcsbTotals& before, int clients,
       std::uint64_t seed);
  ~Ycsb() override;

  void draw(int client) override;
  Attempt attempt(int client, Session& session) override;
  void finished(int client, bool committed) override;

  /// What the table has to have now.
  [[nodiscard]] YcsbTotals expected() const;
  /// What is wrong with the table, or was with a record that was read; empty if nothing is.
  [[nodiscard]] std::string complaint(const YcsbTotals& found) const;

 private:
  enum class Kind : std::uint8_t { read, update, insert, scan, read_modify_write };
  struct Client;

  [[nodiscard]] std::uint64_t choose(Client& client) const;
  Outcome work(Client& client, Session& session) const;
  Outcome change(Client& client, Session& session) const;
  Outcome scan(Client& client, Session& session) const;
  void set_key(Client& client) const;

  YcsbOptions options_;
  YcsbMix mix_;
  Distribution distribution_;
  YcsbTotals before_;
  Zipfian zipfian_;
  std::vector<std::unique_ptr<Client>> clients_;
  alignas(128) std::atomic<std::uint64_t> next_;  // number of the record that is inserted next
  // Records below are all there: inserts are acknowledged in the order of their numbers, whatever the order of commits.
  alignas(128) std::atomic<std::uint64_t> there_;
  std::vector<std::atomic<bool>> acknowledged_;  // by number modulo its size
  std::atomic_flag sweeping_ = ATOMIC_FLAG_INIT;
};

}  // namespace charm::workloads::oltp
