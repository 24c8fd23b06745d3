#include "malloc/messages.hpp"

#include "malloc/sandbox.hpp"
#include "os/memory/bare.hpp"

namespace charm::shim {
namespace {

constinit bool quiet = false;
constinit os::bare::FileIdentity at_start;
constexpr int standard_error = 2;

}  // namespace

void prepare_messages() noexcept {
  quiet = os::bare::environment("CHARM_QUIET") != nullptr;
  at_start = os::bare::identity_of(standard_error);
}

void write_to_error(const Text& text) noexcept {
  const KernelCall call;
  if (call.allowed() && at_start.open && os::bare::identity_of(standard_error) == at_start)
    os::bare::write_error(text.data(), text.length());
}

void say(const Text& text) noexcept {
  if (!quiet) write_to_error(text);
}

}  // namespace charm::shim
