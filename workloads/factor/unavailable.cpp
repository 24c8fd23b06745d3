// What a build without SuiteSparse or BLAS has instead of bench.cpp: functions that say what to install.
#include <charm/error.hpp>

#include "workloads/factor/factor_bench.hpp"

namespace charm::workloads {
namespace {

[[noreturn]] void say_what_is_missing() {
  throw Error(Errc::bad_config, "this build has no factorisations: SuiteSparse, BLAS or LAPACK was not there",
              "install libsuitesparse-dev and libopenblas-pthread-dev (scripts/setup factor), and build CHARM again");
}

}  // namespace

struct FactorInput::Data {};

FactorInput::FactorInput(std::unique_ptr<Data> data) : data_(std::move(data)) {}
FactorInput::FactorInput(FactorInput&&) noexcept = default;
FactorInput& FactorInput::operator=(FactorInput&&) noexcept = default;
FactorInput::~FactorInput() = default;

FactorInput FactorInput::generate(const factor::MatrixOptions& /*options*/) { say_what_is_missing(); }
FactorInput FactorInput::load(const InputFile& /*path*/, std::uint64_t /*seed*/) { say_what_is_missing(); }
void FactorInput::prepare(const std::string& /*kernel*/, const FactorOptions& /*options*/,
                          std::optional<std::uint64_t> /*available*/) {
  say_what_is_missing();
}
std::string FactorInput::describe() const { return {}; }

FactorRun run_factor(const std::string& /*kernel*/, const Runner& /*runner*/, FactorInput& /*input*/,
                     const FactorOptions& /*options*/, int /*trials*/, const Progress& /*progress*/) {
  say_what_is_missing();
}

FactorTasks record_factor(const std::string& /*kernel*/, FactorInput& /*input*/, const FactorOptions& /*options*/,
                          int /*rounds*/) {
  say_what_is_missing();
}

std::uint64_t factor_bytes(const factor::MatrixOptions& /*options*/) { return 0; }

}  // namespace charm::workloads
