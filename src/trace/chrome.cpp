#include "trace/chrome.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "os/processes/symbol.hpp"
#include "trace/graph.hpp"

namespace charm::trace {

namespace {

using base::Json;

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
      item({{"id", p.worker}, {"cpu", p.cpu}, {"chiplet", p.chiplet}, {"node", p.node}});
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
  void item(const Json& object) {
    put((first_ ? "" : ",\n") + base::json_text(object));
    first_ = false;
  }
  /// Microseconds with three digits after the point, as the format wants them.
  static double us(double ns) { return std::round(std::max(0.0, ns)) / 1000; }
  static long long whole(double ns) { return static_cast<long long>(std::max(0.0, ns)); }
  /// An event of the worker. Viewers take thread 0 for the kernel's idle thread, so worker w is thread w + 1.
  static Json event(const char* phase, int worker) { return {{"ph", phase}, {"pid", 1}, {"tid", worker + 1}}; }
  /// The same with more members.
  static Json event(const char* phase, int worker, const Json& more) {
    Json all = event(phase, worker);
    all.update(more);
    return all;
  }

  const std::string& name(std::uint64_t function) {
    auto [found, fresh] = names_.try_emplace(function);
    if (fresh) found->second = os::symbol(function);
    return found->second;
  }

  void name_track(int worker, const std::string& title, int position) {
    item(event("M", worker, {{"name", "thread_name"}, {"args", {{"name", title}}}}));
    item(event("M", worker, {{"name", "thread_sort_index"}, {"args", {{"sort_index", position}}}}));
  }

  void name_tracks() {
    item({{"ph", "M"}, {"pid", 1}, {"name", "process_name"}, {"args", {{"name", "CHARM"}}}});
    for (const Place& p : recording_.places) {
      std::string title = "worker " + std::to_string(p.worker);
      if (p.cpu >= 0) {
        title += " (cpu " + std::to_string(p.cpu) + ", chiplet " + std::to_string(p.chiplet) + ", node " +
                 std::to_string(p.node) + ")";
      }
      name_track(p.worker, title, p.worker);
    }
    name_track(decisions(), "decisions", -1);
  }
  [[nodiscard]] int decisions() const { return static_cast<int>(recording_.places.size()); }

  /// A slice for every part of the task, and arrows from where it suspended to where it went on.
  void slices(const Task& task) {
    for (std::size_t i = 0; i < task.parts.size(); ++i) {
      const Part& part = task.parts[i];
      item(event("X", part.worker,
                 {{"cat", "task"},
                  {"name", name(task.function)},
                  {"ts", us(part.from)},
                  {"dur", us(part.to - part.from)},
                  {"args", {{"task", task.id}, {"parent", task.parent}}}}));
      if (i + 1 == task.parts.size()) continue;
      const Part& next = task.parts[i + 1];
      const Json both = {{"cat", "wait"}, {"name", "wait"}, {"id", std::to_string(task.id) + "." + std::to_string(i)}};
      // An arrow belongs to the slice that contains its time: so its start has to lie before the slice's end.
      Json start = event("s", part.worker, both);
      start["ts"] = us(std::max(part.from, part.to - 1));
      item(start);
      Json end = event("f", next.worker, both);
      end["bp"] = "e";
      end["ts"] = us(next.from);
      item(end);
    }
  }

  /// Slices for the time in which workers did not run tasks.
  void states() {
    struct Now {
      State state = State::busy;
      double since = 0;
    };
    std::unordered_map<int, Now> now;
    auto close = [&](int worker, const Now& was, double until) {
      if (was.state == State::busy) return;
      item(event("X", worker,
                 {{"cat", "idle"},
                  {"name", was.state == State::parked ? "parked" : "searching"},
                  {"ts", us(was.since)},
                  {"dur", us(until - was.since)}}));
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
    Json arguments;
    const char* what = nullptr;
    switch (e.kind) {
      case Kind::steal: {
        static constexpr const char* distances[] = {"chiplet", "node", "far"};
        what = "steal";
        arguments = {{"victim", e.number}, {"distance", distances[std::min<std::size_t>(e.detail, 2)]}};
        break;
      }
      case Kind::wake:
        what = "wake";
        arguments = {{"worker", e.number}};
        break;
      case Kind::move:
        what = "move";
        arguments = {
            {"cpu", e.number}, {"chiplet", static_cast<std::int64_t>(e.a)}, {"node", static_cast<std::int64_t>(e.b)}};
        break;
      case Kind::resume:
        if (e.number == record.worker) return;
        what = "migration";
        arguments = {{"from", e.number}};
        break;
      case Kind::sample: {
        const bool stacks = static_cast<Gauge>(e.detail) == Gauge::stacks;
        item({{"ph", "C"},
              {"pid", 1},
              {"name", stacks ? "stacks" : "resident bytes"},
              {"ts", us(recording_.ns(e.at))},
              {"args", {{"value", e.a}}}});
        return;
      }
      default:
        return;
    }
    item(event("i", record.worker,
               {{"s", "t"},
                {"cat", "sched"},
                {"name", what},
                {"ts", us(recording_.ns(e.at))},
                {"args", std::move(arguments)}}));
  }

  void write(const Note& note) {
    const double at = us(recording_.ns(note.at));
    if (note.arguments.empty()) {
      item({{"ph", "C"}, {"pid", 1}, {"name", note.name}, {"ts", at}, {"args", {{"value", note.value}}}});
    } else {
      item(event("i", decisions(),
                 {{"s", "p"},
                  {"cat", "decision"},
                  {"name", note.name},
                  {"ts", at},
                  {"args", Json::parse(note.arguments, nullptr, false)}}));
    }
  }

  /// One line of the task graph.
  void write(const Task& task) {
    static constexpr const char* edges[] = {"root", "spawn", "fork"};
    Json parts = Json::array();
    for (const Part& p : task.parts)
      parts.push_back({{"worker", p.worker}, {"start_ns", whole(p.from)}, {"run_ns", whole(p.to - p.from)}});
    Json waits = Json::array();
    for (const Wait& w : task.waits) {
      waits.push_back({{"after_ns", whole(w.after)},
                       {"wait_ns", whole(w.length)},
                       {"by", w.by},
                       {"by_after_ns", whole(w.by_after)}});
    }
    item({{"id", task.id},
          {"name", name(task.function)},
          {"parent", task.parent},
          {"edge", edges[static_cast<std::size_t>(task.edge)]},
          {"parent_after_ns", whole(task.parent_after)},
          {"run_ns", whole(task.ran)},
          {"ended", task.ended},
          {"parts", std::move(parts)},
          {"waits", std::move(waits)}});
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
