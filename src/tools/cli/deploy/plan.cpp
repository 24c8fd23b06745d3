// `charm deploy plan`: from machines to a plan, and from it to a table, JSON or a target's files.
#include <charm/error.hpp>

#include <charconv>
#include <filesystem>
#include <limits>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/settings.hpp"
#include "os/files/output_file.hpp"
#include "os/memory/memory.hpp"
#include "os/processes/this_process.hpp"
#include "tools/attach/locations.hpp"
#include "tools/cli/deploy/commands.hpp"
#include "tools/cli/deploy/plan_text.hpp"
#include "tools/deploy/plan_json.hpp"
#include "tools/os/service.hpp"
#include "topology/discovery.hpp"
#include "topology/domains.hpp"

namespace charm::cli {
namespace {

/// This machine, or the one that CHARM_TOPOLOGY names.
/// \param domains empty: as CHARM_DOMAINS says.
deploy::Host host_here(const std::string& domains) {
  topology::MachineSource source = topology::source_of(base::resolve({}));
  if (!domains.empty()) source.domains = domains;
  deploy::Host host{os::host_name(), topology::discover(source)};
  if (host.name.empty()) host.name = "localhost";
  if (!host.machine.is_live()) return host;
  host.memory_limit = os::cgroup_memory_limit().value_or(0);
  host.memory_available = os::available_bytes().value_or(0);
  host.memory_nodes = os::allowed_memory_nodes();
  return host;
}

bool is_host_name(const std::string& text) {
  return !text.empty() && text.front() != '-' &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") ==
             std::string::npos;
}

/// "node7=machine.xml", or a description alone, whose machine gets the name host0, host1 ...
deploy::Host host_from(const std::string& text, std::size_t number, const std::string& domains) {
  const std::size_t equals = text.find('=');
  std::error_code ignored;
  const bool named = equals != std::string::npos && is_host_name(text.substr(0, equals)) &&
                     !std::filesystem::exists(text, ignored);  // a file may have such a name
  const std::string description = named ? text.substr(equals + 1) : text;
  if (description == "-") {
    deploy::Host host = host_here(domains);
    if (named) host.name = text.substr(0, equals);
    return host;
  }
  // An empty description would be this machine, which '-' names.
  return {named ? text.substr(0, equals) : "host" + std::to_string(number),
          topology::with_domains(Machine::from(description.empty() ? " " : description), domains)};
}

void write_files(const std::vector<deploy::File>& files, const std::string& folder, Session& session, bool quiet) {
  namespace fs = std::filesystem;
  for (const deploy::File& file : files) {
    const fs::path path = fs::path(folder) / file.path;
    os::make_folder(path.parent_path().string());
    os::write_whole(path.string(), file.text);
    if (file.executable) {
      std::error_code ignored;  // "sh start.sh" works all the same
      fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                      fs::perm_options::add, ignored);
    }
    if (!quiet) session.out << path.string() << '\n';
  }
}

void print_files(const std::vector<deploy::File>& files, Session& session, bool json) {
  if (json) {
    base::Json list = base::Json::array();
    for (const deploy::File& file : files) {
      list.push_back({{"path", file.path}, {"text", file.text}, {"executable", file.executable}});
    }
    session.out << base::json_text(list, 2) << '\n';
    return;
  }
  for (const deploy::File& file : files) {
    session.out << "==> " << file.path << " <==\n" << file.text << (&file == &files.back() ? "" : "\n");
  }
}

}  // namespace

std::uint64_t deploy_bytes(const std::string& text, const std::string& option) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(static_cast<const char*>(end), text.data() + text.size());
  for (const char* ending : {"iB", "B"}) {
    if (unit.ends_with(ending)) unit.resize(unit.size() - std::string(ending).size());
  }
  constexpr std::string_view units = "KMGT";
  unsigned shift = 0;
  if (unit.size() == 1 && units.find(unit.front()) != std::string_view::npos) {
    shift = 10 * (static_cast<unsigned>(units.find(unit.front())) + 1);
  } else if (!unit.empty()) {
    number = 0;
  }
  if (error != std::errc() || number == 0 || number > (std::numeric_limits<std::uint64_t>::max() >> shift) >> 1U) {
    throw Error(Errc::bad_config, option + ": '" + text + "' is no size", "write it as 512M, 8G or 1T");
  }
  return number << shift;
}

std::string deploy_folder(const std::string& path) {
  std::string whole = std::filesystem::absolute(path).lexically_normal().string();
  while (whole.size() > 1 && whole.back() == '/') whole.pop_back();
  return whole;
}

deploy::Plan deploy_plan_of(const DeployRequest& options, const std::vector<std::string>& from) {
  deploy::Request request = options.request;
  if (!options.reserve.empty()) request.reserve = deploy_bytes(options.reserve, "--reserve");
  if (!options.node_memory.empty()) request.node_memory = deploy_bytes(options.node_memory, "--node-memory");
  if (!options.memory.empty()) request.memory = base::parse_choice<deploy::Memory>(options.memory, "--memory");
  request.directory = deploy_folder(request.directory);
  std::vector<deploy::Host> hosts;
  if (from.empty()) hosts.push_back(host_here(options.domains));
  for (const std::string& text : from) hosts.push_back(host_from(text, hosts.size(), options.domains));
  if (options.cpus.find(':') != std::string::npos) {
    request.cpus = CpuSet(attach::cpus_at(hosts.front().machine, options.cpus, "--cpus"));
  } else if (!options.cpus.empty()) {
    request.cpus = CpuSet::parse(options.cpus, "--cpus");
  }
  return deploy::make_plan(hosts, request);
}

int deploy_plan(const DeployPlanOptions& options, Session& session) {
  if (options.target.empty() && !options.output.empty()) {
    throw Error(Errc::bad_config, "--output: there are no files to write without a target", "give --target");
  }
  const deploy::Plan plan = deploy_plan_of(options, options.from);
  if (!options.target.empty()) {
    const deploy::Target& target = deploy::target(options.target);
    const auto files = deploy::files_for(target, plan, options.options);
    if (!target.access.empty() && !options.out.quiet) session.err << "note: " << target.access << '\n';
    if (options.output.empty()) {
      print_files(files, session, options.out.json);
    } else {
      write_files(files, options.output, session, options.out.quiet);
    }
    return exit_done;
  }
  if (options.out.json) {
    session.out << base::json_text(deploy::plan_to_json(plan), 2) << '\n';
  } else {
    session.out << deploy_plan_text(plan, colour_on_stdout(options.out.colour));
  }
  return exit_done;
}

}  // namespace charm::cli
