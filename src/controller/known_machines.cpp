#include "controller/known_machines.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

namespace charm::controller {
namespace {

constexpr std::array<KnownMachine, 24> machines{{
    {"core-ultra-155h", 1, 1, 2, 16, {15, 120, 200, 140, 250}, 10, 70, 80},
    {"epyc-7713", 1, 1, 8, 64, {13.1, 106, 197, 105, 200}, 8, 45, 155},
    {"epyc-7713-2s", 2, 2, 16, 128, {13.1, 106, 197, 105, 200}, 8, 45, 155},
    {"epyc-7742", 2, 2, 32, 128, {10.3, 132, 267, 122, 230}, 8, 30, 145},
    {"epyc-7773x", 1, 1, 8, 64, {14.3, 106, 197, 105, 200}, 8, 45, 155},
    {"epyc-9224-cxl", 2, 5, 8, 48, {13, 100, 195, 107, 200}, 10, 62, 200},
    {"epyc-9274f", 2, 2, 16, 48, {13, 100, 195, 107, 200}, 10, 62, 370},
    {"epyc-9355p", 1, 1, 8, 32, {12, 100, 190, 130, 200}, 10, 100, 430},
    {"epyc-9654", 1, 1, 12, 96, {13, 100, 195, 107, 200}, 10, 62, 370},
    {"epyc-9755", 1, 1, 16, 128, {12, 100, 190, 130, 200}, 10, 62, 480},
    {"epyc-9965", 1, 1, 12, 192, {15, 100, 190, 130, 200}, 10, 62, 480},
    {"gb10", 1, 1, 2, 20, {14, 120, 200, 113, 250}, 10, 110, 220},
    {"grace", 1, 1, 1, 72, {38, 55, 250, 140, 330}, 10, 0, 430},
    {"graviton-3", 1, 1, 1, 64, {28, 48, 200, 118, 200}, 8, 0, 250},
    {"graviton-4", 1, 1, 1, 96, {30, 45, 138.6, 122, 200}, 10, 0, 430},
    {"kunpeng-920-128", 2, 4, 4, 128, {20, 81, 190, 110, 230}, 6, 0, 84},
    {"kunpeng-920-64", 1, 2, 2, 64, {20, 81, 190, 110, 230}, 6, 0, 84},
    {"mi300a", 1, 1, 3, 24, {13, 120, 300, 210, 350}, 10, 64, 190},
    {"ryzen-7950x3d", 1, 1, 2, 16, {11, 75, 200, 80, 200}, 10, 55, 65},
    {"ryzen-ai-max-395", 1, 1, 2, 16, {11, 90, 200, 125, 250}, 10, 64, 125},
    {"xeon-6980p", 1, 3, 3, 128, {33, 65, 190, 125, 230}, 12, 0, 480},
    {"xeon-8375c", 2, 2, 2, 64, {22, 51, 108, 95, 145}, 10, 0, 165},
    {"xeon-8488c", 2, 2, 2, 96, {33, 59, 139, 115, 180}, 12, 0, 240},
    {"xeon-max-9460", 2, 2, 2, 80, {33, 59, 139, 115, 180}, 12, 0, 230},
}};

std::string lower_case(std::string_view text) {
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return std::tolower(c); });
  return low;
}

/// Whether a processor's name, in lower case, has the number of a known machine: "9654" of "epyc-9654".
bool has_number_of(const std::string& processor, std::string_view known) {
  constexpr std::size_t digits_of_a_number = 3;
  while (!known.empty()) {
    const std::size_t end = std::min(known.find('-'), known.size());
    const std::string_view word = known.substr(0, end);
    known.remove_prefix(std::min(end + 1, known.size()));
    const bool number = word.size() > digits_of_a_number && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    if (number && processor.find(word) != std::string::npos) return true;
  }
  return false;
}

struct Shape {
  double sockets, nodes, chiplets, cores;  // each at least 1
  std::string_view maker;                  // empty: not known
};

double unlikeness(const Shape& a, const Shape& b) {
  const auto differ = [](double x, double y) { return std::abs(std::log(x / y)); };
  // As much as four and a half times as many chiplets: a guest of a few cores has no shape of its own.
  const bool others = a.maker != b.maker && !a.maker.empty() && !b.maker.empty();
  // What lies between sockets is known only of machines that have several.
  const double sockets = (a.sockets > 1) != (b.sockets > 1) ? 3 : 0;
  return 4 * differ(a.chiplets / a.sockets, b.chiplets / b.sockets) + differ(a.cores, b.cores) +
         differ(a.nodes, b.nodes) + sockets + (others ? 6 : 0);
}

}  // namespace

std::string_view maker_of(std::string_view processor) {
  const std::string low = lower_case(processor);
  const auto has = [&](std::string_view word) { return low.find(word) != std::string::npos; };
  if (has("amd") || has("epyc") || has("ryzen") || has("mi300")) return "amd";
  // Its desktops and laptops are unlike its servers, and so are guests of these.
  if (has("core(tm)") || has("core ultra") || has("core-ultra")) return "intel core";
  if (has("intel") || has("xeon")) return "intel";
  if (has("graviton") || has("kunpeng") || has("neoverse") || has("ampere") || has("grace") || has("nvidia") ||
      has("gb10") || has("snapdragon"))
    return "arm";
  return "";
}

double nodes_of_a_socket(const Machine& machine) {
  const auto nodes =
      std::count_if(machine.nodes.begin(), machine.nodes.end(), [](const Node& node) { return !node.cpus.empty(); });
  const auto sockets = static_cast<double>(std::max<std::size_t>(1, machine.sockets.size()));
  return std::max(1.0, static_cast<double>(nodes) / sockets);
}

std::span<const KnownMachine> known_machines() { return machines; }

const KnownMachine& most_similar(const Machine& machine) {
  const auto at_least_one = [](std::size_t count) { return std::max(1.0, static_cast<double>(count)); };
  const Shape shape{at_least_one(machine.sockets.size()), at_least_one(machine.nodes.size()),
                    at_least_one(machine.chiplets.size()), at_least_one(machine.cores.size()), maker_of(machine.name)};
  const std::string name = lower_case(machine.name);
  const auto distance = [&](const KnownMachine& one) {
    constexpr double same_processor = 4;  // in another number of sockets, or cut into other nodes
    return (has_number_of(name, one.name) ? -same_processor : 0) +
           unlikeness(shape, {static_cast<double>(one.sockets), static_cast<double>(one.nodes),
                              static_cast<double>(one.chiplets), static_cast<double>(one.cores), maker_of(one.name)});
  };
  return *std::min_element(machines.begin(), machines.end(),
                           [&](const KnownMachine& a, const KnownMachine& b) { return distance(a) < distance(b); });
}

}  // namespace charm::controller
