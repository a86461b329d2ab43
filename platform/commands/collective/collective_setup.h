// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/machine/collective_run.h"
#include "platform/run/tuned_choice.h"
#include "workloads/collectives/io_stream.h"

namespace wafertlm {

/// What `wafertlm collective` is asked for.
struct CollectiveOptions {
  std::string type;                   ///< a CollectiveType, or weight_load, gradient_store
  std::string npus;                   ///< "0-4,10"; empty: all
  std::string algorithm;              ///< empty: the platform's choice; may be the path of a custom one or
                                      ///< of a tuning table
  std::string traffic_class;          ///< empty: dp, or weights for weight_load and gradient_store
  std::optional<std::uint32_t> root;  ///< position in the group; only of rooted collectives
  std::string parallelism;  ///< "MP(2)-DP(5)-PP(2)"; then traffic_class is a list of mp, dp, pp, all
  std::string placement = "paper";
  std::string late;  ///< "7:10us,12:1us": NPUs that enter later than the others; empty: none
  std::string seed;  ///< of a random placement; empty: the platform's
};

/// The collectives of one traffic class.
struct CollectiveLane {
  std::string traffic_class;
  std::vector<Group> groups;  ///< of equal size
};

/// The collectives that run at the same time, one for each group of each lane, or one for each I/O
/// controller.
class CollectiveSetup {
 public:
  /// @throws std::invalid_argument that says what to change.
  CollectiveSetup(const config::PlatformSpec& spec, const CollectiveOptions& options);

  bool streams() const { return streams_; }
  CollectiveType type() const { return request_.type; }
  /// What the first group is asked to do, with no bytes yet.
  /// @throws std::invalid_argument of a stream, which has no choice.
  CollectiveRequest first_request() const;
  /// The same with bytes, and the algorithm that a tuning table has for them.
  CollectiveRequest first_request(std::uint64_t bytes) const;
  /// In the order in which plan() lists the collectives.
  const std::vector<CollectiveLane>& lanes() const { return lanes_; }
  CollectivePlan plan(std::uint64_t bytes, const FabricTraits& fabric) const;
  IoStream plan_stream(std::uint64_t bytes, const FabricTraits& fabric) const;

 private:
  void share(CollectivePlan& plan, std::uint64_t bytes, const FabricTraits& fabric) const;
  CollectiveRequest request(const Group& group, std::uint64_t bytes) const;
  std::vector<CollectiveLane> parallel_lanes(const config::PlatformSpec& spec,
                                             const CollectiveOptions& options) const;

  bool streams_ = false, functional_ = false;
  CollectiveRequest request_;                 // of no group and size
  std::shared_ptr<const TunedChoice> tuned_;  // in place of request_.algorithm; null: none
  std::string stream_class_;
  std::optional<std::uint64_t> stream_chunk_bytes_;
  std::vector<CollectiveLane> lanes_;
  std::map<NpuId, TimePs> late_;
};

}  // namespace wafertlm
