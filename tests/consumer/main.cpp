// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <systemc>
#include <tlm>

#include "tlm/kernel/units.h"

// <tlm> is the standard's header and "tlm/kernel/units.h" is ours, side by side in one file.
int sc_main(int, char**) {
  tlm::tlm_generic_payload payload;
  payload.set_data_length(4096);
  const wafertlm::TimePs time_ps = wafertlm::transfer_time_ps(payload.get_data_length(), 750'000'000'000);
  std::cout << payload.get_data_length() << " B at 750 GB/s take " << time_ps << " ps\n";
  return time_ps == 5462 ? 0 : 1;
}
