#include "tools/cli/completion.hpp"

#include <fmt/format.h>

#include "tools/cli/options.hpp"

namespace charm::cli {
namespace {

using Points = std::vector<CompletionPoint>;

std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string spaced(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

void walk(const CLI::App& app, const std::string& path, Points& points) {
  CompletionPoint point;
  point.path = path;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      for (auto& word : accepted_words(*option)) point.words.push_back(std::move(word));
      point.takes_process = point.takes_process || takes_process(*option);
      continue;
    }
    CompletionPoint::Flag flag;
    for (const auto& name : option->get_snames()) flag.names.push_back(fmt::format("-{}", name));
    for (const auto& name : option->get_lnames()) flag.names.push_back(fmt::format("--{}", name));
    flag.summary = option->get_description();
    flag.words = accepted_words(*option);
    flag.takes_value = option->get_items_expected_max() > 0 && option->get_type_size() > 0;
    flag.takes_file = takes_file(*option);
    flag.takes_list = option->get_type_name().find("...") != std::string::npos;
    point.flags.push_back(std::move(flag));
  }
  const auto subs = app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
  for (const CLI::App* sub : subs) point.subs.push_back({sub->get_name(), sub->get_description()});
  points.push_back(std::move(point));
  for (const CLI::App* sub : subs) walk(*sub, path + " " + sub->get_name(), points);
}

/// The case labels that lead from a point to the next: 'charm bench'|'charm bench graph'|...
std::string descents(const Points& points) {
  std::string labels;
  for (const auto& point : points) {
    for (const auto& sub : point.subs) labels += (labels.empty() ? "" : "|") + shell_word(point.path + " " + sub.name);
  }
  return labels;
}

std::string value_labels(const CompletionPoint& point, const CompletionPoint::Flag& flag) {
  std::string labels;
  for (const auto& name : flag.names) labels += (labels.empty() ? "" : "|") + shell_word(point.path + " " + name);
  return labels;
}

std::string bash_script(const Points& points) {
  std::string values;
  std::string follows;
  for (const auto& point : points) {
    std::vector<std::string> next = point.words;
    for (const auto& sub : point.subs) next.push_back(sub.name);
    for (const auto& flag : point.flags) {
      for (const auto& name : flag.names) next.push_back(name);
      if (!flag.takes_value) continue;
      values += "    " + value_labels(point, flag) + ")\n";
      if (flag.takes_file) {
        values += "      compopt -o filenames 2>/dev/null\n      COMPREPLY=($(compgen -f -- \"$cur\"))\n";
      } else if (flag.takes_list) {
        values += "      local done=\"\"\n      [[ $cur == *,* ]] && done=\"${cur%,*},\"\n";
        values += "      compopt -o nospace 2>/dev/null\n";
        values += fmt::format("      COMPREPLY=($(compgen -P \"$done\" -W {} -- \"${{cur##*,}}\"))\n",
                              shell_word(spaced(flag.words)));
      } else {
        values += fmt::format("      COMPREPLY=($(compgen -W {} -- \"$cur\"))\n", shell_word(spaced(flag.words)));
      }
      values += "      return ;;\n";
    }
    follows += fmt::format("    {}) COMPREPLY=($(compgen -W {}{} -- \"$cur\")) ;;\n", shell_word(point.path),
                           shell_word(spaced(next)), point.takes_process ? "\" $(cd /proc && echo [0-9]*)\"" : "");
  }
  return fmt::format(
      R"(# bash completion of charm; load it with: source <(charm completion bash)
_charm() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" at=charm word i program=0
  COMPREPLY=()
  # Behind -- stands a program with its own arguments.
  for ((i = 1; i < COMP_CWORD; ++i)); do [[ ${{COMP_WORDS[i]}} == -- ]] && program=$((i + 1)); done
  if ((program == COMP_CWORD)); then
    compopt -o filenames 2>/dev/null
    if [[ $cur == */* ]]; then COMPREPLY=($(compgen -f -- "$cur")); else COMPREPLY=($(compgen -c -- "$cur")); fi
    return
  elif ((program > 0)); then
    if declare -F _command_offset >/dev/null; then
      _command_offset $program
    else
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$cur"))
    fi
    return
  fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$at $word" in
      {}) at="$at $word" ;;
    esac
  done
  case "$at $prev" in
{}  esac
  case "$at" in
{}  esac
}}
complete -F _charm charm
)",
      descents(points), values, follows);
}

std::string zsh_entry(const std::string& name, const std::string& summary) {
  std::string escaped;
  for (const char c : name) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
  return shell_word(escaped + ":" + summary);
}

std::string zsh_script(const Points& points) {
  std::string values;
  std::string follows;
  for (const auto& point : points) {
    std::string next;
    for (const auto& word : point.words) next += " " + shell_word(word);
    for (const auto& sub : point.subs) next += " " + zsh_entry(sub.name, sub.summary);
    for (const auto& flag : point.flags) {
      for (const auto& name : flag.names) next += " " + zsh_entry(name, flag.summary);
      if (!flag.takes_value) continue;
      values += "    (" + value_labels(point, flag) + ")\n";
      if (flag.takes_file)
        values += "      _files\n";
      else if (flag.takes_list)
        values += "      _values -s , value " + spaced(flag.words) + "\n";
      else if (!flag.words.empty())
        values += "      compadd -- " + spaced(flag.words) + "\n";
      values += "      return ;;\n";
    }
    follows += fmt::format("    ({}) entries=({} ){} ;;\n", shell_word(point.path), next,
                           point.takes_process ? "; [[ $PREFIX == -* ]] || _pids" : "");
  }
  return fmt::format(
      R"(#compdef charm
# zsh completion of charm; load it with: source <(charm completion zsh), or save it as _charm on $fpath
_charm() {{
  local at=charm word
  local -a entries
  # Behind -- stands a program with its own arguments.
  local -i program=${{words[(I)--]}}
  if (( program > 0 && program < CURRENT )); then
    shift $program words
    (( CURRENT -= program ))
    _normal
    return
  fi
  for word in ${{words[2,CURRENT-1]}}; do
    case "$at $word" in
      ({}) at="$at $word" ;;
    esac
  done
  case "$at ${{words[CURRENT-1]}}" in
{}  esac
  case "$at" in
{}  esac
  _describe charm entries
}}
if [[ $funcstack[1] == _charm ]]; then _charm "$@"; else compdef _charm charm; fi
)",
      descents(points), values, follows);
}

std::string fish_script(const Points& points) {
  std::string lines;
  for (const auto& point : points) {
    const std::string at = "complete -c charm -n " + shell_word("__charm_at " + shell_word(point.path));
    if (!point.words.empty()) lines += at + " -a " + shell_word(spaced(point.words)) + "\n";
    if (point.takes_process) lines += at + " -a '(__fish_complete_pids)'\n";
    for (const auto& sub : point.subs) lines += at + " -a " + sub.name + " -d " + shell_word(sub.summary) + "\n";
    for (const auto& flag : point.flags) {
      std::string line = at;
      for (const auto& name : flag.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (flag.takes_file)
        line += " -r -F";
      else if (flag.takes_value)
        line += " -x";
      if (flag.takes_list)
        line += " -a " + shell_word("(__fish_append , " + spaced(flag.words) + ")");
      else if (!flag.words.empty())
        line += " -a " + shell_word(spaced(flag.words));
      lines += line + " -d " + shell_word(flag.summary) + "\n";
    }
  }
  std::string labels;
  for (const auto& point : points) {
    for (const auto& sub : point.subs) labels += " " + shell_word(point.path + " " + sub.name);
  }
  return fmt::format(
      R"(# fish completion of charm; load it with: charm completion fish | source
function __charm_at
  set -l at charm
  for word in (commandline -opc)[2..-1]
    if contains -- "$at $word"{}
      set at "$at $word"
    end
  end
  not contains -- -- (commandline -opc); and test "$at" = "$argv[1]"
end
complete -c charm -f
# Behind -- stands a program with its own arguments.
complete -c charm -n 'contains -- -- (commandline -opc)' -F -a '(__fish_complete_command)'
{})",
      labels, lines);
}

}  // namespace

std::vector<CompletionPoint> completion_points(const CLI::App& app) {
  Points points;
  walk(app, app.get_name(), points);
  return points;
}

std::string completion_script(const std::string& shell, const std::vector<CompletionPoint>& points) {
  if (shell == "zsh") return zsh_script(points);
  return shell == "fish" ? fish_script(points) : bash_script(points);
}

}  // namespace charm::cli
