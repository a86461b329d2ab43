// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/defects/defect_model.h"
#include "tlm/kernel/units.h"

namespace wafertlm::config {

/// A link between two neighbours: "5-6" both directions, "5->6" one. Ends are numbers of NPUs on a mesh.
struct LinkName {
  LinkName() = default;
  LinkName(std::string from_end, std::string to_end, bool is_one_way)
      : from(std::move(from_end)), to(std::move(to_end)), one_way(is_one_way) {}
  LinkName(NpuId from_npu, NpuId to_npu, bool is_one_way)
      : LinkName(std::to_string(index_of(from_npu)), std::to_string(index_of(to_npu)), is_one_way) {}

  std::string text() const { return from + (one_way ? "->" : "-") + to; }
  /// Both ends as NPUs; none: they are no numbers.
  std::optional<std::pair<NpuId, NpuId>> npus() const;
  /// The same links, whichever end comes first.
  bool operator==(const LinkName& other) const;

  std::string from, to;
  bool one_way = false;
};

/// A link with a part of its bandwidth.
struct SlowLink {
  LinkName link;
  std::uint32_t speed_percent = 100;
};

/// An NPU that computes at a part of its speed.
struct SlowNpu {
  NpuId npu{0};
  std::uint32_t speed_percent = 100;
};

/// An NPU with a part of its HBM stacks: of bandwidth and capacity.
struct PartialHbm {
  NpuId npu{0};
  std::uint32_t share_percent = 100;
};

/// Parts of a FRED wafer in the physical view.
struct DeadFredParts {
  struct Uplink {
    std::uint32_t l1_switch = 0, chip = 0, port = 0;  ///< a port up of a chip of an L1 switch
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> l1;  ///< (L1 switch, chip of it)
  std::vector<std::uint32_t> l2;
  std::vector<Uplink> uplinks;

  bool any() const { return !l1.empty() || !l2.empty() || !uplinks.empty(); }
  /// For messages: the first list that has something.
  const void* first_key() const {
    if (!l1.empty()) return &l1;
    if (!l2.empty()) return &l2;
    return &uplinks;
  }
};

/// Parts that do not work of wafer number `wafer`, as `wafertlm yield` draws them.
struct DrawnDefects {
  wafer_yield::YieldSpec yield;
  std::uint64_t wafer = 0;

  struct Parts {
    std::vector<NpuId> npus, routers;
    std::vector<LinkName> links;
  };
  /// Drawn when they are first asked for.
  const Parts& parts() const;

 private:
  mutable std::shared_ptr<const Parts> parts_;
};

/// Parts that do not work, or not as fast as they should, as the wafer comes out of the fab.
struct DefectsSpec {
  std::vector<NpuId> npus;            ///< their routers pass on
  std::vector<NpuId> routers;         ///< with their NPUs
  std::vector<std::string> switches;  ///< names, of a graph
  DeadFredParts chips;
  std::vector<LinkName> links;
  std::vector<SlowLink> slow_links;
  std::vector<SlowNpu> slow_npus;
  std::vector<PartialHbm> hbm;
  std::vector<std::uint32_t> io;  ///< numbers of controllers
  std::optional<DrawnDefects> drawn;

  /// With those that are drawn in the lists.
  DefectsSpec complete() const;
  /// Of its computing, its HBM; 100: all.
  std::uint32_t speed_percent(NpuId npu) const;
  std::uint32_t hbm_percent(NpuId npu) const;
  /// A line for `wafertlm check`: what is slow, or has a part of its HBM, or which controllers are gone;
  /// empty: nothing.
  std::string describe_slow() const;
};

}  // namespace wafertlm::config
