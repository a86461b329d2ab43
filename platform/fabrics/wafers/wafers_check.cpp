// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/wafers/wafers_check.h"

#include "platform/fabrics/wafers/outer_cable.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kMostNpus = 4096, kMostChannels = kMaxVcs / 2;

void check_controllers(const config::WaferSpec& wafer, const OneWaferKeys& keys, const config::Check& check) {
  if (!wafer.io.controllers.any())
    check.fail({&wafer.outer, &wafer.io.controllers},
               "wafers are connected through I/O controllers; add {}: {}", check.path(&wafer.io.controllers),
               keys.controllers);
  if (wafer.io.latency_ps == 0)
    check.fail(
        {&wafer.io.latency_ps, &wafer.outer},
        "between a switch and an I/O controller that leads to other wafers it takes 1 ps or more; set {}",
        check.path(&wafer.io.latency_ps));
}

void check_size(const config::WaferSpec& wafer, const OneWaferKeys& keys, const config::Check& check) {
  if (wafer.npu_count() <= kMostNpus) return;
  std::vector<const void*> culprits{&wafer.outer->wafers};
  culprits.insert(culprits.end(), keys.size.begin(), keys.size.end());
  check.fail(culprits, "more than {} NPUs in all; take smaller or fewer wafers", kMostNpus);
}

void check_unknown(const config::WaferSpec& wafer, const OneWaferKeys& keys, const config::Check& check) {
  const config::FabricSpec& fabric = wafer.fabric;
  std::vector<const void*> culprits{&wafer.outer};
  culprits.insert(culprits.end(), keys.unknown.begin(), keys.unknown.end());
  const auto forbid = [&](bool is_used, const void* key) {
    if (is_used) culprits.push_back(key);
  };
  forbid(!fabric.defects.routers.empty(), &fabric.defects.routers);
  forbid(!fabric.defects.links.empty(), &fabric.defects.links);
  forbid(!fabric.defects.slow_links.empty(), &fabric.defects.slow_links);
  forbid(!fabric.defects.io.empty(), &fabric.defects.io);
  forbid(fabric.defects.drawn.has_value(), &fabric.defects.drawn);
  forbid(fabric.bit_error_rate > 0, &fabric.bit_error_rate);
  forbid(fabric.is_reliable(), &fabric.reliability.protocol);
  forbid(fabric.format.by_flit, &fabric.format.by_flit);
  forbid(fabric.input_queue == InputQueue::fifo, &fabric.input_queue);
  forbid(fabric.input_start_ps != 0, &fabric.input_start_ps);
  if (culprits.size() > 1)
    check.fail(culprits,
               "with several wafers there are no failures, bit errors, wormhole switching, input_queue: fifo "
               "or input_start_interval; leave them out");
}

}  // namespace

void check_several_wafers(const config::WaferSpec& wafer, const OneWaferKeys& keys,
                          const config::Check& check) {
  const config::FabricSpec& fabric = wafer.fabric;
  check_controllers(wafer, keys, check);
  check_size(wafer, keys, check);
  if (const std::uint64_t headroom = outer_headroom_bytes(*wafer.outer);
      fabric.buffer_bytes != 0 && fabric.buffer_bytes < headroom)
    check.fail(
        {&fabric.buffer_bytes, &wafer.outer->ethernet},
        "Ethernet between wafers would lose frames, for a pause takes effect {} B later; take auto, or "
        "that much",
        headroom);
  check_unknown(wafer, keys, check);
  if (fabric.virtual_channels > kMostChannels)
    check.fail({&fabric.virtual_channels, &wafer.outer},
               "several wafers need two channels for each, so at most {} are possible", kMostChannels);
}

}  // namespace wafertlm
