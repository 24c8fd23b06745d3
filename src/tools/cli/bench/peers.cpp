#include "tools/cli/bench/peers.hpp"

#include <charm/error.hpp>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <system_error>

#include <fmt/format.h>

#include "tools/os/measured_child.hpp"

namespace charm::cli {
namespace {

constexpr std::size_t most_output = std::size_t{16} << 20U;

std::string last_line(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

PeerFolder::PeerFolder() {
  std::error_code error;
  path_ = (std::filesystem::temp_directory_path(error) / "charm-peers-XXXXXX").string();
  if (error || mkdtemp(path_.data()) == nullptr)
    throw Error(Errc::system, "no folder can be made for what peers read", "set TMPDIR to one that can be written");
}

PeerFolder::~PeerFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

PeerSaid run_peer(const PeerCall& call) {
  os::ChildRequest request;
  request.words = call.words;
  request.variables = call.variables;
  request.variables.push_back(fmt::format("OMP_NUM_THREADS={}", call.threads));
  request.output_bytes = most_output;
  request.tail_bytes = most_output;
  request.may_be_stopped = true;
  const os::ChildResult child = os::run_child(request);
  const std::string command = fmt::format("{}", fmt::join(call.words, " "));
  if (child.start_error != 0) {
    throw Error(Errc::bad_input,
                "cannot run '" + call.words.front() + "': " + std::generic_category().message(child.start_error),
                "give the path of a program");
  }
  if (child.interrupted != 0) throw Error(Errc::cancelled, "stopped while '" + command + "' ran", "run it again");
  if (child.exit_code != 0 || child.signal != 0) {
    const std::string last = last_line(child.error_tail.empty() ? child.said : child.error_tail);
    throw Error(Errc::system,
                fmt::format("'{}' ended with {} {}{}", command, child.signal != 0 ? "signal" : "exit code",
                            child.signal != 0 ? child.signal : child.exit_code, last.empty() ? "" : ": " + last),
                "run it by hand");
  }
  return {child.said + child.error_tail, child.wall_s, child.peak_bytes};
}

std::vector<double> printed(const PeerSaid& said, const std::string& pattern, std::size_t least) {
  const std::regex regex(pattern);
  std::vector<double> all;
  for (std::sregex_iterator at(said.text.begin(), said.text.end(), regex), end; at != end; ++at)
    all.push_back(std::strtod((*at)[1].str().c_str(), nullptr));
  if (all.size() < least) {
    throw Error(Errc::system,
                fmt::format("the peer printed {} of {} lines that match '{}'; its last line is '{}'", all.size(), least,
                            pattern, last_line(said.text)),
                "is it the program that --peer names?");
  }
  return all;
}

std::string program_in(const std::string& folder_or_program, const std::string& name) {
  const std::filesystem::path path(folder_or_program);
  std::error_code ignored;
  const auto program = std::filesystem::is_directory(path, ignored) ? path / name : path;
  if (!std::filesystem::exists(program, ignored))
    throw Error(Errc::bad_input, "there is no program '" + program.string() + "'", "build it, or give its folder");
  return std::filesystem::absolute(program).string();  // a bare name would be looked up in PATH
}

}  // namespace charm::cli
