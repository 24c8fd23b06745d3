#include "cli/bench/json.hpp"

#include <nlohmann/json.hpp>

namespace charm::cli {
namespace {

using Json = nlohmann::ordered_json;

Json host_json(const Host& host, const std::vector<std::string>& notes) {
  Json versions = Json::object();
  for (const auto& v : host.versions) versions[v.what] = v.version;
  Json settings = Json::array();
  for (const auto& s : host.settings) settings.push_back({{"name", s.name}, {"value", s.value}, {"from", s.from}});
  return {{"name", host.name},         {"machine", host.machine}, {"cpus", host.cpus},         {"cores", host.cores},
          {"chiplets", host.chiplets}, {"kernel", host.kernel},   {"compiler", host.compiler}, {"versions", versions},
          {"date", host.date},         {"notes", notes},          {"settings", settings}};
}

Json result_json(const Result& r) {
  return {{"kernel", r.kernel},     {"runtime", r.runtime}, {"policy", r.policy},
          {"workers", r.workers},   {"input", r.input},     {"median_s", r.median_s()},
          {"min_s", r.min_s()},     {"max_s", r.max_s()},   {"seconds", r.seconds},
          {"rate", r.rate()},       {"unit", r.unit},       {"peak_rss_bytes", r.peak_rss_bytes},
          {"verified", r.verified}, {"detail", r.detail}};
}

Json seats_json(const PolicySeats& placement) {
  Json seats = Json::array();
  for (std::size_t worker = 0; worker < placement.seats.size(); ++worker) {
    const Seat& seat = placement.seats[worker];
    seats.push_back({{"worker", worker},
                     {"cpu", seat.cpu},
                     {"core", seat.core},
                     {"chiplet", seat.chiplet},
                     {"node", seat.node},
                     {"socket", seat.socket}});
  }
  return {{"policy", placement.policy}, {"seats", seats}};
}

}  // namespace

std::string results_json(const Host& host, const Outcome& outcome) {
  Json results = Json::array();
  for (const auto& r : outcome.results) results.push_back(result_json(r));
  Json placements = Json::array();
  for (const auto& p : outcome.placements) placements.push_back(seats_json(p));
  const Json all = {{"host", host_json(host, outcome.notes)},
                    {"input",
                     {{"description", outcome.input.description},
                      {"seconds", outcome.input.seconds},
                      {"peak_rss_bytes", outcome.input.peak_rss_bytes}}},
                    {"results", results},
                    {"placements", placements}};
  // What is not UTF-8 (a file name) is replaced: the output must be JSON whatever was loaded.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace charm::cli
