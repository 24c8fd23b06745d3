#include "tools/probe/profile.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "os/files/bounded_file.hpp"
#include "os/files/output_file.hpp"
#include "topology/machine_json.hpp"

namespace charm::probe {
namespace {

using Json = base::Json;

/// A matrix has single precision; seven digits say all of it.
double decimal(double value) {
  if (!(value > 0)) return value;
  const double scale = std::pow(10, std::max(0.0, 6 - std::floor(std::log10(value))));
  return std::round(value * scale) / scale;
}

Json to_json(const LatencyMatrix& matrix) {
  Json rows = Json::array();
  for (int i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (int j = 0; j < matrix.rows(); ++j)
      row.push_back(matrix.measured(i, j) ? Json(decimal(matrix.at(i, j))) : Json(nullptr));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Pictures cannot be drawn of numbers whose sums are infinite.
double measured(const Json& number) {
  const auto value = number.get<double>();
  if (value >= 0 && value <= LatencyMatrix::highest_ns) return value;
  throw Error(Errc::bad_input, "no machine measures " + base::json_text(number), "measure again with 'charm probe'");
}

LatencyMatrix matrix_from(const Json& rows) {
  LatencyMatrix matrix(static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.at(i).size() != rows.size()) throw Error(Errc::bad_input, "a matrix that is not square", "measure again");
    for (std::size_t j = 0; j < i; ++j) {
      if (!rows.at(i).at(j).is_null()) matrix.set(static_cast<int>(i), static_cast<int>(j), measured(rows.at(i).at(j)));
    }
  }
  return matrix;
}

Json levels(const Clustering& seen) {
  Json json;
  json["smt"] = seen.smt;
  json["chiplets"] = seen.chiplets;
  json["nodes"] = seen.nodes;
  json["sockets"] = seen.sockets;
  json["confidence"] = {{"smt", seen.confidence.smt},
                        {"chiplets", seen.confidence.chiplets},
                        {"nodes", seen.confidence.nodes},
                        {"sockets", seen.confidence.sockets}};
  json["unmeasured"] = seen.unmeasured;
  return json;
}

Json to_json(const std::vector<Curve>& curves) {
  Json all = Json::array();
  for (const Curve& curve : curves) {
    Json one = {
        {"name", curve.name}, {"x", curve.x}, {"x_unit", curve.x_unit}, {"y", curve.y}, {"y_unit", curve.y_unit}};
    one["series"] = Json::array();
    for (const Series& series : curve.series) {
      Json points = Json::array();
      for (const Point& p : series.points) points.push_back({{"x", p.x}, {"y", p.y}, {"spread", p.spread}});
      one["series"].push_back({{"label", series.label}, {"points", std::move(points)}});
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<Curve> curves_from(const Json& all) {
  std::vector<Curve> curves;
  for (const Json& one : all) {
    Curve curve{one.at("name"), one.at("x"), one.at("x_unit"), one.at("y"), one.at("y_unit"), {}};
    for (const Json& s : one.at("series")) {
      Series series{s.at("label"), {}};
      for (const Json& p : s.at("points"))
        series.points.push_back({measured(p.at("x")), measured(p.at("y")), p.at("spread")});
      curve.series.push_back(std::move(series));
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::string dump(const Json& json) { return base::json_text(json, 1) + "\n"; }

}  // namespace

std::string profile_json(const Profile& profile) {
  Json json;
  json["charm_profile"] = topology::profile_version;
  json["machine"] = {{"name", profile.key.name},       {"cpus", profile.key.cpus},
                     {"cores", profile.key.cores},     {"nodes", profile.key.nodes},
                     {"sockets", profile.key.sockets}, {"measured_cpus", profile.key.measured_cpus}};
  json["date"] = profile.date;
  json["partial"] = profile.partial;
  json["sampled"] = profile.sampled;
  json["idle"] = profile.idle;
  json["busy"] = profile.busy;
  json["doubts"] = profile.doubts;
  json["cpus"] = profile.cpus;
  json.update(levels(profile.seen));
  const Measured& summary = profile.summary;
  json["summary"] = {{"nodes", profile.node_os},
                     {"core_latency_ns", summary.core_latency_ns},
                     {"chiplet_latency_ns", summary.chiplet_latency_ns},
                     {"l3_latency_ns", summary.l3_latency_ns},
                     {"core_gb_per_s", summary.core_gb_per_s},
                     {"chiplet_gb_per_s", summary.chiplet_gb_per_s},
                     {"chiplet_memory_gb_per_s", summary.chiplet_memory_gb_per_s},
                     {"node_memory_gb_per_s", summary.node_memory_gb_per_s},
                     {"memory_gb_per_s", summary.memory_gb_per_s},
                     {"node_latency_ns", summary.node_latency_ns},
                     {"memory_latency_ns", summary.memory_latency_ns},
                     {"node_gb_per_s", summary.node_gb_per_s}};
  if (profile.system) json["system"] = topology::machine_to_json(*profile.system);
  // From here on start-up does not read (topology/profile.cpp): the matrices are large.
  json["latency"] = {{"unit", "ns"},
                     {"matrix", to_json(profile.latency)},
                     {"spread", profile.latency_spread},
                     {"home", profile.line_home}};
  json["bandwidth"] = {{"unit", "GB/s"}, {"matrix", to_json(profile.bandwidth)}};
  json["curves"] = to_json(profile.curves);
  json["notes"] = profile.notes;
  return dump(json);
}

std::string clustering_json(const Clustering& clustering) {
  Json json = levels(clustering);
  json["notes"] = clustering.notes;
  return dump(json);
}

Profile parse_profile(const std::string& text, const std::string& name) {
  try {
    topology::ProfilePicture picture = topology::parse_profile_picture(text, name);
    const Json json = Json::parse(text);
    Profile profile;
    profile.key = std::move(picture.key);
    profile.date = std::move(picture.date);
    profile.partial = picture.partial;
    profile.node_os = std::move(picture.node_os);
    profile.summary = std::move(picture.measured);
    profile.system = std::move(picture.machine);
    profile.sampled = json.at("sampled");
    profile.idle = json.at("idle");
    profile.busy = json.value("busy", 0.0);
    profile.doubts = std::move(picture.doubts);
    profile.cpus = json.at("cpus").get<std::vector<int>>();
    profile.seen.smt = json.at("smt").get<Partition>();
    profile.seen.chiplets = json.at("chiplets").get<Partition>();
    profile.seen.nodes = json.at("nodes").get<Partition>();
    profile.seen.sockets = json.at("sockets").get<Partition>();
    const Json& sure = json.at("confidence");
    profile.seen.confidence = {sure.at("smt"), sure.at("chiplets"), sure.at("nodes"), sure.at("sockets")};
    profile.seen.unmeasured = json.at("unmeasured").get<std::vector<int>>();
    profile.latency = matrix_from(json.at("latency").at("matrix"));
    profile.latency_spread = json.at("latency").at("spread").get<std::vector<std::vector<double>>>();
    profile.line_home = json.at("latency").at("home").get<std::vector<std::vector<int>>>();
    profile.bandwidth = matrix_from(json.at("bandwidth").at("matrix"));
    profile.curves = curves_from(json.at("curves"));
    profile.notes = json.at("notes").get<std::vector<std::string>>();
    if (static_cast<int>(profile.cpus.size()) != profile.latency.rows()) {
      throw Error(Errc::bad_input,
                  name + ": " + std::to_string(profile.cpus.size()) + " cpus and " +
                      std::to_string(profile.latency.rows()) + " rows of latencies",
                  "measure again with 'charm probe'");
    }
    for (const Partition* level :
         {&profile.seen.smt, &profile.seen.chiplets, &profile.seen.nodes, &profile.seen.sockets}) {
      for (const auto& group : *level) {
        for (int row : group) {
          if (row < 0 || row >= profile.latency.rows()) {
            throw Error(Errc::bad_input, name + ": row " + std::to_string(row) + " is not in its matrix",
                        "measure again with 'charm probe'");
          }
        }
      }
    }
    return profile;
  } catch (const nlohmann::json::exception& error) {
    throw Error(Errc::bad_input, name + ": " + base::json_problem(error),
                "give a file that 'charm probe' wrote, or measure again");
  }
}

std::string profile_path(const topology::ProfileKey& key) {
  const auto folder = topology::profile_folder();
  if (!folder)
    throw Error(Errc::bad_config, "no place for profiles: neither XDG_DATA_HOME nor HOME is set", "set one of them");
  return *folder + "/" + topology::profile_file_name(key);
}

void store_profile(const Profile& profile, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);  // where it fails, writing says so
  try {
    os::write_whole(path, profile_json(profile));
  } catch (const Error& failure) {
    throw Error(Errc::system, std::string("cannot store the profile: ") + failure.what(),
                "make its directory writable, or set XDG_DATA_HOME");
  }
}

Profile load_profile(const std::string& path) {
  const os::BoundedText file = os::read_bounded(path, {.bytes = std::size_t{4} << 30U});
  if (!file.problem.empty())
    throw Error(Errc::bad_input, "the profile " + path + " " + file.problem, "measure with 'charm probe' first");
  return parse_profile(file.text, path);
}

}  // namespace charm::probe
