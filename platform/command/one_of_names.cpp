// SPDX-License-Identifier: Apache-2.0
#include "platform/command/one_of_names.h"

#include <algorithm>
#include <utility>

#include "platform/config/suggest.h"

namespace wafertlm {

CLI::Validator one_of_names(std::vector<std::string> names) {
  const std::string listed = config::listed(names);
  return CLI::Validator(
      [names = std::move(names)](const std::string& text) -> std::string {
        if (std::find(names.begin(), names.end(), text) != names.end()) return "";
        return "there is no '" + text + "'" + config::suggestion(text, names, "it is one of");
      },
      "{" + listed + "}");
}

}  // namespace wafertlm
