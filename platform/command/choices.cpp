// SPDX-License-Identifier: Apache-2.0
#include "platform/command/choices.h"

#include <algorithm>
#include <stdexcept>

#include "platform/config/suggest.h"

namespace wafertlm {

CLI::Validator one_of(std::vector<std::string> names) {
  const std::string listed = config::listed(names);
  return CLI::Validator(
      [names = std::move(names)](const std::string& text) -> std::string {
        if (std::find(names.begin(), names.end(), text) != names.end()) return "";
        return "there is no '" + text + "'" + config::suggestion(text, names, "it is one of");
      },
      "{" + listed + "}");
}

void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty())
        throw std::invalid_argument(option->get_name() + ": the value is empty; give one, or leave it out");
}

}  // namespace wafertlm
