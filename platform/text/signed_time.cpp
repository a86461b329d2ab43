// SPDX-License-Identifier: Apache-2.0
#include "platform/text/signed_time.h"

#include <cstdlib>

#include "platform/text/format.h"

namespace wafertlm {

std::string format_change(std::int64_t ps) {
  return (ps < 0 ? "-" : ps > 0 ? "+" : "") + format_time(static_cast<TimePs>(std::abs(ps)));
}

}  // namespace wafertlm
