// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/help_format.h"

#include <sstream>

#include "platform/cli/command_tree.h"
#include "platform/text/wrap.h"

namespace wafertlm {

std::string wrapped_footer(const std::string& footer, std::size_t width) {
  std::string done;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    const bool is_example = line.rfind("  ", 0) == 0;
    done += (is_example ? wrapped(line, width, "      ", " \\") : wrapped(line, width)) + '\n';
  }
  return done;
}

std::string HelpFormat::entry(const std::string& name, const std::string& description) const {
  std::string head = wrapped("  " + name, kTextColumns, "      ");
  if (description.empty()) return head + '\n';
  const std::size_t column = get_column_width();
  const std::size_t last = head.rfind('\n');
  const std::size_t used = last == std::string::npos ? head.size() : column;
  head += used + 1 > column ? '\n' + std::string(column, ' ') : std::string(column - used, ' ');
  const std::string indent(column, ' ');
  std::string body;
  std::istringstream lines(wrapped(description, kTextColumns - column));
  for (std::string line; std::getline(lines, line);) body += (body.empty() ? "" : '\n' + indent) + line;
  return head + body + '\n';
}

std::string HelpFormat::make_description(const CLI::App* app) const {
  return wrapped(Formatter::make_description(app), kTextColumns) + '\n';
}

std::string HelpFormat::make_usage(const CLI::App* app, std::string name) const {
  return wrapped(Formatter::make_usage(app, name), kTextColumns, "    ") + '\n';
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return entry(command->get_display_name(true), command->get_description());
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

std::string HelpFormat::make_footer(const CLI::App* app) const {
  return wrapped_footer(footer_of(*app), kTextColumns);
}

}  // namespace wafertlm
