// The transactions of YCSB (see ycsb.hpp); loading and checking are in ycsb_table.cpp.
#include "workloads/oltp/ycsb.hpp"

#include <charm/error.hpp>

#include <array>

#include <fmt/format.h>

#include "workloads/oltp/record.hpp"

namespace charm::workloads::oltp {
namespace {

constexpr int table = 0;
constexpr std::int64_t longest_scan = 100;
constexpr std::size_t most_unacknowledged = 1U << 16U;

}  // namespace

YcsbMix ycsb_mix(const std::string& kernel) {
  struct Named {
    const char* name;
    YcsbMix mix;
  };
  static constexpr std::array<Named, 7> all = {{{"ycsb-a", {50, 50, 0, 0, 0, false}},
                                                {"ycsb-b", {95, 5, 0, 0, 0, false}},
                                                {"ycsb-c", {100, 0, 0, 0, 0, false}},
                                                {"ycsb-d", {95, 0, 5, 0, 0, true}},
                                                {"ycsb-e", {0, 0, 5, 95, 0, false}},
                                                {"ycsb-f", {50, 0, 0, 0, 50, false}},
                                                {"ycsb-paper", {45, 0, 0, 0, 55, false}}}};
  for (const Named& each : all) {
    if (kernel == each.name) return each.mix;
  }
  throw Error(Errc::bad_config, fmt::format("kernel '{}' is not one of YCSB", kernel), "take ycsb-a to ycsb-f");
}

struct alignas(128) Ycsb::Client {
  Random random;
  Kind kind = Kind::read;
  std::uint64_t record = 0;
  std::int64_t length = 0;    // of a scan
  std::uint64_t content = 0;  // of a write
  std::uint64_t updates = 0;  // committed
  std::uint64_t inserts = 0;  // committed
  std::uint64_t wrong_reads = 0;
  std::string key = {};
  std::string value = {};
};

Ycsb::Ycsb(const YcsbOptions& options, const YcsbMix& mix, Distribution distribution, const YcsbTotals& before,
           int clients, std::uint64_t seed)
    : options_(options),
      mix_(mix),
      distribution_(mix.latest ? Distribution::latest : distribution),
      before_(before),
      zipfian_(before.records),
      next_(before.records),
      there_(before.records),
      acknowledged_(most_unacknowledged) {
  for (int i = 0; i < clients; ++i)
    clients_.push_back(
        std::make_unique<Client>(Client{.random = Random(random_at(seed, static_cast<std::uint64_t>(i)))}));
}

Ycsb::~Ycsb() = default;

std::uint64_t Ycsb::choose(Client& client) const {
  switch (distribution_) {
    case Distribution::uniform:
      return client.random.below(before_.records);
    case Distribution::latest:
      return there_.load(std::memory_order_acquire) - 1 - zipfian_.next(client.random);
    case Distribution::zipfian:
      break;
  }
  return zipfian_.next(client.random);
}

void Ycsb::draw(int number) {
  Client& client = *clients_[static_cast<std::size_t>(number)];
  auto drawn = static_cast<int>(client.random.below(100));
  const auto falls_to = [&drawn](int share) {
    drawn -= share;
    return drawn < 0;
  };
  if (falls_to(mix_.read))
    client.kind = Kind::read;
  else if (falls_to(mix_.update))
    client.kind = Kind::update;
  else if (falls_to(mix_.insert))
    client.kind = Kind::insert;
  else
    client.kind = falls_to(mix_.scan) ? Kind::scan : Kind::read_modify_write;
  client.record = client.kind == Kind::insert ? next_.fetch_add(1) : choose(client);
  if (client.kind == Kind::scan) client.length = client.random.within(1, longest_scan);
  client.content = client.random.next();
  set_key(client);
}

void Ycsb::set_key(Client& client) const {
  client.key.assign(options_.key_bytes, 'k');
  put_number(client.key.data(), mix(client.record));
}

Attempt Ycsb::attempt(int number, Session& session) {
  Client& client = *clients_[static_cast<std::size_t>(number)];
  session.begin();
  if (work(client, session) == Outcome::conflict) {
    session.rollback();
    return Attempt::conflict;
  }
  return session.commit() == Outcome::ok ? Attempt::committed : Attempt::conflict;
}

Outcome Ycsb::work(Client& client, Session& session) const {
  switch (client.kind) {
    case Kind::read: {
      std::string_view value;
      const Outcome outcome = session.get(table, client.key, value);
      if (outcome == Outcome::conflict) return outcome;
      if (outcome != Outcome::ok || !Record::whole(value, client.record, options_.value_bytes)) ++client.wrong_reads;
      return Outcome::ok;
    }
    case Kind::insert:
      client.value = ycsb_value(client.record, 0, options_.value_bytes);
      return session.insert(table, client.key, client.value);
    case Kind::scan:
      return scan(client, session);
    case Kind::update:
    case Kind::read_modify_write:
      break;
  }
  return change(client, session);
}

Outcome Ycsb::change(Client& client, Session& session) const {
  std::string_view value;
  const Outcome outcome = session.get_for_update(table, client.key, value);
  if (outcome == Outcome::conflict) return outcome;
  if (outcome != Outcome::ok || value.size() != options_.value_bytes) {
    ++client.wrong_reads;
    return Outcome::ok;  // the run fails by this, and goes on
  }
  if (client.kind == Kind::read_modify_write && !Record::whole(value, client.record, options_.value_bytes))
    ++client.wrong_reads;
  client.value.assign(value);
  Record::change(client.value, client.content);
  return session.put(table, client.key, client.value);
}

Outcome Ycsb::scan(Client& client, Session& session) const {
  std::string_view key;
  std::string_view value;
  Outcome outcome = session.seek(table, client.key, key, value);
  bool first = true;
  for (std::int64_t left = client.length; outcome == Outcome::ok && left > 0; --left) {
    // The first is the record that was asked for: nothing is ever removed.
    if (!Record::whole(value, first ? client.record : Record::number(value), options_.value_bytes))
      ++client.wrong_reads;
    first = false;
    if (left > 1) outcome = session.next(key, value);
  }
  if (first && outcome != Outcome::conflict) ++client.wrong_reads;
  return outcome == Outcome::conflict ? outcome : Outcome::ok;
}

void Ycsb::finished(int number, bool committed) {
  Client& client = *clients_[static_cast<std::size_t>(number)];
  if (client.kind == Kind::insert) {
    client.inserts += committed ? 1 : 0;
    // An insert that was given up leaves a gap before which the latest records stay.
    if (!committed) return;
    acknowledged_[client.record % most_unacknowledged].store(true, std::memory_order_release);
    if (sweeping_.test_and_set(std::memory_order_acquire)) return;
    std::uint64_t there = there_.load(std::memory_order_relaxed);
    while (acknowledged_[there % most_unacknowledged].exchange(false, std::memory_order_acq_rel)) ++there;
    there_.store(there, std::memory_order_release);
    sweeping_.clear(std::memory_order_release);
  } else if (committed && (client.kind == Kind::update || client.kind == Kind::read_modify_write)) {
    ++client.updates;
  }
}

YcsbTotals Ycsb::expected() const {
  YcsbTotals totals = before_;
  for (const auto& client : clients_) {
    totals.records += client->inserts;
    totals.versions += client->updates;
  }
  return totals;
}

std::string Ycsb::complaint(const YcsbTotals& found) const {
  const YcsbTotals right = expected();
  std::uint64_t wrong_reads = 0;
  for (const auto& client : clients_) wrong_reads += client->wrong_reads;
  if (wrong_reads > 0) return fmt::format("{} reads found a record missing or damaged", wrong_reads);
  if (found.damaged > 0) return fmt::format("{} records are damaged", found.damaged);
  if (found.records != right.records)
    return fmt::format("the table has {} records, and should have {}", found.records, right.records);
  if (found.versions != right.versions)
    return fmt::format("the records were written {} times, and {} writes were committed", found.versions,
                       right.versions);
  return {};
}

}  // namespace charm::workloads::oltp
