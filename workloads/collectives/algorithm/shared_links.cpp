// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/shared_links.h"

#include <algorithm>

#include "workloads/collectives/algorithm/program_steps.h"

namespace wafertlm {
namespace {

class Sharing {
 public:
  explicit Sharing(const FabricTraits& fabric)
      : fabric_(fabric),
        links_(fabric.topology->link_loads()),
        out_(fabric.npus() + fabric.topology->io_controllers()),
        in_(out_.size()) {}

  void add(const CollectiveProgram& program) {
    for_steps(program,
              [&](std::uint32_t rank, std::uint32_t, const Step& step) { add(program, rank, step); });
  }

  TimePs busiest_ps() const {
    const EndpointPorts& ports = fabric_.topology->ports();
    TimePs longest = links_->busiest_ps();
    for (std::uint32_t npu = 0; npu < fabric_.npus(); ++npu)
      longest = std::max({longest, transfer_time_ps(out_[npu], ports.injection_bytes_per_s),
                          transfer_time_ps(in_[npu], ports.ejection_bytes_per_s)});
    return longest;
  }

 private:
  void add(const CollectiveProgram& program, std::uint32_t rank, const Step& step) {
    if (step.bytes == 0) return;
    const std::uint64_t wire = fabric_.format.message_wire_bytes(step.bytes);
    const NpuId npu = program.group[rank];
    switch (step.kind) {
      case Step::Kind::send:
        out_[index_of(npu)] += wire;
        links_->add(npu, program.group[step.peer], wire);
        break;
      case Step::Kind::copy:
      case Step::Kind::reduce:
      case Step::Kind::flow_copy:
        in_[index_of(npu)] += wire;
        break;
      case Step::Kind::local_copy:
      case Step::Kind::local_reduce:
        break;
      case Step::Kind::flow_send:
        out_[index_of(npu)] += wire;
        add_flow(program, step.tag, rank, wire);
        break;
    }
  }

  /// Once for each flow, by its first contributor.
  void add_flow(const CollectiveProgram& program, std::uint64_t tag, std::uint32_t rank, std::uint64_t wire) {
    const FlowMembers members = program.ranks[rank]->flow(tag);
    if (members.contributors.front() != rank) return;
    const auto npus = [&](const std::vector<std::uint32_t>& ranks) {
      Group list;
      for (const std::uint32_t each : ranks) list.push_back(program.group[each]);
      return list;
    };
    links_->add_flow(npus(members.contributors), npus(members.receivers), wire);
  }

  const FabricTraits& fabric_;
  std::unique_ptr<LinkLoads> links_;
  std::vector<std::uint64_t> out_, in_;  // by endpoint
};

}  // namespace

TimePs shared_links_ps(const std::vector<const CollectiveProgram*>& programs, const FabricTraits& fabric) {
  std::uint64_t steps = 0;
  for (const CollectiveProgram* const program : programs) steps += steps_of(*program);
  if (steps > kMaxSharedSteps) return 0;
  Sharing sharing(fabric);
  for (const CollectiveProgram* const program : programs) sharing.add(*program);
  return sharing.busiest_ps();
}

}  // namespace wafertlm
