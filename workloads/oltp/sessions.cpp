#include "workloads/oltp/sessions.hpp"

#include <charm/error.hpp>

namespace charm::workloads::oltp {
namespace {

[[noreturn]] void cannot_load() {
  throw Error(Errc::bad_input, "the database cannot be loaded: a row is there already, or somebody else writes",
              "give an empty folder");
}

}  // namespace

void BulkWriter::add(int table, std::string_view key, std::string_view value) {
  if (session_.insert(table, key, value) != Outcome::ok) cannot_load();
  if (++rows_ % rows_each != 0) return;
  finish();
  session_.begin();
}

void BulkWriter::finish() {
  if (session_.commit() != Outcome::ok) cannot_load();
}

}  // namespace charm::workloads::oltp
