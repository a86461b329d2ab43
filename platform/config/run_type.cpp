// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "platform/config/descriptions.h"
#include "platform/config/platform_spec.h"
#include "platform/config/value_types.h"

namespace wafertlm::config {
namespace {

void check_fault(const FaultParams& fault, const Check& check) {
  if (fault.to == fault.from)
    check.fail({&fault.to}, "a packet does not go from an NPU to itself; expected another NPU");
}

std::shared_ptr<const Struct<FaultParams>> fault_type() {
  const auto npu = integer<NpuId>(0, 65'535);
  constexpr std::uint64_t kMaxNumber = std::numeric_limits<std::int64_t>::max();
  auto type = std::make_shared<Struct<FaultParams>>("fault");
  type->required("kind", &FaultParams::kind, one_of<FaultParams::Kind>({"flip_bit", "drop_packet"}),
                 "What happens to the packet where it leaves its NPU")
      .required("from", &FaultParams::from, npu, "NPU that sends the packet")
      .optional("to", &FaultParams::to, maybe(npu),
                "NPU that the packet goes to; left out: a packet that goes into an in-network flow")
      .optional("packet", &FaultParams::packet, integer<std::uint64_t>(1, kMaxNumber),
                "The so-many-th packet between the two, from 1")
      .required("bit", &FaultParams::bit, maybe(integer<std::uint64_t>(0, kMaxNumber)),
                "Which bit of the packet's payload")
      .when(&FaultParams::kind, FaultParams::Kind::flip_bit)
      .check(check_fault);
  return type;
}

void check_run(const RunSpec& run, const Check& check) {
  if (run.fault && run.fault->kind == FaultParams::Kind::flip_bit && !run.functional)
    check.fail({&run.fault->kind},
               "a packet has bits only in functional mode; set " + check.path(&run.functional) + " to true");
}

}  // namespace

std::shared_ptr<const Struct<SequencerParams>> sequencer_type() {
  auto type = std::make_shared<Struct<SequencerParams>>("sequencer");
  type->optional("policy", &SequencerParams::policy, one_of<IssuePolicy>({"fifo", "lifo", "priority"}),
                 "Which of the ready nodes a free resource takes; priority: the highest comm_priority")
      .optional("look_ahead", &SequencerParams::look_ahead, integer<std::uint32_t>(1, 100'000'000),
                "Nodes of a rank that are held at a time; the trace is read on as they get done");
  return type;
}

std::shared_ptr<const Struct<RunSpec>> run_type() {
  auto type = std::make_shared<Struct<RunSpec>>("run");
  type->optional("checkers", &RunSpec::checkers, boolean(), "Protocol checkers on every socket")
      .optional("functional", &RunSpec::functional, boolean(), "Real values in the packets")
      .optional("data_type", &RunSpec::data_type,
                choice<DataType>({{to_string(DataType::int32), DataType::int32},
                                  {to_string(DataType::bf16), DataType::bf16}}),
                "What the values of functional mode are")
      .when(&RunSpec::functional, true)
      .optional("fault", &RunSpec::fault, maybe<FaultParams>(fault_type()),
                "A fault put into one packet, to see that it is found")
      .optional("seed", &RunSpec::seed, integer<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()),
                "Start of every random sequence")
      .optional("watchdog", &RunSpec::watchdog_ps, whole_quantity(time_dimension(), "1 ps", "9000000 s"),
                "Simulated time after which a run is given up")
      .check(check_run);
  return type;
}

}  // namespace wafertlm::config
