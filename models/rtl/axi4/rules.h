// SPDX-License-Identifier: Apache-2.0
// The rules of AXI4 that are checked: a public list. Names are those of the signals and checks that
// protocol checkers of the field use.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/rtl/axi4/axi4.h"

namespace wafertlm {

enum class Axi4Check : std::uint8_t {
  valid_reset,
  valid_stable,
  payload_stable,
  known,
  ready_comes,
  boundary,
  wrap_align,
  burst_type,
  fixed_length,
  wrap_length,
  size,
  exclusive_align,
  exclusive_length,
  early_last,
  late_last,
  lanes,
  before_data,
  before_address,
  outstanding,
  exclusive_response,
  all_answered,
  data,
  order,
  okay,
  latency,
  rate,
};

struct Axi4Rule {
  Axi4Check check;
  Axi4Channel channel;
  const char* name;  ///< "AWADDR_BOUNDARY"
  const char* text;
};

const std::vector<Axi4Rule>& axi4_rules();
/// @throws std::logic_error: the channel has no such rule.
const Axi4Rule& axi4_rule(Axi4Check check, Axi4Channel channel);

struct Axi4Violation {
  const Axi4Rule* rule;
  std::uint64_t cycle;
  std::uint32_t id;  ///< of the transaction, where it is known; else 0
  std::string seen;
};
/// "AWADDR_BOUNDARY in cycle 17, ID 3: no burst crosses 4 KB; seen: …"
std::string to_text(const Axi4Violation& violation);
using Axi4Report = std::function<void(const Axi4Violation&)>;

/// "read of 4 x 8 B at 0x1000, INCR, ID 3".
std::string to_text(const Axi4Burst& burst, bool write);

}  // namespace wafertlm
