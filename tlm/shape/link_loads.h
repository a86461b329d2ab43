// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/program/program.h"

namespace wafertlm {

class Topology;

/// A link in one direction.
struct TopologyLink {
  std::uint64_t bytes_per_s = 0;
  TimePs head_ps = 0;  ///< no message that crosses it has a shorter head latency
};

/// Bytes that messages put on the links of a fabric. Made by the topology, which must outlive it.
class LinkLoads {
 public:
  virtual ~LinkLoads() = default;
  virtual void add(NpuId from, NpuId to, std::uint64_t bytes) = 0;
  /// An in-network flow: once over every link between a contributor and a receiver.
  virtual void add_flow(const Group& contributors, const Group& receivers, std::uint64_t bytes) = 0;
  /// From every member of the group to every other.
  virtual void add_all_pairs(const Group& group, std::uint64_t bytes);
  virtual std::uint64_t busiest_bytes() const = 0;
  /// No sooner than this is any link done: its bytes, and the head's latency. 0 without any bytes.
  virtual TimePs busiest_ps() const = 0;
};

/// Walks every route.
class RouteLoads : public LinkLoads {
 public:
  explicit RouteLoads(const Topology& topology);

  void add(NpuId from, NpuId to, std::uint64_t bytes) override;
  /// Looks at every pair.
  void add_flow(const Group& contributors, const Group& receivers, std::uint64_t bytes) override;
  std::uint64_t busiest_bytes() const override;
  TimePs busiest_ps() const override;

 protected:
  const Topology& topology_;
  std::vector<std::uint64_t> bytes_;  ///< by link

 private:
  std::vector<std::size_t> route_;
};

}  // namespace wafertlm
