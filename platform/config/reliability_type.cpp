// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "platform/config/descriptions.h"
#include "platform/config/fabric_spec.h"
#include "platform/config/value_types.h"
#include "platform/fabrics/fabric_kind.h"
#include "tlm/link/class_table.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<ReliabilitySpec>> reliability_type() {
  auto type = std::make_shared<Struct<ReliabilitySpec>>("reliability");
  const auto count = integer<std::uint32_t>(1, 1'000'000);
  type->optional("protocol", &ReliabilitySpec::protocol, one_of<ReliabilityProtocol>({"auto", "go_back_n"}),
                 "auto: Go-Back-N if there are bit errors, else nothing is acknowledged")
      .optional("ack_every", &ReliabilitySpec::ack_every, count,
                "Data packets of a message that one acknowledgement covers; its last packet has one, too")
      .optional("window", &ReliabilitySpec::window, count,
                "Packets of a message that may be on their way without an acknowledgement")
      .optional("timeout", &ReliabilitySpec::timeout_ps, any_time("1 ns"),
                "A sender that hears nothing for so long goes back; doubled each time in a row")
      .optional("control_packet_bytes", &ReliabilitySpec::control_packet_bytes,
                whole_quantity(size_dimension(), "1 B", "64 KiB"), "An ACK or NACK on the wire")
      .optional("channel", &ReliabilitySpec::channel, one_of<AnswerChannel>({"own", "class"}),
                "Of the class control: own: a virtual channel more, above all others; class: what the class "
                "table says");
  return type;
}

void check_reliability(const FabricSpec& fabric, const Check& check) {
  const ReliabilitySpec& reliability = fabric.reliability;
  if (!fabric.is_reliable()) {
    const ReliabilitySpec usual;
    const auto unused = [&](auto member) {
      if (reliability.*member != usual.*member)
        check.fail({&(reliability.*member)},
                   fmt::format("has no effect while {} is 0 and {} is not go_back_n; remove it",
                               check.path(&fabric.bit_error_rate), check.path(&reliability.protocol)));
    };
    unused(&ReliabilitySpec::ack_every);
    unused(&ReliabilitySpec::window);
    unused(&ReliabilitySpec::timeout_ps);
    unused(&ReliabilitySpec::control_packet_bytes);
    unused(&ReliabilitySpec::channel);
    return;
  }
  const void* const cause = fabric.bit_error_rate > 0 ? static_cast<const void*>(&fabric.bit_error_rate)
                                                      : static_cast<const void*>(&reliability.protocol);
  if (fabric.format.by_flit)
    check.fail({cause}, "Go-Back-N repeats packets, which wormhole switching does not have in one piece");
  if (reliability.window < 2 * reliability.ack_every)
    check.fail(
        {&reliability.window, &reliability.ack_every, cause},
        fmt::format("a window of {} packets holds less than two groups of {} that are acknowledged together",
                    reliability.window, reliability.ack_every));
  bool has_control = false;
  for (const TrafficClassSpec& row : fabric.classes) {
    has_control = has_control || row.name == kControlClass;
    if (row.vcs > 1)
      check.fail(
          {&row.vcs, cause},
          fmt::format("Go-Back-N needs packets in order, and those of class '{}' may overtake each other "
                      "on {} channels",
                      row.name, row.vcs));
  }
  if (!has_control)
    check.fail({cause}, fmt::format("acknowledgements need a class called '{}'", kControlClass));
  const std::uint32_t channels =
      fabric.virtual_channels + (reliability.channel == AnswerChannel::own ? 1 : 0);
  const std::uint32_t limit = fabric.kind->abilities(fabric).in_network ? kMaxVcs / 2 : kMaxVcs;
  if (channels > limit)
    check.fail({&fabric.virtual_channels, cause},
               fmt::format("{} channels; with one for acknowledgements at most {}", fabric.virtual_channels,
                           limit - 1));
}

}  // namespace wafertlm::config
