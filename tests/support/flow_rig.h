// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/endpoint/endpoint.h"
#include "models/fred/flows/flow_admission.h"
#include "tlm/link/flow_unit.h"

namespace wafertlm::test {

struct FlowRigParams {
  std::uint32_t l1 = 5, npus_per_l1 = 4;
  std::uint64_t npu_bytes_per_s = 3'000'000'000'000, uplink_bytes_per_s = 1'500'000'000'000;
  TimePs latency_ps = 20'000, pipeline_ps = 0, credit_delay_ps = 20'000;
  std::uint32_t packet_bytes = 4096;
  /// What a flow reserves in each buffer, in packets; 0: enough for line rate.
  std::uint32_t credit_packets = 0;
  std::uint32_t flows = 8;  ///< that have room in a buffer at the same time
  std::uint32_t lanes = 8;
  bool reservation = true;
  FlowConflict conflict = FlowConflict::block;
  std::uint32_t middle_switches = 0;  ///< m of the interconnects that carry the flows; 0: they carry all
  bool phase_rule = false;
  TimePs phase_change_ps = 0;
  double bit_error_rate = 0;
  std::optional<ReliabilityParams> reliability;  ///< Go-Back-N, its classes among those of the rig
  bool routed_order = false;  ///< add as FRED_3(5) and FRED_3(l1) do, else from the lowest port up
};

/// A two-level FRED wafer without SystemC: real endpoints, switch cores, flow units and admission, driven by
/// an event loop of its own, so that thousands of runs fit into a process.
class FlowRig {
 public:
  explicit FlowRig(const FlowRigParams& params, const ClassTable& classes);
  ~FlowRig();

  std::uint32_t npus() const { return params_.l1 * params_.npus_per_l1; }
  /// Rank `rank` of `program` enters at `at`, with its values if there are any.
  void enter(const CollectiveProgram& program, std::uint64_t id, std::uint32_t rank, ClassId traffic_class,
             TimePs at, std::byte* values = nullptr, std::function<void(TimePs)> done = {});
  /// Calls back at a time.
  void at(TimePs time, std::function<void()> what);
  /// A unicast message.
  void send(NpuId from, NpuId to, std::uint64_t bytes, ClassId traffic_class, std::uint64_t tag, TimePs at,
            std::function<void(TimePs)> received = {});
  /// Until nothing is left to do.
  void run();

  TimePs now() const { return now_; }
  std::size_t unfinished() const { return done_.size(); }
  FlowAdmission& admission() { return *admission_; }
  const FlowTree& tree() const { return tree_; }
  /// The order in which it adds up.
  AdditionOrder additions(const std::vector<NpuId>& contributors, const std::vector<NpuId>& receivers) const;
  /// No packet, message or flow left, all credits home; else what is not, in words.
  std::string unrest();
  std::vector<std::string> pending() const;
  /// Payload of flows over the link behind an output, by flow.
  std::map<FlowKey, std::uint64_t> carried(std::size_t at, PortId output) const;
  std::uint64_t payload_bytes(std::size_t at, PortId output) const;
  /// Of an NPU's injection port.
  std::uint64_t injected_bytes(NpuId npu) const;
  std::uint64_t phase_changes(std::size_t at) const;
  /// What Go-Back-N did, of all endpoints and of all switches.
  ReliabilityCounters repairs() const;
  FlowRepairCounters flow_repairs() const;
  std::uint64_t spoiled_packets() const;
  void set_fault(NpuId npu, Fault& fault);
  std::size_t l2() const { return params_.l1; }

 private:
  struct Switch;
  struct Node;
  struct Admission;
  struct Orders;
  OutputParams link(std::uint64_t bytes_per_s) const;

  FlowRigParams params_;
  const ClassTable& classes_;
  PacketPool packets_;
  MessagePool messages_;
  FlowTree tree_;
  std::shared_ptr<Orders> orders_;
  std::multimap<TimePs, std::function<void()>> events_;
  TimePs now_ = 0;
  std::vector<std::unique_ptr<Switch>> switches_;  // L1s, then L2
  std::vector<std::unique_ptr<Node>> nodes_;
  std::unique_ptr<Admission> admission_host_;
  std::unique_ptr<FlowAdmission> admission_;
  std::map<std::uint64_t, std::function<void(TimePs)>> done_;  // by token
  std::uint64_t next_token_ = 1;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace wafertlm::test
