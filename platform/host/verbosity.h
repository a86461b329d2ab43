// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace wafertlm {

/// How much a command says beside its results; of the whole program, set once from its command line.
enum class Verbosity : std::uint8_t {
  quiet,   ///< -q: errors and warnings only
  normal,  ///< and how far something long is: on a terminal, elsewhere once a minute
  verbose  ///< -v: that more often, and what the command took
};
Verbosity verbosity();
void set_verbosity(Verbosity chosen);

/// Colours only on a terminal, and neither with --no-color nor with NO_COLOR in the environment.
void forbid_colour();
enum class Colour : std::uint8_t { red, green, bold };
std::string coloured(const std::string& text, Colour colour);

}  // namespace wafertlm
