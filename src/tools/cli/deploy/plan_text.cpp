#include "tools/cli/deploy/plan_text.hpp"

#include <fmt/format.h>

#include "base/choice.hpp"
#include "base/format.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

std::string memory_text(const deploy::Worker& worker) {
  const std::string nodes = fmt::format("node{} {}", worker.nodes.size() == 1 ? "" : "s", worker.nodes.to_text());
  return fmt::format("{} {}", worker.memory == deploy::Memory::none ? "any, near" : base::word_of(worker.memory),
                     nodes);
}

std::string size_text(std::uint64_t bytes) { return bytes == 0 ? "?" : base::format_bytes(bytes); }

std::string workers_table(const deploy::Plan& plan, bool colour) {
  using Align = Column::Align;
  const bool several = plan.hosts.size() > 1;
  std::vector<Column> columns = {{"worker"}};
  if (several) columns.push_back({"host"});
  for (const char* title : {"cores", "cpus", "chiplets", "memory"}) columns.push_back({title});
  columns[columns.size() - 4].align = Align::right;
  for (const char* title : {"limit", "heap", "port"}) columns.push_back({title, Align::right});
  std::vector<std::vector<Cell>> rows;
  for (const deploy::Worker& worker : plan.workers) {
    std::vector<Cell> row = {{worker.name, "1"}};
    if (several) row.push_back({worker.host, ""});
    for (std::string text :
         {std::to_string(worker.cores.size()), worker.cpus.to_text(), worker.chiplets.to_text(), memory_text(worker),
          size_text(worker.memory_bytes), size_text(worker.heap_bytes), std::to_string(worker.port)}) {
      row.push_back({std::move(text), ""});
    }
    rows.push_back(std::move(row));
  }
  return render_table(columns, rows, colour);
}

std::string host_text(const deploy::HostPlan& host, bool several) {
  std::string text = several ? "\n" + host.name + "\n" : "\n";
  for (const deploy::NodeShare& share : host.memory) {
    if (share.bytes == 0) continue;
    text += fmt::format("memory of node {}: {}, of which workers {}, system {}\n", share.node,
                        base::format_bytes(share.bytes), base::format_bytes(share.workers_bytes),
                        base::format_bytes(share.system_bytes));
  }
  for (const deploy::LeftOver& rest : host.left_over) {
    text += "left over: ";
    if (!rest.cpus.empty()) text += "cpus " + rest.cpus.to_text();
    if (!rest.nodes.empty()) text += "memory of node " + rest.nodes.to_text();
    text += ": " + rest.why + "\n";
  }
  for (const std::string& note : host.notes) text += "note: " + note + "\n";
  return text == "\n" ? "" : text;
}

}  // namespace

std::string deploy_plan_text(const deploy::Plan& plan, bool colour) {
  std::string text;
  for (const deploy::HostPlan& host : plan.hosts) {
    text += fmt::format("{}: {}, {}, {}, {} of {}\n", host.name, host.machine.empty() ? host.origin : host.machine,
                        base::counted(deploy::at(host.nodes), "NUMA node"),
                        base::counted(deploy::at(host.chiplets), "chiplet"), host.cores,
                        base::counted(deploy::at(host.all_cores), "core"));
  }
  text += fmt::format("{}{}: {}\n\n", base::word_of(plan.policy),
                      plan.policy == deploy::Policy::wicp ? fmt::format(", {}", base::word_of(plan.shape)) : "",
                      base::counted(plan.workers.size(), "worker"));
  text += workers_table(plan, colour);
  for (const deploy::HostPlan& host : plan.hosts) text += host_text(host, plan.hosts.size() > 1);
  return text;
}

}  // namespace charm::cli
