// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/short_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tlm/shape/fabric_traits.h"
#include "tlm/shape/topology.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/algorithm/fabric_loads.h"
#include "workloads/collectives/algorithm/program_steps.h"
#include "workloads/collectives/algorithm/rank_links.h"
#include "workloads/collectives/cost.h"
#include "workloads/collectives/packed_trees/rank_graph.h"

namespace wafertlm {
namespace {

__extension__ using Int128 = __int128;

/// How much may be simulated.
struct Budget {
  std::uint64_t packet_hops;  ///< packets times links, at most about; some 100 ns each
  std::uint64_t steps;
};
constexpr Budget kOfPredictions{60'000, kMaxShortRunSteps}, kOfFinalists{2'000'000, 10 * kMaxShortRunSteps};
/// A message of the longer of two runs has so many packets on average, that queues are as they are in longer
/// ones.
constexpr std::uint64_t kLeastPackets = 8;
/// … and so many chunks of what the memories read and write at a time.
constexpr std::uint64_t kLeastMemoryChunks = 4;
/// Of a flow in the network, taken as the same for all.
constexpr std::uint32_t kFlowHops = 4;

/// visit(rank, threadblock, step) for what sends.
template <typename Visit>
void for_sends(const CollectiveProgram& program, const Visit& visit) {
  for_steps(program, [&](std::uint32_t rank, std::uint32_t threadblock, const Step& step) {
    if (step.bytes != 0 && (step.kind == Step::Kind::send || step.kind == Step::Kind::flow_send))
      visit(rank, threadblock, step);
  });
}

/// What a program costs to simulate.
struct Work {
  std::uint64_t messages = 0, bytes = 0, packet_hops = 0;
};

Work work_of(const CollectiveProgram& program, const FabricTraits& fabric) {
  Work work;
  for_sends(program, [&](std::uint32_t rank, std::uint32_t, const Step& step) {
    const std::uint32_t hops = step.kind == Step::Kind::flow_send
                                   ? kFlowHops
                                   : fabric.topology->hops(program.group[rank], program.group[step.peer]) + 1;
    ++work.messages;
    work.bytes += step.bytes;
    work.packet_hops += fabric.format.packets(step.bytes) * hops;
  });
  return work;
}

std::shared_ptr<const CollectiveProgram> plan_alone(const CollectiveRequest& request, FabricTraits fabric) {
  fabric.idle_ps = {};
  return plan_collective(request, fabric);
}

/// What to simulate in place of a long collective.
struct ShortRun {
  std::shared_ptr<const CollectiveProgram> program;  ///< of the collective itself
  std::uint64_t longer, shorter;                     ///< bytes of two runs; `longer` all of them: one run
};

/// Whether the closed form grows from `shorter` bytes over `longer` ones to all of them as a line does,
/// within 5 %.
bool is_one_line(CollectiveRequest request, std::uint64_t shorter, std::uint64_t longer,
                 const FabricTraits& fabric) {
  const std::uint64_t bytes = request.bytes;
  const auto closed = [&](std::uint64_t size) {
    request.bytes = size;
    return static_cast<Int128>(closed_form_ps(request, fabric));
  };
  const Int128 whole = closed(bytes), at_longer = closed(longer);
  const Int128 on_line = at_longer + (at_longer - closed(shorter)) * static_cast<Int128>(bytes - longer) /
                                         static_cast<Int128>(longer - shorter);
  return on_line <= whole + whole / 20 && whole <= on_line + on_line / 20;
}

/// None: too many steps, or too many packets.
std::optional<ShortRun> short_run_of(const CollectiveRequest& request, const FabricTraits& fabric,
                                     const Budget& budget) {
  const auto program = plan_alone(request, fabric);
  if (steps_of(*program) > budget.steps) return std::nullopt;
  const Work work = work_of(*program, fabric);
  if (work.packet_hops <= 2 * budget.packet_hops) return ShortRun{program, request.bytes, request.bytes};
  // Bytes of the longer run, and of the shorter one half of them; whole values for every chunk of every rank.
  const std::uint64_t unit = std::uint64_t{8} * request.group.size() * request.chunks;
  const std::uint64_t least =
      std::max<std::uint64_t>(kLeastPackets * fabric.format.packet_bytes,
                              fabric.memory.is_free() ? 0 : kLeastMemoryChunks * fabric.memory.chunk_bytes);
  const auto scaled = [&](std::uint64_t part, std::uint64_t whole) {
    return static_cast<std::uint64_t>(Uint128{request.bytes} * part / whole) / unit * unit;
  };
  std::uint64_t longer = std::max(scaled(budget.packet_hops, work.packet_hops),
                                  scaled(least * work.messages, work.bytes)),
                shorter = longer / 2 / unit * unit;
  // What a short run is beyond its closed form says nothing about a longer one that is bound by something
  // else.
  while (longer < request.bytes && shorter != 0 && !is_one_line(request, shorter, longer, fabric)) {
    longer *= 2;
    shorter *= 2;
  }
  if (longer >= request.bytes) longer = request.bytes;
  if (Uint128{work.packet_hops} * longer / request.bytes > 16 * budget.packet_hops || shorter == 0)
    return std::nullopt;
  return ShortRun{program, longer, shorter};
}

/// Whether nothing holds up what is sent in the order of a schedule: the routes between ranks share no link,
/// and ports, buffers and memories let all of them be full.
bool schedule_holds(const CollectiveRequest& request, const FabricTraits& fabric) {
  if (request.custom || !algorithm_named(request.algorithm).is_scheduled || !fabric.memory.is_free() ||
      fabric.buffers_are_given)
    return false;
  if (!direct_links(request.group, fabric)) return false;
  const auto links = rank_links(request.group, fabric);
  return !limiting_ports(links->links, links->ports_out, links->ports_in).any();
}

}  // namespace

bool meets_nothing(const CollectiveProgram& program, const FabricTraits& fabric) {
  const Topology& topology = *fabric.topology;
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Pair, std::uint32_t> pairs;  // to the threadblock that sends
  bool meets = false;
  for_sends(program, [&](std::uint32_t rank, std::uint32_t threadblock, const Step& step) {
    meets = meets || step.kind == Step::Kind::flow_send;
    // Packets of two threadblocks take turns.
    if (!meets) meets = pairs.emplace(Pair{rank, step.peer}, threadblock).first->second != threadblock;
  });
  if (meets) return false;
  std::set<std::uint32_t> senders, receivers;
  std::set<std::size_t> links;
  std::set<std::pair<TimePs, std::uint64_t>> paths;
  std::vector<std::uint64_t> out(program.group.size(), 0), in = out;  // rates of the paths from and to a rank
  for (const auto& [pair, threadblock] : pairs) {
    const auto [rank, peer] = pair;
    const NpuId from = program.group[rank], to = program.group[peer];
    const std::uint64_t path = topology.path_bytes_per_s(from, to);
    meets = meets || (out[rank] += path) > topology.npu_sends_bytes_per_s(from) ||
            (in[peer] += path) > topology.npu_receives_bytes_per_s(to);
    if (topology.has_one_port())
      meets = meets || !senders.insert(rank).second || !receivers.insert(peer).second;
    for (const std::size_t link : topology.route(from, to)) meets = !links.insert(link).second || meets;
    paths.emplace(topology.head_latency_ps(from, to), path);
  }
  return !meets && paths.size() <= 1;
}

namespace {

/// Whether the closed form tells all.
bool is_exact(const CollectiveRequest& request, const CollectiveProgram& program,
              const FabricTraits& fabric) {
  if (fabric.store_and_forward || fabric.buffers_are_given || request.custom) return false;
  const bool is_in_whole_pieces =
      request.bytes >= Blocks::element_bytes(request.bytes) * request.group.size() * request.chunks;
  return algorithm_named(request.algorithm).is_exact_alone && is_in_whole_pieces &&
         meets_nothing(program, fabric);
}

/// None: nothing meets, or is too long.
std::optional<TimePs> run_ps(const CollectiveRequest& request, const FabricTraits& fabric,
                             const Budget& budget) {
  const bool only_whole = schedule_holds(request, fabric);
  if (only_whole && fabric.format.packets(request.bytes) > 2 * budget.packet_hops) return std::nullopt;
  const auto run = short_run_of(request, fabric, budget);
  if (!run || is_exact(request, *run->program, fabric)) return std::nullopt;
  if (run->longer == request.bytes) return fabric.idle_ps(run->program);
  if (only_whole) return std::nullopt;
  // What the simulation adds to the closed form, which sees how packets and pieces round.
  const auto beyond = [&](std::uint64_t bytes) {
    CollectiveRequest less = request;
    less.bytes = bytes;
    return static_cast<Int128>(fabric.idle_ps(plan_alone(less, fabric))) -
           static_cast<Int128>(closed_form_ps(less, fabric));
  };
  const Int128 at_longer = beyond(run->longer), growth = at_longer - beyond(run->shorter);
  const Int128 time = static_cast<Int128>(closed_form_ps(request, fabric)) + at_longer +
                      growth * static_cast<Int128>(request.bytes - run->longer) /
                          static_cast<Int128>(run->longer - run->shorter);
  // Below the bound: short runs are another course than long ones.
  if (time < static_cast<Int128>(bound_ps(request, fabric))) return std::nullopt;
  return static_cast<TimePs>(time);
}

}  // namespace

std::optional<TimePs> short_run_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  if (!fabric.idle_ps) return std::nullopt;
  return run_ps(request, fabric, kOfPredictions);
}

TimePs simulated_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto time = fabric.idle_ps && request.group.size() > 1 && request.bytes != 0
                        ? run_ps(request, fabric, kOfFinalists)
                        : std::nullopt;
  return time ? *time : predicted_ps(request, fabric);
}

bool is_too_long_to_predict(const CollectiveRequest& request, const FabricTraits& fabric) {
  return fabric.idle_ps && !schedule_holds(request, fabric) && !short_run_of(request, fabric, kOfPredictions);
}

}  // namespace wafertlm
