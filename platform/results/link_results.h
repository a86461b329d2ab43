// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/results/fields.h"
#include "platform/system/machine_links.h"

namespace wafertlm::results {

struct LinkRow {
  const MachineLink& link;
  const ClassTable& classes;
  TimePs end_ps;  ///< of the run
  double energy_per_bit_j;
};
/// Of links[].
const Fields<LinkRow>& link_fields();

}  // namespace wafertlm::results
