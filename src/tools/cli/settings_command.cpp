// `charm settings`: prints the settings in force, and where each came from.
#include <cctype>
#include <memory>
#include <ostream>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/settings.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;

std::string as_json(const base::Settings& settings, const std::vector<base::SettingDoc>& docs) {
  Json all = Json::array();
  for (std::size_t i = 0; i < docs.size(); ++i) {
    const auto& origin = settings.origins[i];
    all.push_back({{"name", origin.name},
                   {"value", origin.value},
                   {"from", origin.from},
                   {"default", docs[i].default_value},
                   {"doc", docs[i].doc}});
  }
  return base::json_text(Json{{"settings", all}}, 2) + "\n";
}

std::string as_text(const base::Settings& settings, const std::vector<base::SettingDoc>& docs, bool colour) {
  std::vector<std::vector<Cell>> rows;
  for (std::size_t i = 0; i < docs.size(); ++i) {
    const auto& origin = settings.origins[i];
    const bool is_default = origin.from == "default";
    rows.push_back({{origin.name, "1"},
                    {origin.value.empty() ? "–" : origin.value, is_default ? "" : "36"},
                    {origin.from, is_default ? "2" : "36"},
                    {docs[i].doc, ""}});
  }
  return render_table({{"setting"}, {"value"}, {"from"}, {"meaning"}}, rows, colour);
}

void declare_settings(CLI::App& app, Session& session) {
  auto options = std::make_shared<OutputOptions>();
  add_output_options(app, *options);
  app.callback([&session, options] {
    session.action = [&session, options] {
      const auto settings = base::resolve({});
      const auto docs = base::settings_schema();
      session.out << (options->json ? as_json(settings, docs)
                                    : as_text(settings, docs, colour_on_stdout(options->colour)));
      return exit_done;
    };
  });
}

}  // namespace

Command settings_entry() {
  return {"settings", "Print the settings in force and where each came from", "  CHARM_WORKERS=2 charm settings",
          declare_settings};
}

}  // namespace charm::cli
