// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

namespace wafertlm::validate::steps {

/// Regular expressions (ECMAScript, whatever the case) within the first 500 characters of a text.
bool says(const std::string& text, const char* expression);
/// The last group that takes part.
std::optional<std::string> match(const std::string& text, const char* expression);
/// The same as a number; "2,048" and "128k" (times 1024) are some.
std::optional<double> number(const std::string& text, const char* expression);

}  // namespace wafertlm::validate::steps
