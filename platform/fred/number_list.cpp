// SPDX-License-Identifier: Apache-2.0
#include "platform/fred/number_list.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace wafertlm {

std::vector<std::uint32_t> number_list(const std::string& option, const std::string& text, char separator,
                                       std::uint32_t least) {
  std::vector<std::uint32_t> found;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    std::uint32_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < least || (stop != end && *stop != separator))
      throw std::invalid_argument(fmt::format("{} {}: expected whole numbers from {}, joined by '{}'", option,
                                              text, least, separator));
    found.push_back(value);
    if (stop == end) return found;
    at = stop + 1;
  }
}

}  // namespace wafertlm
