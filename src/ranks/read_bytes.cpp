// Reading many bytes of another rank's memory: a request whose reply is as long as what was asked for.
#include <charm/detail/remote.hpp>

#include <algorithm>
#include <cstring>

namespace charm::remote::detail {
namespace {

constexpr std::size_t most_at_once = std::size_t{64} << 20;  // so that neither side needs much memory for a buffer

struct Wanted {
  std::uintptr_t address;
  std::uint64_t bytes;
};

struct BytesReply : Pending {
  BytesReply(int from, void* memory) noexcept : Pending{&BytesReply::fill, from}, into(memory) {}
  static void fill(Pending* pending, const std::byte* value, std::size_t bytes, std::exception_ptr failure) noexcept {
    auto* self = static_cast<BytesReply*>(pending);
    self->error = std::move(failure);
    if (self->error == nullptr) std::memcpy(self->into, value, bytes);
    self->done.complete();
  }
  void* const into;
  std::exception_ptr error;
  charm::detail::Completion done;
};

void run_read(const std::byte* arguments, std::size_t /*bytes*/, ReplyTo* reply) {
  Wanted wanted;
  std::memcpy(&wanted, arguments, sizeof wanted);
  reply_value(*reply, reinterpret_cast<const void*>(wanted.address), wanted.bytes);
}

void read_part(int rank, const std::byte* from, std::byte* into, std::size_t bytes) {
  static const std::uint64_t code = number_of_code(reinterpret_cast<std::uintptr_t>(&run_read));
  const Wanted wanted{reinterpret_cast<std::uintptr_t>(from), bytes};
  BytesReply reply(rank, into);
  expect(reply);
  try {
    const Writing message = begin(rank, Kind::request, code, sizeof reply.id + sizeof wanted, true);
    std::memcpy(message.at, &reply.id, sizeof reply.id);
    std::memcpy(message.at + sizeof reply.id, &wanted, sizeof wanted);
    send(rank, message, true);
  } catch (...) {
    if (forget(reply)) throw;
  }
  await(reply.done);
  if (reply.error != nullptr) std::rethrow_exception(reply.error);
}

}  // namespace

void read_bytes(int rank, const void* from, void* into, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += most_at_once)
    read_part(rank, static_cast<const std::byte*>(from) + at, static_cast<std::byte*>(into) + at,
              std::min(most_at_once, bytes - at));
}

}  // namespace charm::remote::detail
