#include "tools/attach/progress.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "os/files/system_files.hpp"

namespace charm::attach {
namespace {

constexpr double still_s = 1;          // a file that has not changed for so long tells that nothing was done
constexpr double pause_s = 1;          // between the beginnings of two runs of a command
constexpr double most_s = 5;           // that a run may take
constexpr double most_share = 0.01;    // of a cpu, that a command takes
constexpr double unasked_s = 5;        // after so long without a question nobody needs the number
constexpr double closed_look_s = 0.1;  // at a command that has closed its output and has not ended

bool begins_number(std::string_view text, std::size_t at) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]));
  };
  if (at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '.' || text[at - 1] == '_'))
    return false;
  const std::size_t first = at + (text[at] == '-' || text[at] == '+' ? 1 : 0);
  return digit(first) || (first < text.size() && text[first] == '.' && digit(first + 1));
}

std::optional<double> number_at(std::string_view text, std::size_t at, std::size_t& end) {
  const std::string from(text.substr(at));
  char* stopped = nullptr;
  const double number = std::strtod(from.c_str(), &stopped);
  end = at + static_cast<std::size_t>(stopped - from.c_str());
  if (stopped == from.c_str() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::string shown(const std::string& command) { return "the command '" + command + "' of --metric"; }

}  // namespace

std::optional<double> first_number_in(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = 0;
    if (begins_number(text, at)) return number_at(text, at, end);
  }
  return std::nullopt;
}

std::optional<double> last_number_in(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  text = text.substr(0, text.find_last_of(blank) + 1);  // what follows has not ended
  while (true) {
    const std::size_t last = text.find_last_not_of(blank);
    if (last == std::string_view::npos) return std::nullopt;
    text = text.substr(0, last + 1);
    const std::size_t begin = text.find_last_of(blank) + 1;
    std::size_t end = 0;
    if (begins_number(text, begin)) {
      if (const auto number = number_at(text, begin, end); number && end == text.size()) return number;
    }
    text = text.substr(0, begin);
  }
}

std::optional<WorkReport> FileProgress::latest(double now) {
  std::array<char, 256> buffer{};
  const auto number = first_number_in(os::read_start(file_, buffer.data(), buffer.size()));
  trouble_ = number ? "" : "there is no number in the file '" + file_ + "' of --progress";
  // It may be read while it is written.
  if (!number) return latest_;
  if (!latest_ || latest_->done != *number) {
    changed_ = now;
  } else if (now - changed_ < still_s) {
    return latest_;
  }
  return latest_ = WorkReport{*number, now};
}

std::optional<WorkReport> CommandProgress::latest(double now) {
  asked_ = now;
  step(now);
  return latest_;
}

double CommandProgress::step(double now) {
  if (running_) {
    if (const auto result = running_->ended()) {
      running_.reset();
      take(*result, now);
    } else if (!killed_ && now - began_ >= most_s) {
      killed_ = true;
      running_->kill();
    }
  }
  if (running_) return descriptor() < 0 || killed_ ? now + closed_look_s : began_ + most_s;
  if (now - asked_ > unasked_s) return std::numeric_limits<double>::infinity();
  if (now < next_) return next_;
  began_ = now;
  killed_ = false;
  next_ = now + pause_s;
  try {
    running_ = std::make_unique<os::ShellCommand>(command_);
  } catch (const Error& error) {
    trouble_ = shown(command_) + " could not be run: " + error.what();
    return next_;
  }
  return began_ + most_s;
}

void CommandProgress::take(const os::ShellCommand::Result& result, double now) {
  next_ = std::max(next_, began_ + result.cpu_seconds / most_share);
  const auto number = first_number_in(result.said);
  const std::string why = result.last_error.empty() ? "" : ": " + result.last_error;
  if (killed_) {
    trouble_ = shown(command_) + " took longer than 5 s";
  } else if (result.signal != 0 && !result.too_much) {
    trouble_ = shown(command_) + " was ended by signal " + std::to_string(result.signal) + why;
  } else if (result.code != 0 && !result.too_much) {
    trouble_ = shown(command_) + " ended with exit code " + std::to_string(result.code) + why;
  } else if (!number) {
    trouble_ = shown(command_) + " printed no number" + why;
  } else {
    trouble_.clear();
    latest_ = WorkReport{*number, now, next_ + most_s};
  }
}

std::optional<WorkReport> WrittenProgress::latest(double now) {
  std::string text = file_.end();
  const auto number = text == seen_ ? std::nullopt : last_number_in(text);
  seen_ = std::move(text);
  if (number) latest_ = WorkReport{*number, now};
  trouble_ = latest_ ? "" : "the program has written no number to the descriptor of --progress-fd";
  return latest_;
}

}  // namespace charm::attach
