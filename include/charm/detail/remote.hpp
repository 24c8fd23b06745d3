// How <charm/remote.hpp> hands calls to the engine (src/ranks): functions as numbers, arguments as bytes, replies.
//
// A function object is sent as its bytes and the address of the code that runs it: the instantiation of a template
// below. A code address is sent as the number of the program or library that has the code, and the offset in it,
// because every process has its own load addresses.
#pragma once

#include <charm/detail/completion.hpp>
#include <charm/error.hpp>
#include <charm/future.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace charm::remote::detail {

/// What the receiver does with a message.
enum class Kind : std::uint8_t { post = 1, detached = 2, request = 3, reply = 4 };

struct ReplyTo;

/// Runs the function of a message. \param reply null unless somebody waits for the result.
using Runner = void (*)(const std::byte* arguments, std::size_t bytes, ReplyTo* reply);

/// \return the number of a code address, the same on all ranks. \throws Error (bad_input) where there is none.
std::uint64_t number_of_code(std::uintptr_t address);
std::uintptr_t code_of_number(std::uint64_t number);

/// A message that is being written; its lane is locked, so nothing may be suspended or thrown before send().
struct Writing {
  std::byte* at;
  void* lane;
  void* single;  // the buffer of a message that is too large to share one
};

/// Begins a message of `bytes` bytes; suspends the caller while the destination's window is full. \throws Error
/// (not_running, bad_input for a rank that does not exist, remote for one that is gone). \param now as for send().
Writing begin(int rank, Kind kind, std::uint64_t code, std::size_t bytes, bool now);
/// \param now does not wait for further messages to the same rank.
void send(int rank, const Writing& message, bool now) noexcept;

/// The caller's side of a call: waits for a reply.
struct Pending {
  void (*arrived)(Pending*, const std::byte* value, std::size_t bytes, std::exception_ptr error) noexcept;
  int rank;
  std::uint64_t id = 0;
};
void expect(Pending& pending);
/// Forgets a call whose message could not be sent. \return false if its reply has come already.
bool forget(Pending& pending) noexcept;
/// Works on messages until the reply is there; suspends the caller if that takes long.
void await(const charm::detail::Completion& done) noexcept;

/// Sends a result; at most once.
void reply_value(ReplyTo& to, const void* value, std::size_t bytes);

constexpr std::size_t padded(std::size_t bytes, std::size_t alignment) noexcept {
  return (bytes + alignment - 1) / alignment * alignment;
}

template <class T>
struct IsSpan : std::false_type {};
template <class T, std::size_t n>
struct IsSpan<std::span<T, n>> : std::true_type {
  using Element = std::remove_cv_t<T>;
};

template <class T>
inline constexpr bool sendable =
    std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_member_pointer_v<T>;

/// The type as which the function gets an argument.
template <class T, bool span = IsSpan<T>::value>
struct Received {
  static_assert(sendable<T>,
                "arguments of calls to other ranks are values that can be copied as bytes; send a global_ptr for an "
                "address, and elements as a std::span, which must be the last argument");
  using Type = T;
};
template <class T>
struct Received<T, true> {
  static_assert(sendable<typename IsSpan<T>::Element> && alignof(typename IsSpan<T>::Element) <= 8,
                "the elements of a span are copied as bytes, to an address that is a multiple of 8");
  using Type = std::span<const typename IsSpan<T>::Element>;
};

/// The bytes of an argument; of a span its elements, which take all that is left.
template <class T>
constexpr std::size_t size_at(std::size_t at) noexcept {
  if constexpr (IsSpan<T>::value)
    return padded(at, 8);
  else if constexpr (std::is_empty_v<T>)
    return at;
  else
    return at + sizeof(T);
}

template <class T>
std::size_t bytes_of_span(const T& value) noexcept {
  if constexpr (IsSpan<T>::value)
    return value.size_bytes();
  else
    return 0;
}

template <class T>
void write(std::byte* base, std::size_t& at, const T& value) noexcept {
  if constexpr (IsSpan<T>::value) {
    at = padded(at, 8);
    if (!value.empty()) std::memcpy(base + at, value.data(), value.size_bytes());
    at += value.size_bytes();
  } else if constexpr (!std::is_empty_v<T>) {
    std::memcpy(base + at, &value, sizeof(T));
    at += sizeof(T);
  }
}

template <class T>
typename Received<T>::Type read(const std::byte* base, std::size_t& at, std::size_t bytes) noexcept {
  if constexpr (IsSpan<T>::value) {
    using Element = typename IsSpan<T>::Element;
    at = padded(at, 8);
    const std::size_t count = bytes > at ? (bytes - at) / sizeof(Element) : 0;
    return {reinterpret_cast<const Element*>(base + at), count};
  } else {
    std::array<std::byte, sizeof(T)> value{};
    if constexpr (!std::is_empty_v<T>) {
      std::memcpy(value.data(), base + at, sizeof(T));
      at += sizeof(T);
    }
    return std::bit_cast<T>(value);
  }
}

/// A plain function, sent as the number of its code.
template <class R, class... Parameters>
struct FunctionNumber {
  std::uint64_t number;
  R operator()(Parameters... arguments) const {
    return reinterpret_cast<R (*)(Parameters...)>(code_of_number(number))(std::forward<Parameters>(arguments)...);
  }
};

template <class F>
F sent_as(const F& function) {
  static_assert(sendable<F>,
                "a function that other ranks run captures values that can be copied as bytes, and no pointers");
  return function;
}
template <class R, class... Parameters>
FunctionNumber<R, Parameters...> sent_as(R (*function)(Parameters...)) {
  return {number_of_code(reinterpret_cast<std::uintptr_t>(function))};
}

/// A place of the rank that a function was sent to.
struct Spot {
  enum class Kind : std::uint64_t { worker, chiplet, node, address } kind;
  std::uint64_t value;
};
struct Destination {
  int rank;
  Spot spot;
};
/// Runs `body(context)` there as a task, and waits for it. \throws Error (bad_input) if no worker is there, and what
/// `body` throws.
void run_at(const Spot& spot, void (*body)(void*), void* context);

/// A function object that runs at a place of the rank that it was sent to.
template <class F>
struct Placed {
  template <class... Arguments>
  auto operator()(const Arguments&... arguments) -> std::invoke_result_t<F&, const Arguments&...> {
    using Result = std::invoke_result_t<F&, const Arguments&...>;
    if constexpr (std::is_void_v<Result>) {
      auto body = [&] { std::invoke(function, arguments...); };
      run_at(spot, [](void* at) { (*static_cast<decltype(body)*>(at))(); }, &body);
    } else {
      std::optional<Result> result;
      auto body = [&] { result.emplace(std::invoke(function, arguments...)); };
      run_at(spot, [](void* at) { (*static_cast<decltype(body)*>(at))(); }, &body);
      return std::move(*result);
    }
  }
  Spot spot;
  F function;
};
template <class F>
auto placed(const Spot& spot, const F& function) {
  return Placed<decltype(sent_as(function))>{spot, sent_as(function)};
}

template <class F, class... Arguments>
using ResultOf = std::invoke_result_t<F&, typename Received<Arguments>::Type...>;

template <class... Arguments>
constexpr bool spans_are_last() {
  constexpr std::size_t count = sizeof...(Arguments);
  std::size_t index = 0;
  bool fine = true;
  ((fine = fine && (!IsSpan<Arguments>::value || index + 1 == count), ++index), ...);
  return fine;
}

/// The code of a function object F for these arguments.
template <class F, class... Arguments>
void run_message(const std::byte* base, std::size_t bytes, ReplyTo* reply) {
  using Result = ResultOf<F, Arguments...>;
  std::size_t at = 0;
  F function = read<F>(base, at, bytes);
  auto call = [&]() -> Result {
    // Braces, so that the arguments are read in order.
    std::tuple<typename Received<Arguments>::Type...> arguments{read<Arguments>(base, at, bytes)...};
    return std::apply(function, std::move(arguments));
  };
  if (reply == nullptr) {
    static_cast<void>(call());
  } else if constexpr (std::is_void_v<Result>) {
    call();
    reply_value(*reply, nullptr, 0);
  } else {
    const Result result = call();
    reply_value(*reply, &result, sizeof result);
  }
}

/// The id of `pending` precedes the arguments of a request.
template <class F, class... Arguments>
void send_call(int rank, Kind kind, const Pending* pending, bool now, const F& function,
               const Arguments&... arguments) {
  static_assert(spans_are_last<Arguments...>(), "a span must be the last argument of a call to another rank");
  static const std::uint64_t code = number_of_code(reinterpret_cast<std::uintptr_t>(&run_message<F, Arguments...>));
  std::size_t bytes = size_at<F>(0);
  ((bytes = size_at<Arguments>(bytes)), ...);
  ((bytes += bytes_of_span(arguments)), ...);
  constexpr std::size_t id_bytes = sizeof(std::uint64_t);
  const std::size_t head = pending != nullptr ? id_bytes : 0;
  const Writing message = begin(rank, kind, code, head + bytes, now);
  if (pending != nullptr) std::memcpy(message.at, &pending->id, sizeof pending->id);
  std::size_t at = 0;
  write(message.at + head, at, function);
  (write(message.at + head, at, arguments), ...);
  send(rank, message, now);
}

template <class F, class... Arguments>
void send_request(int rank, Pending& pending, bool now, const F& function, const Arguments&... arguments) {
  expect(pending);
  try {
    send_call(rank, Kind::request, &pending, now, function, arguments...);
  } catch (...) {
    if (forget(pending)) throw;
  }
}

template <class R>
void set_result(charm::detail::Result<R>& result, const std::byte* value, std::exception_ptr error) noexcept {
  if (error != nullptr) {
    result.set_error(std::move(error));
  } else if constexpr (std::is_void_v<R>) {
    result.set_from([] {});
  } else {
    result.set_from([value] {
      std::array<std::byte, sizeof(R)> bytes;
      std::memcpy(bytes.data(), value, sizeof(R));
      return std::bit_cast<R>(bytes);
    });
  }
}

/// The reply of a call that waits, on its stack.
template <class R>
struct AwaitedReply : Pending {
  explicit AwaitedReply(int to) noexcept : Pending{&AwaitedReply::fill, to} {}
  static void fill(Pending* pending, const std::byte* value, std::size_t /*bytes*/, std::exception_ptr error) noexcept {
    auto* self = static_cast<AwaitedReply*>(pending);
    set_result(self->result, value, std::move(error));
    self->done.complete();
  }
  charm::detail::Result<R> result;
  charm::detail::Completion done;
};

/// The reply that a future waits for.
template <class R>
struct FutureReply : charm::detail::Shared<R>, Pending {
  explicit FutureReply(int to) noexcept
      : charm::detail::Shared<R>(nullptr, &FutureReply::drop), Pending{&FutureReply::fill, to} {
    this->destroy = [](charm::detail::Shared<R>* shared) noexcept { delete static_cast<FutureReply*>(shared); };
  }
  static void fill(Pending* pending, const std::byte* value, std::size_t /*bytes*/, std::exception_ptr error) noexcept {
    auto* self = static_cast<FutureReply*>(pending);
    set_result(self->result, value, std::move(error));
    self->done.complete();
    self->release();
  }
  /// Never called: no worker runs it.
  static void drop(charm::detail::AwaitedJob* /*job*/, charm::detail::Drop /*step*/) noexcept {}
};

/// Copies memory of a rank into that of the caller, and waits. \throws Error as call() does.
void read_bytes(int rank, const void* from, void* into, std::size_t bytes);

/// Between ranks: `bytes` of each rank at all ranks, in their order.
void gather(const void* mine, std::size_t bytes, void* all);
void broadcast(void* data, std::size_t bytes, int root);

}  // namespace charm::remote::detail
