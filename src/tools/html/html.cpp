#include "tools/html/html.hpp"

#include "tools/html/style.hpp"

namespace charm::html {

std::string html_table(const std::vector<HtmlColumn>& columns, const std::vector<std::vector<std::string>>& rows,
                       std::string_view css_class) {
  const auto open = [&](const char* tag, std::size_t column) {
    return std::string("<") + tag + (columns[column].is_number ? " class=\"number\">" : ">");
  };
  std::string out = "<div class=\"scroll\">";
  out += css_class.empty() ? "<table>" : "<table class=\"" + std::string(css_class) + "\">";
  out += "<thead><tr>";
  for (std::size_t i = 0; i < columns.size(); ++i) out += open("th", i) + escaped(columns[i].title) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) out += open("td", i) + escaped(row[i]) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string fact(const std::string& name, const std::string& value) {
  return value.empty() ? "" : "<div><dt>" + escaped(name) + "</dt><dd>" + escaped(value) + "</dd></div>\n";
}

std::string notes(const std::string& heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string out = "<h2>" + escaped(heading) + "</h2>\n<ul class=\"notes\">\n";
  for (const auto& line : lines) out += "<li>" + escaped(line) + "</li>\n";
  return out + "</ul>\n";
}

std::string html_page(const std::string& title, const std::string& body, const std::string& command) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escaped(title) + "</title>\n<style>" + page_style + "</style>\n</head>\n<body>\n" + body +
         (command.empty() ? "" : "<footer>Made by <code>" + escaped(command) + "</code></footer>\n") +
         "</body>\n</html>\n";
}

}  // namespace charm::html
