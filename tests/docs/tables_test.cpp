// The pages' tables of settings and parameters show what the code declares and nothing else; where one does not, the
// failure prints the table as it has to be.
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "base/settings.hpp"
#include "controller/controller.hpp"

namespace {

std::string cell(std::string_view text) { return text.empty() ? "(empty)" : "`" + std::string(text) + "`"; }

std::string table_of_settings() {
  std::string table = "| setting | variable | default | accepts | meaning |\n|---|---|---|---|---|\n";
  for (const auto& row : charm::base::settings_schema()) {
    table += "| `" + row.name + "` | `" + row.variable + "` | " + cell(row.default_value) + " | " + row.accepts +
             " | " + row.doc + " |\n";
  }
  return table;
}

std::string table_of_parameters(std::string_view policy) {
  std::string table = "| parameter | default | meaning |\n|---|---|---|\n";
  for (const auto& each : charm::controller::policy(policy).parameters) {
    std::string words = each.words.empty() ? "" : " One of " + std::string(each.words) + ".";
    for (std::size_t bar = 0; (bar = words.find('|', bar)) != std::string::npos;) words.replace(bar, 1, ", ");
    table += "| `" + std::string(each.name) + "` | " + cell(each.default_value) + " | " + std::string(each.doc) +
             words + " |\n";
  }
  return table;
}

/// Compares what a page has between the marks "<!-- NAME -->" and "<!-- /NAME -->".
void expect_shown(const std::string& page, const std::string& name, const std::string& table) {
  std::ifstream in(std::string(CHARM_DOCS "/") + page);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string opening = "<!-- " + name + " -->\n";
  const auto begin = text.find(opening);
  const auto end = text.find("<!-- /" + name + " -->\n");
  ASSERT_NE(begin, std::string::npos) << page << " has no line " << opening;
  ASSERT_NE(end, std::string::npos) << page << " has no end of " << name;
  const std::string shown = text.substr(begin + opening.size(), end - begin - opening.size());
  EXPECT_TRUE(shown == table) << "put this between the two marks of docs/" << page << ":\n" << table;
}

TEST(Tables, ShowAllSettingsAsTheyAre) { expect_shown("settings.md", "schema", table_of_settings()); }

TEST(Tables, ShowTheControllersParametersAsTheyAre) {
  for (const char* policy : {"adaptive", "charm-alg1"})
    expect_shown("controller.md", policy, table_of_parameters(policy));
  EXPECT_EQ(table_of_parameters("charm-alg1"), table_of_parameters("charm-alg1-group"));
}

}  // namespace
