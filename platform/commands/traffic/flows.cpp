// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/traffic/flows.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <stdexcept>

#include "platform/machine/wafer.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/fabric_results.h"
#include "tlm/packets/message_service.h"

namespace wafertlm::traffic {
namespace {

/// Who sends to whom: a random choice of the pattern, but nobody to itself.
std::vector<Flow> flows_of(const TrafficSetup& setup, std::uint32_t npus) {
  const auto pattern = make_pattern(setup.pattern, MeshGeometry(npus, 1));
  std::mt19937_64 random(setup.seed);
  std::vector<Flow> flows;
  for (std::uint32_t n = 0; n < npus; ++n) {
    const auto choices = pattern->choices(NpuId{n});
    const bool to_another = std::any_of(choices.begin(), choices.end(), [&](const Pattern::Choice& choice) {
      return choice.weight != 0 && choice.destination != NpuId{n};
    });
    if (!pattern->sends(NpuId{n}) || !to_another) continue;
    NpuId to{n};
    while (to == NpuId{n}) to = pattern->next(NpuId{n}, random);
    flows.push_back({n, static_cast<std::uint32_t>(index_of(to)), 0});
  }
  if (flows.empty())
    throw std::invalid_argument("--pattern " + setup.pattern.name + ": no node sends to another");
  return flows;
}

/// Flow i is the message with tag i. Token 2i is its sending, 2i + 1 its receiving.
class Burst final : private Wakeable, private MessageListener {
 public:
  Burst(Wafer& wafer, std::vector<Flow>& flows, std::uint64_t bytes, ClassId traffic_class)
      : wafer_(wafer), flows_(flows), bytes_(bytes), class_(traffic_class) {
    MessageService* const service = wafer.fabric().messages();
    if (!service)
      throw std::invalid_argument(
          "--flow is for fabrics that carry whole messages, and packets travel on this one; give --load");
    for (std::uint32_t n = 0; n < wafer.npus(); ++n) npus_.push_back(&service->connect(NpuId{n}, *this, {}));
    wafer.scheduler.schedule(0, *this, 0);
  }
  std::size_t received() const { return received_; }

 private:
  void wake(std::uint32_t, TimePs now) override {
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      const Flow& flow = flows_[i];
      npus_[flow.to]->start_receive(NpuId{flow.from}, i, 2 * i + 1, now);
      npus_[flow.from]->start_send(NpuId{flow.to}, i, bytes_, class_, 2 * i, now);
    }
  }
  void communication_done(std::uint64_t token) override {
    if (token % 2 == 0) return;
    flows_[token / 2].completion_ps = wafer_.scheduler.now();
    ++received_;
  }

  Wafer& wafer_;
  std::vector<Flow>& flows_;
  std::uint64_t bytes_;
  ClassId class_;
  std::vector<Communication*> npus_;
  std::size_t received_ = 0;
};

TimePs bound_of(const std::vector<Flow>& flows, std::uint64_t bytes, const FabricTraits& traits) {
  const Topology& topology = *traits.topology;
  std::vector<std::uint64_t> sends(topology.npus()), receives(topology.npus());
  const std::uint64_t wire = traits.format.message_wire_bytes(bytes);
  TimePs shortest = kNever, busiest = 0;
  for (const Flow& flow : flows) {
    sends[flow.from] += wire;
    receives[flow.to] += wire;
    shortest = std::min(shortest, topology.head_latency_ps(NpuId{flow.from}, NpuId{flow.to}));
  }
  for (std::uint32_t n = 0; n < topology.npus(); ++n)
    busiest = std::max({busiest, transfer_time_ps(sends[n], topology.npu_sends_bytes_per_s(NpuId{n})),
                        transfer_time_ps(receives[n], topology.npu_receives_bytes_per_s(NpuId{n}))});
  return busiest + shortest;
}

}  // namespace

TimePs FlowsResult::last_ps() const { return percentile_ps(100); }

TimePs FlowsResult::percentile_ps(double percent) const {
  std::vector<TimePs> times;
  for (const Flow& flow : flows) times.push_back(flow.completion_ps);
  std::sort(times.begin(), times.end());
  const double rank = std::ceil(percent / 100 * static_cast<double>(times.size()) - 1e-9);
  return times[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

double FlowsResult::mean_ps() const {
  double sum = 0;
  for (const Flow& flow : flows) sum += static_cast<double>(flow.completion_ps);
  return sum / static_cast<double>(flows.size());
}

FlowsResult run_flows(const FlowsSetup& setup) {
  const std::clock_t begin = std::clock();
  const config::WaferSpec& spec = setup.traffic.platform.wafer;
  FlowsResult result;
  result.flows = flows_of(setup.traffic, spec.npu_count());
  result.bound_ps = bound_of(result.flows, setup.flow_bytes, fabric_kind(spec).traits(spec));
  Wafer wafer(setup.traffic.platform);
  const ClassId traffic_class =
      setup.traffic.traffic_class.empty() ? ClassId{0} : wafer.classes.find(setup.traffic.traffic_class);
  const Burst burst(wafer, result.flows, setup.flow_bytes, traffic_class);
  wafer.scheduler.run(setup.traffic.platform.run.watchdog_ps, sc_core::SC_EXIT_ON_STARVATION);
  if (burst.received() != result.flows.size())
    throw std::runtime_error(std::to_string(result.flows.size() - burst.received()) + " of " +
                             std::to_string(result.flows.size()) +
                             " flows have not arrived when run.watchdog ends the run");
  wafer.require_rest();
  result.packet_hops = wafer.fabric().packet_hops();
  if (const FabricResults* const of = fabric_kind(spec).results()) {
    result.of_fabric[of->name] = of->json(wafer.fabric());
    result.text = of->text(result.of_fabric[of->name]);
  }
  result.cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return result;
}

}  // namespace wafertlm::traffic
