#include "workloads/oltp/suite.hpp"

#include <fmt/format.h>

#include "workloads/oltp/tpcc.hpp"
#include "workloads/oltp/tpcc_conditions.hpp"

namespace charm::workloads::oltp {
namespace {

class YcsbSuite : public Suite {
 public:
  explicit YcsbSuite(const SuiteOptions& options) : options_(options) {}

  [[nodiscard]] std::string describe() const override {
    const YcsbOptions& ycsb = options_.ycsb;
    return fmt::format("{} record{} of {} + {} bytes", ycsb.records, ycsb.records == 1 ? "" : "s", ycsb.key_bytes,
                       ycsb.value_bytes);
  }
  [[nodiscard]] std::string folder_name() const override {
    const YcsbOptions& ycsb = options_.ycsb;
    return fmt::format("ycsb-{}x{}+{}", ycsb.records, ycsb.key_bytes, ycsb.value_bytes);
  }
  [[nodiscard]] std::vector<std::string> tables() const override { return ycsb_tables(); }
  // Rows that were written have a second version and the list of versions beside it.
  [[nodiscard]] std::uint64_t bytes() const override {
    const YcsbOptions& ycsb = options_.ycsb;
    return ycsb.records * (2 * ycsb.value_bytes + ycsb.key_bytes + 200);
  }

  void load(Engine& engine) const override { load_ycsb(engine, options_.sessions, options_.ycsb); }
  void start(Engine& engine) override { there_ = ycsb_totals(engine, options_.sessions, options_.ycsb); }
  Transactions* begin(const std::string& kernel, std::uint64_t seed) override {
    run_ =
        std::make_unique<Ycsb>(options_.ycsb, ycsb_mix(kernel), options_.distribution, there_, options_.sessions, seed);
    return run_.get();
  }
  std::string complaint(Engine& engine) override {
    there_ = ycsb_totals(engine, options_.sessions, options_.ycsb);
    return run_->complaint(there_);
  }
  [[nodiscard]] std::string detail() const override { return {}; }

 private:
  SuiteOptions options_;
  YcsbTotals there_;
  std::unique_ptr<Ycsb> run_;
};

class TpccSuite : public Suite {
 public:
  explicit TpccSuite(const SuiteOptions& options) : options_(options) { scale_.warehouses = options.warehouses; }

  [[nodiscard]] std::string describe() const override {
    return fmt::format("{} warehouse{}", scale_.warehouses, scale_.warehouses == 1 ? "" : "s");
  }
  [[nodiscard]] std::string folder_name() const override { return fmt::format("tpcc-{}", scale_.warehouses); }
  [[nodiscard]] std::vector<std::string> tables() const override { return tpcc_tables(); }
  // A warehouse is about 100 MB of rows; new orders add to it.
  [[nodiscard]] std::uint64_t bytes() const override {
    return (std::uint64_t{50} + 300 * static_cast<std::uint64_t>(scale_.warehouses)) << 20U;
  }

  void load(Engine& engine) const override { load_tpcc(engine, options_.sessions, scale_); }
  void start(Engine& /*engine*/) override {}
  Transactions* begin(const std::string& /*kernel*/, std::uint64_t seed) override {
    run_ = std::make_unique<Tpcc>(scale_, options_.sessions, seed, ++runs_ << 32);
    return run_.get();
  }
  std::string complaint(Engine& engine) override {
    return tpcc_complaint(collect_tpcc(engine, options_.sessions, scale_));
  }
  [[nodiscard]] std::string detail() const override {
    const auto committed = run_->committed();
    return fmt::format("with the warm-up {} new orders, {} payments, {} order statuses, {} deliveries, {} stock levels",
                       committed[0], committed[1], committed[2], committed[3], committed[4]);
  }

 private:
  SuiteOptions options_;
  TpccScale scale_;
  std::unique_ptr<Tpcc> run_;
  std::int64_t runs_ = 0;  // rows of history of each have numbers of their own
};

}  // namespace

std::unique_ptr<Suite> make_suite(bool tpcc, const SuiteOptions& options) {
  if (tpcc) return std::make_unique<TpccSuite>(options);
  return std::make_unique<YcsbSuite>(options);
}

}  // namespace charm::workloads::oltp
