#include "topology/domains.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "os/files/bounded_file.hpp"
#include "topology/regrouped.hpp"
#include "topology/tiles.hpp"

namespace charm::topology {
namespace {

constexpr int most_parts = 4096;

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  throw Error(Errc::bad_input, "domains: " + what, remedy);
}

const char* const forms =
    "give auto, cluster, a number from 2 to 4096, lists of cpus as 0-13;14-27, or a file of lists";

/// The lists of a file, or of the text itself.
std::string lists_of(const std::string& domains) {
  std::error_code ignored;
  const bool file = domains.find('/') != std::string::npos || std::filesystem::exists(domains, ignored);
  if (!file) return domains;
  const os::BoundedText read = os::read_bounded(domains);
  if (!read.problem.empty()) refuse("file '" + domains + "' " + read.problem, forms);
  return read.text;
}

std::vector<CpuSet> parsed(const std::string& text) {
  std::vector<CpuSet> lists;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(";\n"), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line = line.substr(0, line.find('#'));
    while (!line.empty() && std::string_view(" \t\r").find(line.front()) != std::string_view::npos)
      line.remove_prefix(1);
    while (!line.empty() && std::string_view(" \t\r").find(line.back()) != std::string_view::npos)
      line.remove_suffix(1);
    if (line.empty()) continue;
    const auto cpus = CpuSet::try_parse(line);
    if (!cpus) refuse("'" + std::string(line.substr(0, 60)) + "' is no list of cpus", forms);
    lists.push_back(*cpus);
  }
  if (lists.empty()) refuse("no list of cpus", forms);
  return lists;
}

/// Which domain of its chiplet a core is in, by any number; the same for all hardware threads of a core.
using DomainOf = std::map<int, int>;  // core id -> domain

DomainOf by_lists(const Machine& machine, const std::vector<CpuSet>& lists) {
  DomainOf domain_of;
  std::map<int, int> chiplet_of;  // of each list
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const int domain = static_cast<int>(i);
    for (const int cpu : lists[i]) {
      const Core* core = machine.core_of_cpu(cpu);
      if (core == nullptr) {
        // A cpu that this process may not use is no mistake: lists are written once for a machine.
        if (machine.forbidden_cpus.contains(cpu)) continue;
        refuse("there is no cpu " + std::to_string(cpu), "'charm topo' shows the machine's cpus");
      }
      const auto [known, is_new] = domain_of.try_emplace(core->id, domain);
      if (!is_new && known->second != domain)
        refuse("the core of cpu " + std::to_string(cpu) + " is in two of them", "name each core in one list");
      if (chiplet_of.try_emplace(domain, core->chiplet).first->second != core->chiplet) {
        refuse("the list " + lists[i].to_text() + " has cores of chiplets " + std::to_string(chiplet_of[domain]) +
                   " and " + std::to_string(core->chiplet),
               "a domain lies within one last-level cache and one NUMA node");
      }
    }
  }
  return domain_of;
}

DomainOf by_number(const Machine& machine, int parts) {
  int most = 0;
  for (const Chiplet& chiplet : machine.chiplets) most = std::max(most, chiplet.total_cores);
  if (parts > most)
    refuse("cannot make " + std::to_string(parts) + " parts of chiplets of at most " + std::to_string(most) + " cores",
           forms);
  DomainOf domain_of;
  for (const Core& core : machine.cores) {
    const Chiplet& chiplet = machine.chiplets[static_cast<std::size_t>(core.chiplet)];
    domain_of[core.id] = core.position * parts / std::max(chiplet.total_cores, core.position + 1);
  }
  return domain_of;
}

DomainOf by_cluster(const Machine& machine) {
  DomainOf domain_of;
  for (const Core& core : machine.cores) {
    if (core.cluster >= 0) domain_of[core.id] = core.cluster;
  }
  if (domain_of.empty()) {
    refuse("the machine has no clusters within its chiplets",
           "leave domains at auto, or name the cpus of each domain; 'charm probe --cluster' can find them");
  }
  return domain_of;
}

/// The chiplet's cores by domain; those that are in none form one of their own.
std::vector<Chiplet> cut(const Chiplet& chiplet, const DomainOf& domain_of) {
  std::map<int, Chiplet> parts;
  for (const int core : chiplet.cores) {
    const auto known = domain_of.find(core);
    const auto [part, is_new] = parts.try_emplace(known == domain_of.end() ? -1 : known->second, chiplet);
    if (is_new) part->second.cores.clear();
    part->second.cores.insert(core);
  }
  std::vector<Chiplet> domains;
  const auto bytes_of_first = [&](std::size_t cores) { return chiplet.l3_bytes * cores / chiplet.cores.size(); };
  std::size_t before = 0;
  for (auto& [number, part] : parts) {
    // Together as much as the whole.
    part.l3_bytes = bytes_of_first(before + part.cores.size()) - bytes_of_first(before);
    before += part.cores.size();
    part.total_cores = 0;
    part.shared_cache = chiplet.id;
    domains.push_back(std::move(part));
  }
  return domains;
}

Machine with_cut_chiplets(Machine machine, const DomainOf& domain_of) {
  std::vector<Chiplet> domains;
  for (const Chiplet& chiplet : machine.chiplets) {
    for (Chiplet& part : cut(chiplet, domain_of)) domains.push_back(std::move(part));
  }
  const std::size_t before = machine.chiplets.size();
  machine = regrouped(std::move(machine), std::move(domains));
  if (machine.chiplets.size() == before) return machine;
  machine.chiplet_source = ChipletSource::declared;
  machine.notes.push_back(std::to_string(machine.chiplets.size()) +
                          " domains are taken as chiplets where the system shows " + std::to_string(before) +
                          " (setting domains).");
  return machine;
}

}  // namespace

Machine with_domains(Machine machine, const std::string& domains) {
  if (domains.empty() || domains == "auto") {
    if (std::string note = note_of_tiles(machine); !note.empty()) machine.notes.push_back(std::move(note));
    return machine;
  }
  if (domains == "cluster") return with_cut_chiplets(machine, by_cluster(machine));
  if (domains.find_first_not_of("0123456789") == std::string::npos) {
    int parts = 0;
    const auto [end, error] = std::from_chars(domains.data(), domains.data() + domains.size(), parts);
    if (error != std::errc() || parts < 2 || parts > most_parts) refuse("cannot make " + domains + " parts", forms);
    return with_cut_chiplets(machine, by_number(machine, parts));
  }
  return with_cut_chiplets(machine, by_lists(machine, parsed(lists_of(domains))));
}

Machine with_whole_caches(Machine machine) {
  std::vector<Chiplet> caches;
  for (const Chiplet& domain : machine.chiplets) {
    const auto known = std::find_if(caches.begin(), caches.end(), [&](const Chiplet& cache) {
      return domain.shared_cache >= 0 && cache.shared_cache == domain.shared_cache;
    });
    if (known == caches.end()) {
      caches.push_back(domain);
      continue;
    }
    known->cores |= domain.cores;
    known->l3_bytes += domain.l3_bytes;
    known->total_cores += domain.total_cores;
  }
  if (caches.size() == machine.chiplets.size()) return machine;
  for (Chiplet& cache : caches) cache.shared_cache = -1;
  machine = regrouped(std::move(machine), std::move(caches));
  machine.chiplet_source = ChipletSource::last_level_cache;
  return machine;
}

}  // namespace charm::topology
