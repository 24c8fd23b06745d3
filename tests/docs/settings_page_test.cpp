// docs/settings.md shows the schema of src/base/settings.cpp and nothing else; where it does not, the failure prints
// the table as it has to be.
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "base/settings.hpp"

namespace {

const std::string opening = "<!-- schema -->\n";
const std::string closing = "<!-- /schema -->\n";

std::string cell(const std::string& text) { return text.empty() ? "(empty)" : "`" + text + "`"; }

std::string table_of_the_schema() {
  std::string table = "| setting | variable | default | accepts | meaning |\n|---|---|---|---|---|\n";
  for (const auto& row : charm::base::settings_schema()) {
    table += "| `" + row.name + "` | `" + row.variable + "` | " + cell(row.default_value) + " | " + row.accepts +
             " | " + row.doc + " |\n";
  }
  return table;
}

std::string page() {
  std::ifstream in(CHARM_DOCS "/settings.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SettingsPage, ShowsTheSchemaAsItIs) {
  const std::string text = page();
  const auto begin = text.find(opening);
  const auto end = text.find(closing);
  ASSERT_NE(begin, std::string::npos) << "docs/settings.md has no line " << opening;
  ASSERT_NE(end, std::string::npos) << "docs/settings.md has no line " << closing;
  const std::string shown = text.substr(begin + opening.size(), end - begin - opening.size());
  EXPECT_TRUE(shown == table_of_the_schema()) << "put this between the two marks of docs/settings.md:\n"
                                              << table_of_the_schema();
}

}  // namespace
