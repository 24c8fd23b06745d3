// YCSB's table: making it, and checking it as a whole.
#include <algorithm>
#include <atomic>

#include "workloads/oltp/record.hpp"
#include "workloads/oltp/sessions.hpp"
#include "workloads/oltp/ycsb.hpp"

namespace charm::workloads::oltp {

std::vector<std::string> ycsb_tables() { return {"usertable"}; }

std::string ycsb_key(std::uint64_t record, std::size_t key_bytes) {
  std::string key(key_bytes, 'k');
  put_number(key.data(), mix(record));
  return key;
}

std::string ycsb_value(std::uint64_t record, std::uint64_t version, std::size_t value_bytes) {
  std::string value(value_bytes, '\0');
  std::memcpy(value.data(), &record, sizeof record);
  std::memcpy(value.data() + 8, &version, sizeof version);
  std::uint64_t content = record;
  for (std::size_t i = Record::head; i < value_bytes; ++i) {
    if (i % 8 == 0) content = mix(content + i);
    value[i] = static_cast<char>(content >> (8U * (i % 8)));
  }
  Record::seal(value);
  return value;
}

void load_ycsb(Engine& engine, int sessions, const YcsbOptions& options) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> order;  // hash and number
  order.reserve(options.records);
  for (std::uint64_t record = 0; record < options.records; ++record) order.emplace_back(mix(record), record);
  std::sort(order.begin(), order.end());
  on_all_sessions(engine, sessions, [&](int number, Session& session) {
    const auto share = [&](int member) {
      return order.size() * static_cast<std::size_t>(member) / static_cast<std::size_t>(sessions);
    };
    BulkWriter writer(session);
    for (std::size_t i = share(number); i < share(number + 1); ++i)
      writer.add(0, ycsb_key(order[i].second, options.key_bytes), ycsb_value(order[i].second, 0, options.value_bytes));
    writer.finish();
  });
}

YcsbTotals ycsb_totals(Engine& engine, int sessions, const YcsbOptions& options) {
  std::vector<YcsbTotals> totals(static_cast<std::size_t>(sessions));
  on_all_sessions(engine, sessions, [&](int number, Session& session) {
    // The keys' first 32 bits are uniform: each session takes a range of them.
    const auto bound = [&](int member) {
      std::string key(8, '\0');
      put_number(key.data(), (static_cast<std::uint64_t>(member) << 32U) / static_cast<std::uint64_t>(sessions) << 32U);
      return key;
    };
    const std::string end = number + 1 < sessions ? bound(number + 1) : "";
    YcsbTotals mine;
    std::string_view key;
    std::string_view value;
    session.begin();
    Outcome outcome = session.seek(0, bound(number), key, value);
    while (outcome == Outcome::ok && (end.empty() || key < end)) {
      ++mine.records;
      const bool sized = value.size() == options.value_bytes;
      const std::uint64_t record = sized ? Record::number(value) : 0;
      if (sized) mine.versions += Record::version(value);
      if (!sized || !Record::whole(value, record, options.value_bytes) || key != ycsb_key(record, options.key_bytes))
        ++mine.damaged;
      outcome = session.next(key, value);
    }
    session.rollback();
    if (outcome == Outcome::conflict) ++mine.damaged;  // nobody writes now, so that no read may be refused
    totals[static_cast<std::size_t>(number)] = mine;
  });
  YcsbTotals all;
  for (const YcsbTotals& each : totals) {
    all.records += each.records;
    all.versions += each.versions;
    all.damaged += each.damaged;
  }
  return all;
}

}  // namespace charm::workloads::oltp
