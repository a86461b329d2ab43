// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/fabric_loads.h"

namespace wafertlm {

FabricLoads::FabricLoads(const FabricTraits& fabric)
    : topology_(*fabric.topology),
      links_(topology_.link_loads()),
      out_(topology_.npus() + topology_.io_controllers()),
      in_(out_.size()) {}

void FabricLoads::add(NpuId from, NpuId to, std::uint64_t wire_bytes) {
  out_[index_of(from)] += wire_bytes;
  in_[index_of(to)] += wire_bytes;
  links_->add(from, to, wire_bytes);
}

void FabricLoads::add_all_pairs(const Group& group, std::uint64_t wire_bytes) {
  for (const NpuId npu : group) {
    out_[index_of(npu)] += (group.size() - 1) * wire_bytes;
    in_[index_of(npu)] += (group.size() - 1) * wire_bytes;
  }
  links_->add_all_pairs(group, wire_bytes);
}

void FabricLoads::add_flow(const Group& contributors, const Group& receivers, std::uint64_t wire_bytes) {
  for (const NpuId npu : contributors) out_[index_of(npu)] += wire_bytes;
  for (const NpuId npu : receivers) in_[index_of(npu)] += wire_bytes;
  links_->add_flow(contributors, receivers, wire_bytes);
}

TimePs FabricLoads::ports_ps() const {
  TimePs longest = 0;
  for (std::uint32_t n = 0; n < topology_.npus(); ++n) {
    const auto npu = static_cast<NpuId>(n);
    longest = std::max({longest, transfer_time_ps(out_[n], topology_.npu_sends_bytes_per_s(npu)),
                        transfer_time_ps(in_[n], topology_.npu_receives_bytes_per_s(npu))});
  }
  return longest;
}

}  // namespace wafertlm
