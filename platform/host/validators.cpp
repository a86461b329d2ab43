// SPDX-License-Identifier: Apache-2.0
#include "platform/host/validators.h"

#include <algorithm>
#include <utility>

#include "platform/text/suggest.h"

namespace wafertlm {
namespace {

template <class Fits>
CLI::Validator number_that(const std::string& what, Fits fits) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && fits(value)) return "";
        return "'" + text + "' is not " + what;
      },
      "");
}

}  // namespace

CLI::Validator one_of_names(std::vector<std::string> names) {
  const std::string listed = config::listed(names);
  return CLI::Validator(
      [names = std::move(names)](const std::string& text) -> std::string {
        if (std::find(names.begin(), names.end(), text) != names.end()) return "";
        return "there is no '" + text + "'" + config::suggestion(text, names, "it is one of");
      },
      "{" + listed + "}");
}

CLI::Validator not_negative() {
  return number_that("a number from 0", [](double value) { return value >= 0; });
}

CLI::Validator positive() {
  return number_that("a number above 0", [](double value) { return value > 0; });
}

}  // namespace wafertlm
