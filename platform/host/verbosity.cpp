// SPDX-License-Identifier: Apache-2.0
#include "platform/host/verbosity.h"

#include <unistd.h>

#include <cstdlib>

namespace wafertlm {
namespace {

Verbosity chosen_verbosity = Verbosity::normal;
bool colour_is_forbidden = false;

bool has_colour() {
  const char* const none = std::getenv("NO_COLOR");
  return !colour_is_forbidden && (none == nullptr || *none == '\0') && isatty(STDOUT_FILENO) != 0;
}

}  // namespace

Verbosity verbosity() { return chosen_verbosity; }
void set_verbosity(Verbosity chosen) { chosen_verbosity = chosen; }
void forbid_colour() { colour_is_forbidden = true; }

std::string coloured(const std::string& text, Colour colour) {
  if (!has_colour()) return text;
  const char* const code = colour == Colour::red ? "31" : colour == Colour::green ? "32" : "1";
  return std::string("\033[") + code + "m" + text + "\033[0m";
}

}  // namespace wafertlm
