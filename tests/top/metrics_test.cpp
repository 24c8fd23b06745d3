// Metrics as a monitoring system reads them, the server that hands them out, and the dashboard that shows them.
#include "tools/top/metrics.hpp"

#include <charm/error.hpp>

#include <chrono>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include "base/text.hpp"
#include "tools/top/event_choice.hpp"
#include "tools/top/metrics_server.hpp"

namespace {

using namespace charm;
using namespace charm::top;
using charm::test::has;

/// An interval of two seconds of a machine with two chiplets and everything that can be known.
Snapshot an_interval() {
  Snapshot s;
  s.interval_s = 2;
  s.program = "graph\"500\"\\\n\xff";
  s.pid = 4242;
  s.threads = 3;
  s.busy_cpus = 1.5;
  s.machine_busy = 0.25;
  const counters::FillSet has = {counters::FillSource::other_chiplet, counters::FillSource::local_dram};
  FillRates fills;
  fills.has = has;
  fills.per_s[index(counters::FillSource::other_chiplet)] = 100;
  fills.per_s[index(counters::FillSource::local_dram)] = 1e6;
  s.fills = fills;
  s.memory_gb_per_s = 0.064;
  for (int id = 0; id < 2; ++id) {
    ChipletShare chiplet;
    chiplet.id = id;
    chiplet.node = id;
    chiplet.busy = id == 0 ? 0.5 : 0;
    chiplet.threads = id == 0 ? 2 : 0;
    chiplet.cores = {{2 * id, chiplet.busy}, {2 * id + 1, chiplet.busy}};
    chiplet.fills = fills;
    s.chiplets.push_back(chiplet);
  }
  for (const int chiplet : {0, 0, -1}) {
    ThreadShare row;
    row.chiplet = chiplet;
    row.busy = 0.5;
    row.name = "secret-name";
    s.rows.push_back(row);
  }
  s.moves_seen = 7;
  s.controller = ControllerState{.policy = "adaptive", .workers = 4, .spread = 2, .decisions = 9, .latest = {}};
  return s;
}

std::string after(int intervals, MetricFormat format = MetricFormat::openmetrics) {
  Metrics metrics("0.1.0");
  for (int i = 0; i < intervals; ++i) metrics.add(an_interval());
  return metrics.text(format);
}

TEST(Metrics, AreTotalsSinceTheBeginning) {
  const std::string text = after(3);
  for (const char* line :
       {"charm_intervals_total 3\n", "charm_interval_seconds 2\n", "charm_machine_busy_ratio 0.25\n",
        "charm_watched_cpu_seconds_total 9\n", "charm_watched_unplaced_cpu_seconds_total 3\n",
        "charm_thread_moves_total 7\n", "charm_chiplet_cores{chiplet=\"1\",node=\"1\"} 2\n",
        "charm_chiplet_busy_core_seconds_total{chiplet=\"0\",node=\"0\"} 6\n",
        "charm_chiplet_busy_core_seconds_total{chiplet=\"1\",node=\"1\"} 0\n",
        "charm_chiplet_watched_cpu_seconds_total{chiplet=\"0\",node=\"0\"} 6\n",
        "charm_chiplet_watched_threads{chiplet=\"0\",node=\"0\"} 2\n",
        "charm_cache_fills_total{source=\"other_chiplet\"} 600\n",
        "charm_chiplet_cache_fills_total{chiplet=\"1\",node=\"1\",source=\"local_dram\"} 6000000\n",
        "charm_memory_read_bytes_total 384000000\n", "charm_controller_info{policy=\"adaptive\"} 1\n",
        "charm_controller_chiplets 2\n", "charm_controller_decisions_total 9\n", "charm_fills_counted 1\n"})
    EXPECT_TRUE(has(text, line)) << line << "\n" << text;
  EXPECT_TRUE(has(text, R"(charm_watched_info{program="graph\"500\"\\\n)"
                        "\xEF\xBF\xBD"
                        R"(",pid="4242"} 1)"))
      << text;
}

TEST(Metrics, FollowTheConventionsOfOpenMetrics) {
  const std::string text = after(1);
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
  std::istringstream lines(text);
  std::string family, type, unit;
  std::set<std::string> seen;
  bool ended = false;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_FALSE(ended) << "something follows # EOF";
    std::istringstream words(line);
    std::string hash, what, name, value;
    words >> hash >> what >> name >> value;
    if (line == "# EOF") {
      ended = true;
    } else if (hash == "#" && what == "TYPE") {
      family = name, type = value, unit = "";
      EXPECT_TRUE(seen.insert(name).second) << "a family stands in one place: " << name;
      EXPECT_TRUE(name.starts_with("charm_") && !name.ends_with("_total") && !name.ends_with("_info")) << name;
    } else if (hash == "#" && what == "UNIT") {
      EXPECT_EQ(name, family);
      EXPECT_TRUE(name.ends_with("_" + value)) << name << " must end with its unit";
    } else if (hash == "#" && what == "HELP") {
      EXPECT_EQ(name, family);
    } else {
      const std::string sample = line.substr(0, line.find_first_of("{ "));
      EXPECT_EQ(sample, family + (type == "counter" ? "_total" : type == "info" ? "_info" : "")) << line;
    }
  }
  EXPECT_TRUE(ended);
}

TEST(Metrics, HaveTheSameSamplesInTheOlderFormat) {
  const auto samples = [](const std::string& text) {
    std::istringstream lines(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("#")) all.push_back(line);
    }
    return all;
  };
  const std::string text = after(2, MetricFormat::prometheus);
  EXPECT_EQ(samples(text), samples(after(2)));
  EXPECT_FALSE(has(text, "# EOF"));
  EXPECT_FALSE(has(text, "# UNIT"));
  EXPECT_TRUE(has(text, "# TYPE charm_intervals_total counter\n"));
  EXPECT_TRUE(has(text, "# TYPE charm_top_info gauge\n"));
}

TEST(Metrics, HaveAsManySeriesAsTheMachineHasChipletsWhateverRuns) {
  const auto series = [](int threads, int interval_count) {
    Metrics metrics("0.1.0");
    for (int i = 0; i < interval_count; ++i) {
      Snapshot s = an_interval();
      for (int t = 0; t < threads; ++t) {
        ThreadShare row;
        row.tid = 1000 * i + t;
        row.name = "thread-" + std::to_string(row.tid);
        row.chiplet = t % 2;
        s.rows.push_back(row);
      }
      metrics.add(s);
    }
    const std::string text = metrics.text(MetricFormat::openmetrics);
    EXPECT_FALSE(has(text, "secret-name")) << "threads are not named";
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(series(0, 1), series(500, 20));
  const std::string longest = label("program", std::string(1000, 'x') + "計");
  EXPECT_LE(longest.size(), 64 + std::string("program=\"\"").size());
}

TEST(Metrics, WithoutCountersLeaveOutWhatIsNotKnown) {
  Metrics metrics("0.1.0");
  Snapshot s = an_interval();
  s.fills.reset();
  s.memory_gb_per_s.reset();
  s.controller.reset();
  for (auto& chiplet : s.chiplets) chiplet.fills.reset();
  metrics.add(s);
  const std::string text = metrics.text(MetricFormat::openmetrics);
  for (const char* name : {"charm_cache_fills", "charm_memory_read", "charm_controller"}) EXPECT_FALSE(has(text, name));
  EXPECT_TRUE(has(text, "charm_fills_counted 0\n"));
}

// ---- the server ----

/// Sends a request and reads until the connection is closed.
std::string ask(const std::string& url, const std::string& request) {
  const bool v6 = has(url, "[");
  const int port = std::stoi(url.substr(url.rfind(':') + 1));
  const int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
  int connected = -1;
  if (v6) {
    sockaddr_in6 to{};
    to.sin6_family = AF_INET6;
    to.sin6_port = htons(static_cast<std::uint16_t>(port));
    to.sin6_addr = in6addr_loopback;
    connected = connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  } else {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected = connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  std::string answer;
  if (connected == 0 && send(fd, request.data(), request.size(), MSG_NOSIGNAL) >= 0) {
    char part[4096];
    for (ssize_t got = 0; (got = recv(fd, part, sizeof part, 0)) > 0;)
      answer.append(part, static_cast<std::size_t>(got));
  }
  close(fd);
  return answer;
}

std::string get(const std::string& path, const std::string& more = "", const std::string& method = "GET") {
  return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + more + "\r\n";
}

TEST(MetricsServer, AnswersScrapesInTheFormatThatTheyAccept) {
  MetricsServer server(metrics_address("127.0.0.1:0", false));
  server.publish("open\n# EOF\n", "older\n");
  EXPECT_TRUE(std::regex_match(server.url(), std::regex("http://127\\.0\\.0\\.1:[0-9]+/metrics"))) << server.url();
  const std::string open =
      ask(server.url(), get("/metrics?x=1", "Accept: application/openmetrics-text;version=1.0.0\r\n"));
  EXPECT_TRUE(open.starts_with("HTTP/1.1 200")) << open;
  EXPECT_TRUE(has(open, "Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n")) << open;
  EXPECT_TRUE(open.ends_with("\r\n\r\nopen\n# EOF\n")) << open;
  const std::string older = ask(server.url(), get("/metrics", "Accept: text/plain\r\n"));
  EXPECT_TRUE(has(older, "Content-Type: text/plain; version=0.0.4")) << older;
  EXPECT_TRUE(older.ends_with("\r\n\r\nolder\n")) << older;
  server.publish("later\n", "");
  const std::string head = ask(server.url(), get("/metrics", "Accept: application/openmetrics-text\r\n", "HEAD"));
  EXPECT_TRUE(has(head, "Content-Length: 6\r\n") && head.ends_with("\r\n\r\n")) << head;
}

TEST(MetricsServer, RefusesWhatItDoesNotServe) {
  MetricsServer server(metrics_address("[::1]:0", false));
  EXPECT_TRUE(has(server.url(), "http://[::1]:")) << server.url();
  EXPECT_TRUE(ask(server.url(), get("/")).starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(ask(server.url(), get("/etc/passwd")).starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(
      ask(server.url(), get("/metrics", "Content-Length: 5\r\n", "POST") + "12345").starts_with("HTTP/1.1 405"));
  EXPECT_EQ(ask(server.url(), get("/metrics", "X: " + std::string(100000, 'x') + "\r\n")), "") << "too long a head";
  EXPECT_EQ(ask(server.url(), "nonsense\r\n\r\n"), "");
  const std::string elsewhere = "GET /metrics HTTP/1.1\r\nHost: example.org:80\r\nConnection: close\r\n\r\n";
  EXPECT_TRUE(ask(server.url(), elsewhere).starts_with("HTTP/1.1 403")) << "a browser's page with a name of its own";
}

TEST(MetricsServer, EndsAlsoWithOpenConnections) {
  auto server = std::make_unique<MetricsServer>(metrics_address("localhost:0", false));
  const std::string url = server->url();
  std::string answer = "not yet";
  std::thread waits([&] { answer = ask(url, "GET /metrics HTTP/1.1\r\n"); });  // a head that does not end
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server.reset();
  waits.join();
  EXPECT_EQ(answer, "");
}

TEST(MetricsServer, AnswersWhileManyConnectionsAreIdle) {
  MetricsServer server(metrics_address("127.0.0.1:0", false));
  const int port = std::stoi(server.url().substr(server.url().rfind(':') + 1));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<int> idle;
  for (int i = 0; i < 100; ++i) {
    idle.push_back(socket(AF_INET, SOCK_STREAM, 0));
    ASSERT_EQ(connect(idle.back(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  EXPECT_TRUE(ask(server.url(), get("/metrics")).starts_with("HTTP/1.1 200"));
  for (const int each : idle) close(each);
}

std::string refusal_of(const std::string& address, bool anywhere = false) {
  try {
    metrics_address(address, anywhere);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.what() + std::string("; ") + error.remedy();
  }
  return "";
}

TEST(MetricsAddress, IsOneOfThisMachineUnlessAnotherIsWanted) {
  for (const char* own : {"127.0.0.1:9400", "127.1.2.3:1", "[::1]:65535", "localhost:0"})
    EXPECT_EQ(refusal_of(own), "");
  for (const char* open : {"0.0.0.0:9400", "[::]:9400", "192.0.2.1:80", "[fe80::1]:80", "[::ffff:1.2.3.4]:80"}) {
    EXPECT_TRUE(has(refusal_of(open), "--metrics-anywhere")) << open;
    EXPECT_EQ(refusal_of(open, true), "") << open;
  }
  for (const char* wrong : {"", ":", "9400", ":9400", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                            "::1:80", "[::1]80", "[127.0.0.1]:80", "[::1:80", "example.org:80", "127.0.0.1:80 "})
    EXPECT_TRUE(has(refusal_of(wrong, true), "127.0.0.1:9400")) << wrong << ": " << refusal_of(wrong, true);
}

TEST(MetricsServer, SaysWhyItCannotListen) {
  const MetricsServer first(metrics_address("127.0.0.1:0", false));
  MetricsAddress taken = metrics_address("127.0.0.1:0", false);
  taken.port = static_cast<std::uint16_t>(std::stoi(first.url().substr(first.url().rfind(':') + 1)));
  try {
    const MetricsServer second(taken);
    FAIL() << "two servers at one address";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::system);
    EXPECT_TRUE(has(error.what(), "in use")) << error.what();
  }
}

// ---- the dashboard ----

void add_expressions(const nlohmann::json& value, std::vector<std::string>& all) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      if ((key == "expr" || key == "definition") && member.is_string()) all.push_back(member);
      add_expressions(member, all);
    }
  } else if (value.is_array()) {
    for (const auto& member : value) add_expressions(member, all);
  }
}

TEST(Dashboard, AsksForMetricsAndLabelsThatThereAre) {
  std::ifstream file(CHARM_DASHBOARD);
  const auto dashboard = nlohmann::json::parse(file);
  std::vector<std::string> expressions;
  add_expressions(dashboard, expressions);
  ASSERT_GE(expressions.size(), 10U);
  std::set<std::string> names, labels = {"instance"};  // which Prometheus itself adds
  const std::string text = after(1, MetricFormat::prometheus);
  const std::regex sample("^([a-z_]+)(\\{.*\\})? ", std::regex::multiline);
  for (std::sregex_iterator at(text.begin(), text.end(), sample), end; at != end; ++at) {
    names.insert((*at)[1]);
    const std::string inside = (*at)[2];
    const std::regex name("([a-z]+)=\"");
    for (std::sregex_iterator one(inside.begin(), inside.end(), name); one != end; ++one) labels.insert((*one)[1]);
  }
  std::set<std::string> shown;
  for (const std::string& expression : expressions) {
    const std::regex metric("charm_[a-z_]+");
    ASSERT_TRUE(std::regex_search(expression, metric)) << expression;
    const std::sregex_iterator end;
    for (std::sregex_iterator at(expression.begin(), expression.end(), metric); at != end; ++at) {
      EXPECT_TRUE(names.contains(at->str())) << at->str() << " in " << expression;
      shown.insert(at->str());
    }
    const std::regex label("([a-z_]+)=~?\"|by \\(([a-z_]+)\\)");
    for (std::sregex_iterator at(expression.begin(), expression.end(), label); at != end; ++at) {
      const std::string name = (*at)[1].matched ? (*at)[1] : (*at)[2];
      EXPECT_TRUE(labels.contains(name)) << name << " in " << expression;
    }
  }
  for (const std::string& name : names) {
    const bool of_the_measuring = name.starts_with("charm_interval");
    EXPECT_TRUE(of_the_measuring || shown.contains(name)) << name << " is on no panel";
  }
}

// ---- the choice of events ----

counters::EventPlan a_plan() {
  counters::EventPlan plan;
  plan.groups.resize(2);
  const auto add = [&](std::size_t group, counters::EventRole role, counters::FillSource source) {
    counters::Planned planned;
    planned.role = role;
    planned.source = source;
    plan.groups[group].push_back(planned);
  };
  add(0, counters::EventRole::instructions, counters::FillSource::other);
  add(0, counters::EventRole::cycles, counters::FillSource::other);
  add(0, counters::EventRole::fill, counters::FillSource::other_chiplet);
  add(1, counters::EventRole::fill, counters::FillSource::local_dram);
  for (const auto source : {counters::FillSource::other_chiplet, counters::FillSource::local_dram})
    plan.classes.push_back({source, {source}, "lines"});
  return plan;
}

TEST(EventChoice, TakesAllOrNoneOrAPart) {
  const auto count = [](const std::string& text) {
    std::size_t events = 0;
    for (const auto& group : chosen(a_plan(), event_choice(text)).groups) events += group.size();
    return events;
  };
  EXPECT_EQ(count(""), 4U);
  EXPECT_EQ(count("all"), 4U);
  EXPECT_EQ(count("local_dram,instructions"), 2U);
  EXPECT_EQ(count("cycles"), 1U);
  EXPECT_EQ(count("none"), 0U);
  EXPECT_TRUE(event_choice("none").none);
  const auto plan = chosen(a_plan(), event_choice("local_dram"));
  ASSERT_EQ(plan.groups.size(), 1U) << "a group without events is none";
  ASSERT_EQ(plan.classes.size(), 1U);
  EXPECT_EQ(plan.classes[0].reported_as, counters::FillSource::local_dram);
  EXPECT_EQ(event_choice("local_dram=4:0x8f43").own.size(), 1U);
  for (const char* wrong : {"local_drum", "local_dram,", ",", "none,cycles", "local_dram=what"})
    EXPECT_THROW(event_choice(wrong), Error) << wrong;
}

}  // namespace
