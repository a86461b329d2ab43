// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/measurements.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "models/hbm/hbm.h"
#include "models/npu/npu.h"
#include "platform/machine/machine.h"
#include "platform/machine/machine_links.h"
#include "platform/machine/wafer.h"
#include "tlm/remote/crossing.h"

namespace wafertlm {
namespace {

enum class Adds { sum, most };

/// A row of the tables below. What is no number (`sum`) has a table of its own.
template <typename Struct, typename Member>
struct MemberRow {
  Member Struct::*member;
  Adds adds;
};
template <typename Struct, typename Member>
constexpr MemberRow<Struct, Member> sum(Member Struct::*member) {
  return {member, Adds::sum};
}
template <typename Struct, typename Member>
constexpr MemberRow<Struct, Member> most(Member Struct::*member) {
  return {member, Adds::most};
}

template <typename Struct>
struct Members;  // rows: every member of the struct

template <>
struct Members<OutputCounters> {
  using C = OutputCounters;
  static constexpr auto rows =
      std::make_tuple(sum(&C::packets), sum(&C::payload_bytes), sum(&C::wire_bytes),
                      sum(&C::credit_blocked_ps), sum(&C::queue_wait_ps), sum(&C::credit_wait_ps),
                      sum(&C::down_wait_ps), sum(&C::contention_wait_ps), most(&C::longest_wait_ps));
};
template <>
struct Members<ComputeUse> {
  static constexpr auto rows = std::make_tuple(sum(&ComputeUse::computations), sum(&ComputeUse::time_ps));
};
template <>
struct Members<NpuMeasurements> {
  static constexpr auto rows =
      std::make_tuple(sum(&NpuMeasurements::uses), sum(&NpuMeasurements::operand_bytes));
};
template <>
struct Members<MemoryUse> {
  static constexpr auto rows =
      std::make_tuple(sum(&MemoryUse::bytes), sum(&MemoryUse::busy_ps), sum(&MemoryUse::idle_ps));
};
template <>
struct Members<DramTime> {
  using T = DramTime;
  static constexpr auto rows = std::make_tuple(
      sum(&T::busy_fs), sum(&T::lost_fs), sum(&T::row_visits), sum(&T::row_hits), sum(&T::activates),
      sum(&T::refreshes), sum(&T::turns), sum(&T::accesses_read), sum(&T::accesses_written));
};
template <>
struct Members<MemoryLosses> {
  using L = MemoryLosses;
  static constexpr auto rows =
      std::make_tuple(most(&L::channels), most(&L::total_fs), sum(&L::sum), sum(&L::too_few_outstanding_fs),
                      sum(&L::channel_imbalance_fs));
};
template <>
struct Members<MemoryMeasurements> {
  using M = MemoryMeasurements;
  static constexpr auto rows =
      std::make_tuple(sum(&M::uses), most(&M::pins_bytes_per_s), most(&M::is_replaced), sum(&M::flow_idle_ps),
                      most(&M::flow_end_ps), sum(&M::losses));
};
template <>
struct Members<ReliabilityCounters> {
  using C = ReliabilityCounters;
  static constexpr auto rows = std::make_tuple(
      sum(&C::sent_bytes), sum(&C::repeated_packets), sum(&C::repeated_bytes), sum(&C::discarded_packets),
      sum(&C::discarded_bytes), sum(&C::taken_bytes), sum(&C::acks), sum(&C::nacks), sum(&C::repeats),
      sum(&C::timeouts), sum(&C::spoiled_packets));
};
template <>
struct Members<FlowRepairCounters> {
  using C = FlowRepairCounters;
  static constexpr auto rows =
      std::make_tuple(sum(&C::discarded_packets), sum(&C::discarded_bytes), sum(&C::answers));
};
template <>
struct Members<ReliabilityTotals> {
  using T = ReliabilityTotals;
  static constexpr auto rows =
      std::make_tuple(sum(&T::endpoints), sum(&T::switches), sum(&T::spoiled_packets));
};
template <>
struct Members<Measurements> {
  using M = Measurements;
  static constexpr auto rows = std::make_tuple(
      sum(&M::links), sum(&M::npus), sum(&M::memories), sum(&M::reliability), sum(&M::packet_hops),
      most(&M::early_bytes_most), sum(&M::scheduler_events), sum(&M::packets_held_most));
};

/// Calls `visit(row)` for every row of a struct.
template <typename Struct, typename Visit>
void for_each_member(const Visit& visit) {
  std::apply(
      [&](const auto&... row) {
        static_assert(sizeof(Struct) == (sizeof(std::declval<Struct>().*row.member) + ...),
                      "each member has a row, and all are as wide as a number");
        (visit(row), ...);
      },
      Members<Struct>::rows);
}

/// Of a part to a sum.
struct Adding {
  template <typename Value>
  static void add(Value& into, const Value& part, Adds adds) {
    if constexpr (std::is_integral_v<Value>)
      into = adds == Adds::sum ? static_cast<Value>(into + part) : std::max(into, part);
    else
      for_each_member<Value>([&](const auto& row) { add(into.*row.member, part.*row.member, row.adds); });
  }
  template <typename Value, std::size_t kCount>
  static void add(std::array<Value, kCount>& into, const std::array<Value, kCount>& part, Adds adds) {
    for (std::size_t i = 0; i < kCount; ++i) add(into[i], part[i], adds);
  }
  template <typename Value>
  static void add(std::vector<Value>& into, const std::vector<Value>& part, Adds adds) {
    if (part.empty()) return;
    if (into.empty()) into.resize(part.size());
    if (into.size() != part.size())
      throw std::invalid_argument(
          fmt::format("measurements of different machines: {} and {} entries", into.size(), part.size()));
    for (std::size_t i = 0; i < part.size(); ++i) add(into[i], part[i], adds);
  }
};

/// Of the layout: another one with other members.
constexpr std::uint64_t version_of_layout() {
  std::uint64_t version = 0x574D;
  for (const std::size_t size :
       {sizeof(OutputCounters), sizeof(NpuMeasurements), sizeof(MemoryMeasurements), sizeof(Measurements)})
    version = version * 1000 + size;
  return version;
}

class Packer {
 public:
  template <typename Value>
  void put(const Value& value) {
    if constexpr (std::is_integral_v<Value>)
      to_.put(value);
    else
      for_each_member<Value>([&](const auto& row) { put(value.*row.member); });
  }
  template <typename Value, std::size_t kCount>
  void put(const std::array<Value, kCount>& values) {
    for (const Value& each : values) put(each);
  }
  template <typename Value>
  void put(const std::vector<Value>& values) {
    put(std::uint64_t{values.size()});
    for (const Value& each : values) put(each);
  }
  std::vector<std::byte> take() { return to_.take(); }

 private:
  ByteWriter to_;
};

class Unpacker {
 public:
  explicit Unpacker(const std::vector<std::byte>& bytes) : from_(bytes) {}

  template <typename Value>
  void get(Value& value) {
    if constexpr (std::is_integral_v<Value>)
      value = from_.get<Value>();
    else
      for_each_member<Value>([&](const auto& row) { get(value.*row.member); });
  }
  template <typename Value, std::size_t kCount>
  void get(std::array<Value, kCount>& values) {
    for (Value& each : values) get(each);
  }
  template <typename Value>
  void get(std::vector<Value>& values) {
    const auto size = from_.get<std::uint64_t>();
    if (size > from_.left() / sizeof size)  // each is a number at least
      throw std::logic_error("measurements of another process: a list is longer than all of them");
    values.resize(size);
    for (Value& each : values) get(each);
  }
  bool at_end() const { return from_.at_end(); }

 private:
  ByteReader from_;
};

NpuMeasurements of_npu(const Npu& npu) {
  NpuMeasurements measured;
  for (const ComputeEngine::Use& use : npu.compute().uses())
    measured.uses.push_back({use.operations, use.time_ps});
  if (npu.operands()) measured.operand_bytes = npu.operands()->bytes_loaded();
  return measured;
}

MemoryMeasurements of_memory(const Hbm& memory) {
  MemoryMeasurements measured;
  for (const HbmCommand command : {HbmCommand::read, HbmCommand::write}) {
    const HbmCounters& counters = memory.counters(command);
    measured.uses[static_cast<std::size_t>(command)] = {counters.bytes, counters.busy_ps, counters.idle_ps};
  }
  measured.is_replaced = memory.is_replaced() ? 1 : 0;
  if (DramMemory* const dram = memory.dram()) {
    measured.pins_bytes_per_s = dram->bytes_per_s();
    measured.losses = attribute_losses(*dram, 0);
  } else if (const FlowMemory* const flow = memory.flow()) {
    measured.pins_bytes_per_s = flow->bytes_per_s();
    measured.flow_idle_ps = flow->idle_ps();
    measured.flow_end_ps = flow->last_end_ps();
  }
  return measured;
}

}  // namespace

Measurements measure(const Machine& machine) {
  const Wafer& wafer = machine.wafer();
  Measurements measured;
  measured.links = link_counters(machine);
  measured.npus.resize(wafer.npus());
  measured.memories.resize(wafer.npus());
  for (std::uint32_t n = 0; n < wafer.npus(); ++n) {
    const auto npu = static_cast<NpuId>(n);
    if (!machine.has(npu)) continue;
    measured.npus[n] = of_npu(machine.npu(npu));
    measured.memories[n] = of_memory(machine.memory(npu));
  }
  measured.reliability = machine.reliability().value_or(ReliabilityTotals{});
  measured.packet_hops = wafer.fabric().packet_hops();
  measured.early_bytes_most = machine.early_bytes_high_water();
  measured.scheduler_events = wafer.scheduler.events();
  measured.packets_held_most = wafer.packets.high_water();
  return measured;
}

void add(Measurements& sum, const Measurements& part) { Adding::add(sum, part, Adds::sum); }

std::vector<std::byte> pack(const Measurements& measured) {
  Packer to;
  to.put(version_of_layout());
  to.put(measured);
  return to.take();
}

Measurements unpack(const std::vector<std::byte>& packed) {
  Unpacker from(packed);
  std::uint64_t version = 0;
  from.get(version);
  if (version != version_of_layout())
    throw std::logic_error("measurements of another process: it is another version of this program");
  Measurements measured;
  from.get(measured);
  if (!from.at_end()) throw std::logic_error("measurements of another process: something follows");
  return measured;
}

}  // namespace wafertlm
