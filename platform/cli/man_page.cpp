// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace wafertlm {
namespace {

/// Text as roff takes it: no escapes, no requests, and hyphens that can be copied.
std::string escaped(const std::string& text) {
  std::string done;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) done += "\\&";
    if (c == '\\') {
      done += "\\e";
    } else if (c == '-') {
      done += "\\-";
    } else {
      done += c;
    }
    at_start = c == '\n';
  }
  return done;
}

std::string synopsis(const ShownCommand& command) {
  std::string text = ".B " + escaped(command.path) + "\n";
  const bool has_options = std::any_of(command.options.begin(), command.options.end(),
                                       [](const ShownOption& each) { return !each.is_positional; });
  if (has_options) text += "[\\fIOPTIONS\\fR]\n";
  for (const ShownOption& each : command.options) {
    if (!each.is_positional) continue;
    const std::string name = "\\fI" + escaped(each.names.front()) + "\\fR";
    text += each.is_required ? name + "\n" : "[" + name + "]\n";
  }
  if (!command.commands.empty()) text += "\\fICOMMAND\\fR\n";
  return text;
}

std::string option_text(const ShownOption& option) {
  std::vector<std::string> names;
  for (const std::string& each : option.names) names.push_back("\\fB" + escaped(each) + "\\fR");
  std::string text = fmt::format(".TP\n{}", fmt::join(names, ", "));
  if (!option.is_positional && !option.value.empty()) text += " \\fI" + escaped(option.value) + "\\fR";
  text += "\n" + escaped(option.description) + "\n";
  if (!option.choices.empty())
    text += fmt::format("One of: {}.\n", escaped(fmt::format("{}", fmt::join(option.choices, ", "))));
  return text;
}

/// Prose as it is; indented lines (examples) unfilled.
std::string footer_text(const std::string& footer) {
  std::string text;
  bool in_example = false;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    const bool is_example = line.rfind("  ", 0) == 0;
    if (is_example != in_example) text += is_example ? ".nf\n" : ".fi\n.PP\n";
    in_example = is_example;
    text += escaped(line) + "\n";
  }
  return text + (in_example ? ".fi\n" : "");
}

}  // namespace

std::string man_name(const ShownCommand& command) {
  std::string name = command.path;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const ShownCommand& command) {
  std::string text = fmt::format(
      ".TH \"{}\" 1 \"\" \"WaferTLM {}\" \"User Commands\"\n"
      ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}",
      escaped(man_name(command)), WAFERTLM_VERSION, escaped(man_name(command)), escaped(command.description),
      synopsis(command));
  const auto list = [&](const char* title, bool positional) {
    std::string entries;
    for (const ShownOption& each : command.options)
      if (each.is_positional == positional) entries += option_text(each);
    if (!entries.empty()) text += fmt::format(".SH {}\n{}", title, entries);
  };
  list("ARGUMENTS", true);
  list("OPTIONS", false);
  if (!command.commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const ShownCommand& each : command.commands)
      text += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", escaped(man_name(each)), escaped(each.description));
  }
  if (!command.footer.empty()) text += ".SH NOTES\n" + footer_text(command.footer);
  text += ".SH EXIT STATUS\n0 done, 1 the run failed, 2 bad input, 128 + N ended by signal N.\n";
  return text;
}

}  // namespace wafertlm
