// The handle of an attached database.
#include <charm/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "duckdb/attached.hpp"

namespace charm::duckdb {

Attachment::Attachment(std::shared_ptr<detail::Attached> attached) noexcept : attached_(std::move(attached)) {}
Attachment::Attachment(Attachment&&) noexcept = default;

Attachment& Attachment::operator=(Attachment&& other) noexcept {
  Attachment old(std::move(*this));
  attached_ = std::move(other.attached_);
  return *this;
}

Attachment::~Attachment() {
  if (attached_ == nullptr) return;
  try {
    attached_->detach();
  } catch (const Error& error) {
    if (std::getenv("CHARM_QUIET") == nullptr) std::fprintf(stderr, "charm: detaching a database: %s\n", error.what());
  }
}

detail::Attached& Attachment::attached() const {
  if (attached_ == nullptr) throw Error(Errc::not_running, "the attachment was moved away", "use the one it went to");
  return *attached_;
}

void Attachment::run_query(_duckdb_connection* connection, const std::string& sql, void* result,
                           const QueryOptions& options) {
  attached().query(connection, sql, static_cast<Result*>(result), options);
}

void Attachment::run_prepared(_duckdb_connection* connection, _duckdb_prepared_statement* statement, void* result,
                              const QueryOptions& options) {
  attached().execute(connection, statement, static_cast<Result*>(result), options);
}

void Attachment::close(_duckdb_connection** connection) { attached().close(connection); }
void Attachment::set_workers(int workers) { attached().set_workers(workers); }
int Attachment::workers() const { return attached().workers(); }
Statistics Attachment::statistics() const { return attached().statistics(); }

void Attachment::detach() {
  if (attached_ != nullptr) attached_->detach();
}

Attachment attach(_duckdb_database* database, const Options& options, const Library& library) {
  return Attachment(std::make_shared<detail::Attached>(database, options, library));
}

Attachment attach(_duckdb_database* database, const Options& options) {
  return attach(database, options, Library::of_program());
}

}  // namespace charm::duckdb
