#include "topology/foreign.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "base/utf8.hpp"
#include "os/files/bounded_file.hpp"
#include "os/processes/confined.hpp"
#include "topology/core_kinds.hpp"
#include "topology/hwloc_handle.hpp"
#include "topology/survey_of.hpp"
#include "topology/survey_wire.hpp"
#include "topology/synthetic.hpp"
#include "topology/sysfs_check.hpp"

namespace charm::topology {
namespace {

constexpr std::uint64_t most_cpus = 1 << 16;       // of a synthetic machine; hwloc would build millions, for minutes
constexpr std::uint64_t most_os_index = 1U << 20;  // hwloc keeps a bit for every number below the largest

constexpr std::array<const char*, 3> source_variables = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT"};

/// The environment of a child: hwloc's variables that choose what it reads are taken away, and `more` is added.
std::vector<std::string> environment_with(std::vector<std::string> more) {
  std::vector<std::string> all =
      os::environment_without({"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH",
                               "HWLOC_COMPONENTS", "HWLOC_THISSYSTEM", "HWLOC_HIDE_ERRORS"});
  more.emplace_back("HWLOC_HIDE_ERRORS=2");
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// What was wrong, from the child; without a remedy, which the caller knows.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \param load gives null where hwloc refuses the description. \param refused what is then said.
/// \throws Refused
Survey confined_survey(const std::string& origin, std::vector<std::string> environment,
                       const std::function<HwlocHandle()>& load, const std::string& refused) {
  os::Confinement limits;
  limits.environment = std::move(environment);
  const os::ConfinedResult result = os::run_confined(limits, [&] {
    const HwlocHandle topology = load();
    if (topology == nullptr) throw std::runtime_error(refused);
    return survey_text(survey_of(topology.get(), origin));
  });
  if (result.problem == refused) throw Refused(refused);
  if (!result.problem.empty()) throw Refused("cannot be read: hwloc " + result.problem + " on it");
  std::string contradiction;
  auto survey = survey_from_text(result.said, contradiction);
  if (!survey) throw Refused("contradicts itself: " + contradiction);
  return *survey;
}

/// A number of a cpu or node that hwloc would take, and that would fill memory; empty where there is none. Other
/// objects may have any number: that of a device is made of its bus address.
std::string unusable_number(std::string_view xml) {
  constexpr std::string_view tag_begin = "<object ";
  constexpr std::string_view name = "os_index=\"";
  for (std::size_t at = xml.find(tag_begin); at != std::string_view::npos; at = xml.find(tag_begin, at)) {
    at += tag_begin.size();
    const std::string_view tag = xml.substr(at, xml.find('>', at) - at);
    const std::size_t attribute = tag.find(name);
    const bool counted =
        tag.find("type=\"PU\"") != std::string_view::npos || tag.find("type=\"NUMANode\"") != std::string_view::npos;
    if (!counted || attribute == std::string_view::npos) continue;
    const std::size_t begin = attribute + name.size();
    const std::string_view value = tag.substr(begin, tag.find('"', begin) - begin);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    // hwloc writes the largest 32-bit number where an object has none.
    if (error == std::errc() && end == value.data() + value.size() && (number < most_os_index || number == 0xFFFFFFFF))
      continue;
    return std::string(value.empty() ? "nothing" : value.substr(0, 40));
  }
  return "";
}

/// What a file that is no XML is, and what makes it readable; empty where that cannot be told.
std::string other_format(std::string_view text) {
  using namespace std::string_view_literals;
  struct Format {
    std::string_view begin;
    const char* what;
  };
  constexpr Format formats[] = {
      {"\x1f\x8b"sv, "is compressed by gzip: give what 'gunzip' makes of it, or <(gunzip -c FILE)"},
      {"\xfd"
       "7zXZ"sv,
       "is compressed by xz: give what 'unxz' makes of it, or of an archive the folder that 'tar xf' makes"},
      {"BZh"sv, "is compressed by bzip2: give what 'bunzip2' makes of it, or <(bunzip2 -c FILE)"},
      {"\x28\xb5\x2f\xfd"sv, "is compressed by zstd: give what 'unzstd' makes of it, or <(unzstd -c FILE)"},
      {"PK\x03\x04"sv, "is a zip archive: unpack it first"},
      {"CPU "sv, "is a table of lscpu, which does not say all that is needed"},
      {"Architecture:"sv, "is a text of lscpu, which does not say which cpus share a cache"},
  };
  for (const Format& format : formats) {
    if (text.starts_with(format.begin)) return format.what;
  }
  constexpr std::size_t mark_of_tar = 257;
  if (text.size() > mark_of_tar && text.substr(mark_of_tar).starts_with("ustar"))
    return "is a tar archive: unpack it, and give the folder that has sys/devices/system/cpu";
  return "";
}

/// What is wrong with XML that hwloc refuses; hwloc itself reports only that it failed.
std::string complaint(const std::string& xml) {
  const std::string head = xml.substr(0, 4096);
  const std::size_t tag = head.find("<topology");
  if (tag == std::string::npos) {
    const std::string other = other_format(head);
    return other.empty() ? "is no hwloc XML topology" : other;
  }
  constexpr std::string_view version = "<topology version=\"";
  if (head.compare(tag, version.size(), version) == 0 &&
      std::isdigit(static_cast<unsigned char>(head[tag + version.size()]))) {
    const std::string number =
        head.substr(tag + version.size(), head.find('"', tag + version.size()) - tag - version.size());
    if (std::atoi(number.c_str()) > 2)
      return "is of hwloc's format " + number +
             ", which this hwloc cannot read (hwloc 3 writes the older one with 'lstopo --export-xml-flags 2 "
             "FILE.xml')";
  }
  return "is damaged or cut short (hwloc cannot read it)";
}

/// The product of the counts of a synthetic string; attributes in brackets are no counts.
std::uint64_t synthetic_cpus(const std::string& text) {
  std::uint64_t product = 1;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    const bool starts =
        std::isdigit(static_cast<unsigned char>(c)) && (i == 0 || text[i - 1] == ':' || text[i - 1] == ' ');
    if (depth != 0 || !starts) continue;
    const std::uint64_t count = std::strtoull(text.c_str() + i, nullptr, 0);
    if (count > most_cpus) return count;
    product *= count == 0 ? 1 : count;
    if (product > most_cpus) return product;
  }
  return product;
}

}  // namespace

void refuse_file(const std::string& file, const std::string& problem) {
  throw Error(Errc::bad_input, "topology file " + quoted(file) + " " + problem,
              "write one with 'lstopo --of xml FILE' on the machine meant");
}

Survey survey_xml(const std::string& xml, const std::string& file) {
  if (xml.empty()) refuse_file(file, "is empty");
  if (xml.find("<topology") == std::string::npos) refuse_file(file, complaint(xml));
  if (const std::string number = unusable_number(xml); !number.empty())
    refuse_file(file, "has a cpu or NUMA node with the number " + quoted(number) +
                          " (os_index): numbers go from 0 to " + std::to_string(most_os_index - 1));
  const std::string complained = complaint(xml);
  try {
    return confined_survey("xml:" + file, environment_with({}), [&] { return load_xml(xml, true); }, complained);
  } catch (const Refused& problem) {
    refuse_file(file, problem.what());
  }
}

Survey survey_file(const std::string& xml_file) {
  const os::BoundedText text = os::read_bounded(xml_file);
  if (!text.problem.empty()) refuse_file(xml_file, text.problem);
  return survey_xml(text.text, xml_file);
}

namespace {

/// A core of which no threads are described has one; hwloc wants that written.
std::string down_to_pu(const std::string& description) {
  const auto end = description.find_last_not_of(" \t\r\n") + 1;
  const auto word = description.find_last_of(" \t\r\n", end - 1) + 1;
  return description.compare(word, 5, "core:") == 0 ? description.substr(0, end) + " pu:1" : description;
}

}  // namespace

std::string quoted(std::string text) {
  // Without control characters and what is no UTF-8, so that an error stays one line.
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return "'" + base::valid_utf8(text) + "'";
}

Survey survey_synthetic(const std::string& written, Detail detail) {
  const std::string description = down_to_pu(written);
  const auto fail = [&](const std::string& problem) {
    throw Error(Errc::bad_input, "synthetic topology " + quoted(written) + " " + problem,
                "write levels and their counts from the outside in, down to pu, such as 'pack:2 l3:8 core:8 pu:2'");
  };
  if (synthetic_cpus(description) > most_cpus) fail("has more than " + std::to_string(most_cpus) + " cpus");
  if (auto plain = plain_synthetic(description)) return *plain;
  try {
    return confined_survey(
        "synthetic:" + description, environment_with({}),
        [&] { return load_synthetic(description, detail == Detail::kinds); },
        "is neither a file nor a string that hwloc understands");
  } catch (const Refused& problem) {
    fail(problem.what());
    throw;
  }
}

Survey survey_sysfs(const std::string& root, Detail detail) {
  const auto fail = [&](const std::string& problem, const std::string& remedy) {
    throw Error(Errc::bad_input, "sysfs tree " + quoted(root) + " " + problem, remedy);
  };
  const SysfsFindings findings = check_sysfs(root);
  if (!findings.problem.empty()) fail(findings.problem, findings.remedy);
  try {
    Survey survey = confined_survey(
        "sysfs:" + root, environment_with({"HWLOC_FSROOT=" + root}),
        [&] { return load_recorded(detail == Detail::kinds); }, "is not understood by hwloc");
    survey.arm = survey.arm || findings.arm;
    name_gpu_memory(survey, findings.grace);
    read_core_speeds(survey, root);
    if (!findings.distances) survey.node_distance.clear();
    survey.notes.insert(survey.notes.end(), findings.notes.begin(), findings.notes.end());
    return survey;
  } catch (const Refused& problem) {
    fail(problem.what(), "copy the machine's sys/devices/system and proc/cpuinfo again, whole");
    throw;
  }
}

bool variables_name_a_machine() {
  return std::any_of(source_variables.begin(), source_variables.end(), [](const char* name) {
    const char* value = base::environment(name);
    // hwloc's own default for the root is this machine.
    return value != nullptr && *value != '\0' && std::string_view(value) != "/";
  });
}

Survey survey_of_variables(Detail detail) {
  const auto value = [](const char* name) {
    const char* text = base::environment(name);
    return std::string(text == nullptr ? "" : text);
  };
  // As hwloc takes them: a tree counts before a string, and that before a file.
  if (const std::string root = value("HWLOC_FSROOT"); !root.empty() && root != "/") return survey_sysfs(root, detail);
  if (const std::string text = value("HWLOC_SYNTHETIC"); !text.empty()) return survey_synthetic(text, detail);
  return survey_file(value("HWLOC_XMLFILE"));
}

}  // namespace charm::topology
