// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/burst_times.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {

BurstTimes::BurstTimes(const DramTiming& timing, const DramQueueParams& queue)
    : to_data{timing.fs(timing.cl), timing.fs(timing.cwl)},
      rcd{timing.fs(timing.rcd_read), timing.fs(timing.rcd_write)},
      rp(timing.fs(timing.rp)),
      ras(timing.fs(timing.ras)),
      rc(timing.fs(timing.rc)),
      rrd_short(timing.fs(timing.rrd_short)),
      rrd_long(timing.fs(timing.rrd_long)),
      faw(timing.fs(timing.faw)),
      burst(timing.fs(timing.burst)),
      rfc(timing.fs(timing.rfc_bank)),
      refi(timing.fs(timing.refi)),
      put_off_most(refi == 0 ? kNeverFs / 2 : queue.postponed_refreshes * refi),
      write_idle(queue.write_idle_ps * 1000),
      places{queue.queue_visits, queue.write_high},
      write_low(queue.write_low),
      banks(timing.banks()),
      banks_per_group(timing.banks_per_group) {
  queue.check();
  if (timing.bank_groups > kGroups || timing.banks_per_group > kMaxBanks / kGroups)
    throw std::invalid_argument("the burst level knows pseudo-channels of up to 4 bank groups of 16 banks");
  const Fs ccd_short = timing.fs(timing.ccd_short), ccd_long = timing.fs(timing.ccd_long),
           written = to_data[1] + burst;
  for (std::uint32_t k = 0; k < 3; ++k) spacing[k] = std::max(ccd_short, ccd_long >> k);
  for (const int d : {0, 1}) to_end[d] = to_data[d] + burst;
  next_any[0][0] = next_any[1][1] = ccd_short;
  next_any[0][1] = std::max(ccd_short, timing.fs(timing.rtw));
  next_any[1][0] = std::max(ccd_short, written + timing.fs(timing.wtr_short));
  next_group[0][0] = next_group[0][1] = next_group[1][1] = ccd_long;
  next_group[1][0] = std::max(ccd_long, written + timing.fs(timing.wtr_long));
  to_free[0] = timing.fs(timing.rtp);
  to_free[1] = written + timing.fs(timing.wr);
  to_column = rp + std::max(rcd[0], rcd[1]) + faw;
}

}  // namespace wafertlm
