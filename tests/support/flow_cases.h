// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tests/support/flow_rig.h"
#include "tests/support/groups.h"
#include "workloads/collectives/algorithm/proof.h"
#include "workloads/collectives/basic/in_network.h"

namespace wafertlm::test {

/// mp, pp and dp with falling priority, a channel each and one for the flows of each.
inline const ClassTable& flow_classes() {
  static const ClassTable classes({{"mp", 0, 1, 3}, {"pp", 1, 1, 2}, {"dp", 2, 1, 1}}, 3, true);
  return classes;
}

inline constexpr ClassId kMp{0}, kDp{2};

/// The same with a class for acknowledgements, above the others.
inline const ClassTable& reliable_classes() {
  static const ClassTable classes({{"mp", 0, 1, 3}, {"pp", 1, 1, 2}, {"dp", 2, 1, 1}, {"control", 3, 1, 4}},
                                  4, true);
  return classes;
}

/// Go-Back-N on reliable_classes().
inline ReliabilityParams go_back_n() {
  ReliabilityParams params;
  params.timeout_ps = 20'000'000;
  params.answers = {ClassId{3}, VcId{3}, VcId{7}, 512};
  return params;
}

inline CollectiveProgram in_network(CollectiveType type, Group group, std::uint64_t bytes, const FlowRig& rig,
                                    DataType data_type = DataType::int32, std::uint32_t root = 0) {
  CollectiveProgram program;
  program.type = type;
  program.algorithm = "in_network";
  program.group = std::move(group);
  program.bytes = program.buffer_bytes = bytes;
  program.root = root;
  program.data_type = data_type;
  program.flow_additions = [&rig](const std::vector<NpuId>& from, const std::vector<NpuId>& to) {
    return rig.additions(from, to);
  };
  const auto ranks = static_cast<std::uint32_t>(program.group.size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    program.ranks.push_back(std::make_unique<InNetworkProgram>(type, ranks, bytes, root, rank));
  return program;
}

/// A collective with real values on a rig.
class ProvenCollective {
 public:
  ProvenCollective(FlowRig& rig, CollectiveProgram program, std::uint64_t id, ClassId traffic_class)
      : rig_(rig), program_(std::move(program)), id_(id), class_(traffic_class), expected_(program_, id) {
    for (std::uint32_t rank = 0; rank < program_.group.size(); ++rank)
      values_.push_back(initial_values(program_, id, rank));
  }

  /// `then` is called when the rank is done.
  void enter(std::uint32_t rank, TimePs at, std::function<void()> then = {}) {
    rig_.enter(program_, id_, rank, class_, at, values_[rank].data(), [this, then](TimePs now) {
      ++done_;
      end_ps_ = now;
      if (then) then();
    });
  }
  void enter_all(TimePs at = 0) {
    for (std::uint32_t rank = 0; rank < program_.group.size(); ++rank) enter(rank, at);
  }
  bool done() const { return done_ == program_.group.size(); }
  TimePs end_ps() const { return end_ps_; }
  const CollectiveProgram& program() const { return program_; }
  /// The first difference, empty if every rank holds what it must.
  std::string wrong() const {
    for (std::uint32_t rank = 0; rank < program_.group.size(); ++rank)
      if (const std::string what = expected_.wrong_value(rank, values_[rank]); !what.empty()) return what;
    return "";
  }

 private:
  FlowRig& rig_;
  CollectiveProgram program_;
  std::uint64_t id_;
  ClassId class_;
  ExpectedValues expected_;
  std::vector<std::vector<std::byte>> values_;
  std::size_t done_ = 0;
  TimePs end_ps_ = 0;
};

}  // namespace wafertlm::test
