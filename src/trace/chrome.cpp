#include "trace/chrome.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>
#include <utility>

#include "trace/graph.hpp"
#include "trace/symbol.hpp"

namespace charm::trace {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += code;
    } else {
      out += c;
    }
  }
  return out += '"';
}

/// Not printf, whose decimal point is the locale's.
std::string number(double value, int digits) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits).ptr;
  return {text, end};
}

std::string as_signed(std::uint64_t value) { return std::to_string(static_cast<std::int64_t>(value)); }

class Writer {
 public:
  Writer(Recording& recording, std::FILE* file) : recording_(recording), file_(file) {}

  bool write() {
    const std::vector<Task> tasks = task_graph(recording_);
    put("{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"runtime\":\"charm\",\"dropped\":\"" +
        std::to_string(recording_.dropped) + "\"},\n\"traceEvents\":[\n");
    name_tracks();
    for (const Task& task : tasks) slices(task);
    states();
    for (const WorkerEvent& record : recording_.events) instant(record);
    for (const Note& note : recording_.notes) write(note);
    put("\n],\n\"charm\":{\"version\":1,\"dropped\":" + std::to_string(recording_.dropped) + ",\n\"workers\":[");
    first_ = true;
    for (const Place& p : recording_.places) {
      item("{\"id\":" + std::to_string(p.worker) + ",\"cpu\":" + std::to_string(p.cpu) +
           ",\"chiplet\":" + std::to_string(p.chiplet) + ",\"node\":" + std::to_string(p.node) + "}");
    }
    put("],\n\"tasks\":[\n");
    first_ = true;
    for (const Task& task : tasks) write(task);
    put("\n]}}\n");
    return good_;
  }

 private:
  void put(const std::string& text) {
    if (good_ && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) good_ = false;
  }
  void item(const std::string& text) {
    put(first_ ? text : ",\n" + text);
    first_ = false;
  }
  /// Microseconds with three digits after the point, as the format wants them.
  static std::string us(double ns) { return number(std::max(0.0, ns) / 1000, 3); }
  static std::string whole(double ns) { return std::to_string(static_cast<long long>(std::max(0.0, ns))); }
  /// Viewers take thread 0 for the kernel's idle thread, so worker w is thread w + 1.
  static std::string on(int worker) { return "\"pid\":1,\"tid\":" + std::to_string(worker + 1); }

  const std::string& name(std::uint64_t function) {
    auto [found, fresh] = names_.try_emplace(function);
    if (fresh) found->second = quoted(symbol(function));
    return found->second;
  }

  void name_tracks() {
    item(R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"CHARM"}})");
    for (const Place& p : recording_.places) {
      std::string title = "worker " + std::to_string(p.worker);
      if (p.cpu >= 0) {
        title += " (cpu " + std::to_string(p.cpu) + ", chiplet " + std::to_string(p.chiplet) + ", node " +
                 std::to_string(p.node) + ")";
      }
      item("{\"ph\":\"M\"," + on(p.worker) + R"(,"name":"thread_name","args":{"name":)" + quoted(title) + "}}");
      item("{\"ph\":\"M\"," + on(p.worker) + R"(,"name":"thread_sort_index","args":{"sort_index":)" +
           std::to_string(p.worker) + "}}");
    }
    item("{\"ph\":\"M\"," + on(decisions()) + R"(,"name":"thread_name","args":{"name":"decisions"}})");
    item("{\"ph\":\"M\"," + on(decisions()) + R"(,"name":"thread_sort_index","args":{"sort_index":-1}})");
  }
  [[nodiscard]] int decisions() const { return static_cast<int>(recording_.places.size()); }

  /// A slice for every part of the task, and arrows from where it suspended to where it went on.
  void slices(const Task& task) {
    for (std::size_t i = 0; i < task.parts.size(); ++i) {
      const Part& part = task.parts[i];
      item("{\"ph\":\"X\"," + on(part.worker) + ",\"cat\":\"task\",\"name\":" + name(task.function) +
           ",\"ts\":" + us(part.from) + ",\"dur\":" + us(part.to - part.from) +
           ",\"args\":{\"task\":" + std::to_string(task.id) + ",\"parent\":" + std::to_string(task.parent) + "}}");
      if (i + 1 == task.parts.size()) continue;
      const Part& next = task.parts[i + 1];
      const std::string both =
          R"(,"cat":"wait","name":"wait","id":")" + std::to_string(task.id) + "." + std::to_string(i) + "\"";
      // An arrow hangs on the slice that encloses its time: its start has to lie before the slice's end.
      item("{\"ph\":\"s\"," + on(part.worker) + both + ",\"ts\":" + us(std::max(part.from, part.to - 1)) + "}");
      item("{\"ph\":\"f\",\"bp\":\"e\"," + on(next.worker) + both + ",\"ts\":" + us(next.from) + "}");
    }
  }

  /// What the workers did when they did not run tasks.
  void states() {
    struct Now {
      State state = State::busy;
      double since = 0;
    };
    std::unordered_map<int, Now> now;
    auto close = [&](int worker, const Now& was, double until) {
      if (was.state == State::busy) return;
      item("{\"ph\":\"X\"," + on(worker) + R"(,"cat":"idle","name":")" +
           (was.state == State::parked ? "parked" : "searching") + "\",\"ts\":" + us(was.since) +
           ",\"dur\":" + us(until - was.since) + "}");
    };
    for (const WorkerEvent& record : recording_.events) {
      if (record.event.kind != Kind::state) continue;
      const double at = recording_.ns(record.event.at);
      Now& was = now[record.worker];
      close(record.worker, was, at);
      was = {static_cast<State>(record.event.detail), at};
    }
    for (const auto& [worker, was] : now) close(worker, was, recording_.ns(recording_.now));
  }

  void instant(const WorkerEvent& record) {
    const Event& e = record.event;
    std::string arguments;
    const char* what = nullptr;
    switch (e.kind) {
      case Kind::steal: {
        static constexpr const char* distances[] = {"chiplet", "node", "far"};
        what = "steal";
        arguments = "\"victim\":" + std::to_string(e.number) + ",\"distance\":\"" +
                    distances[std::min<std::size_t>(e.detail, 2)] + "\"";
        break;
      }
      case Kind::wake:
        what = "wake";
        arguments = "\"worker\":" + std::to_string(e.number);
        break;
      case Kind::move:
        what = "move";
        arguments =
            "\"cpu\":" + std::to_string(e.number) + ",\"chiplet\":" + as_signed(e.a) + ",\"node\":" + as_signed(e.b);
        break;
      case Kind::resume:
        if (e.number == record.worker) return;
        what = "migration";
        arguments = "\"from\":" + std::to_string(e.number);
        break;
      case Kind::sample: {
        const bool stacks = static_cast<Gauge>(e.detail) == Gauge::stacks;
        item(std::string(R"({"ph":"C","pid":1,"name":")") + (stacks ? "stacks" : "resident bytes") +
             "\",\"ts\":" + us(recording_.ns(e.at)) + ",\"args\":{\"value\":" + std::to_string(e.a) + "}}");
        return;
      }
      default:
        return;
    }
    item("{\"ph\":\"i\",\"s\":\"t\"," + on(record.worker) + ",\"cat\":\"sched\",\"name\":\"" + what +
         "\",\"ts\":" + us(recording_.ns(e.at)) + ",\"args\":{" + arguments + "}}");
  }

  void write(const Note& note) {
    const std::string at = ",\"ts\":" + us(recording_.ns(note.at)) + ",\"args\":";
    if (note.arguments.empty()) {
      item("{\"ph\":\"C\",\"pid\":1,\"name\":" + quoted(note.name) + at + "{\"value\":" + number(note.value, 9) + "}}");
    } else {
      item("{\"ph\":\"i\",\"s\":\"p\"," + on(decisions()) + ",\"cat\":\"decision\",\"name\":" + quoted(note.name) + at +
           note.arguments + "}");
    }
  }

  /// One line of the task graph.
  void write(const Task& task) {
    static constexpr const char* edges[] = {"root", "spawn", "fork"};
    std::string line = "{\"id\":" + std::to_string(task.id) + ",\"name\":" + name(task.function) +
                       ",\"parent\":" + std::to_string(task.parent) + ",\"edge\":\"" +
                       edges[static_cast<std::size_t>(task.edge)] +
                       "\",\"parent_after_ns\":" + whole(task.parent_after) + ",\"run_ns\":" + whole(task.ran) +
                       ",\"ended\":" + (task.ended ? "true" : "false") + ",\"parts\":[";
    for (std::size_t i = 0; i < task.parts.size(); ++i) {
      const Part& p = task.parts[i];
      line += std::string(i == 0 ? "" : ",") + "{\"worker\":" + std::to_string(p.worker) +
              ",\"start_ns\":" + whole(p.from) + ",\"run_ns\":" + whole(p.to - p.from) + "}";
    }
    line += "],\"waits\":[";
    for (std::size_t i = 0; i < task.waits.size(); ++i) {
      const Wait& w = task.waits[i];
      line += std::string(i == 0 ? "" : ",") + "{\"after_ns\":" + whole(w.after) + ",\"wait_ns\":" + whole(w.length) +
              ",\"by\":" + std::to_string(w.by) + ",\"by_after_ns\":" + whole(w.by_after) + "}";
    }
    item(line + "]}");
  }

  Recording& recording_;
  std::FILE* file_;
  std::unordered_map<std::uint64_t, std::string> names_;
  bool first_ = true;
  bool good_ = true;
};

}  // namespace

bool write_chrome(Recording& recording, std::FILE* file) { return Writer(recording, file).write(); }

}  // namespace charm::trace
