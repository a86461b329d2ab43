// SPDX-License-Identifier: Apache-2.0
#include "platform/host/validators.h"

#include <algorithm>

#include "platform/text/quantity.h"
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

class OneOfNames final : public CLI::Validator {
 public:
  explicit OneOfNames(const std::function<std::vector<std::string>()>& names) {
    desc_function_ = [names] { return "{" + config::listed(names()) + "}"; };
    func_ = [names](const std::string& text) -> std::string {
      const std::vector<std::string> all = names();
      if (std::find(all.begin(), all.end(), text) != all.end()) return "";
      return "there is no '" + text + "'" + config::suggestion(text, all, "it is one of");
    };
  }
};

}  // namespace

CLI::Validator one_of_names(const std::vector<std::string>& names) {
  return OneOfNames([names] { return names; });
}

CLI::Validator one_of_names(const std::function<std::vector<std::string>()>& names) {
  return OneOfNames(names);
}

CLI::Validator size_in_bytes() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        if (text.find_first_not_of("0123456789") == std::string::npos) return "";
        try {
          text = std::to_string(config::parse_size(text));
          return "";
        } catch (const config::QuantityError& error) {
          return error.what();
        }
      },
      "");
}

CLI::Validator not_negative() {
  return number_that("a number from 0", [](double value) { return value >= 0; });
}

CLI::Validator positive() {
  return number_that("a number above 0", [](double value) { return value > 0; });
}

}  // namespace wafertlm
