// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "models/fred/flows/flow_admission.h"

namespace wafertlm {

/// A flow from the first of its contributors that comes until it is over, or a collective that asks whether
/// it may use flows.
struct FlowAdmission::Request {
  FlowKey key;
  ClassId traffic_class{};
  DataType data_type{};
  std::uint64_t bytes = 0;
  NpuId first_npu{};
  std::uint64_t bytes_per_s = 0;  // of the slowest link on its way
  std::vector<NpuId> contributors, receivers;
  struct Party {
    NpuId npu;
    FlowParty* party;
    std::uint64_t token;
  };
  std::vector<Party> entered;
  TimePs ready_ps = 0;
  bool has_route = false, conflicted = false;
  // Of a collective that asks whether it may use flows.
  std::size_t ranks = 0, answered = 0;
  bool decided = false, in_network = false;
  std::vector<FlowTree::SwitchBranch> branches;
  std::uint32_t stripes = 1;
  FlowBuffers::Reserved reserved;
  // Once it is admitted.
  const Flow* flow = nullptr;
  std::size_t branches_left =
      0;  // of a reliable flow: contributors that do not know yet that all has arrived
  TimePs done_ps = 0;
  bool closed = false;

  void is_slowed_by(const OutputParams& link) { bytes_per_s = std::min(bytes_per_s, link.bytes_per_s); }
  auto order(const ClassTable& classes) const {
    return std::make_tuple(~classes[traffic_class].priority, first_npu, key);
  }
};

}  // namespace wafertlm
