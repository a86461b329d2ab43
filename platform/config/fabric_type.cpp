// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "platform/config/descriptions.h"
#include "platform/config/fabric_spec.h"
#include "platform/config/value_types.h"
#include "platform/fabrics/registry.h"

namespace wafertlm::config {

namespace {

void check_buffer(const FabricSpec& fabric, const Check& check) {
  if (fabric.buffer_bytes == 0) return;
  const auto size = [](std::uint64_t bytes) { return format_whole(size_dimension(), bytes); };
  if (fabric.format.by_flit) {
    if (fabric.buffer_bytes < fabric.format.flit_bytes)
      check.fail({&fabric.buffer_bytes},
                 fmt::format("{} does not hold a flit of {}", size(fabric.buffer_bytes),
                             size(fabric.format.flit_bytes)));
    return;
  }
  if (2 * fabric.wire_packet_bytes() <= fabric.buffer_bytes) return;
  check.fail({&fabric.buffer_bytes},
             fmt::format("{} holds less than two packets of {} on the wire; expected at least {}, or 'auto'",
                         size(fabric.buffer_bytes), size(fabric.wire_packet_bytes()),
                         size(2 * fabric.wire_packet_bytes())));
}

TypePtr<const FabricKind*> kind_type() {
  std::vector<std::pair<std::string, const FabricKind*>> words;
  for (const auto& kind : fabric_kinds()) words.emplace_back(kind->name(), kind.get());
  return choice<const FabricKind*>(words);
}

std::string meanings() {
  std::string text;
  for (const auto& kind : fabric_kinds())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", kind->name(), kind->meaning());
  return text;
}

void add_common_keys(Struct<FabricSpec>& type) {
  const auto bytes = [](const char* least, const char* limit) {
    return held_as<std::uint32_t>(whole_quantity(size_dimension(), least, limit));
  };
  const auto format = [](auto member) { return at(&FabricSpec::format, member); };
  type.optional("link_latency", &FabricSpec::link_latency_ps, any_time(), "Time on the wire of one hop")
      .optional("credit_delay", &FabricSpec::credit_delay_ps, any_time(),
                "Until the sender knows that room in the buffer is free again")
      .optional("packet_bytes", format(&WireFormat::packet_bytes), bytes("1 B", "4 GB"),
                "Payload of a full packet")
      .optional("header_bytes", format(&WireFormat::header_bytes), bytes("0 B", "64 KiB"),
                "Added to every packet on the wire")
      .optional("flit_bytes", format(&WireFormat::flit_bytes), bytes("0 B", "64 KiB"),
                "Packets are rounded up to whole flits on the wire; 0 B: they are not")
      .optional("virtual_channels", &FabricSpec::virtual_channels, integer<std::uint32_t>(1, 16),
                "Virtual channels of every port")
      .optional("input_queue", &FabricSpec::input_queue, one_of<InputQueue>({"fifo", "per_output"}),
                "One queue per virtual channel, or one for each output so that packets do not wait for "
                "others' outputs")
      .optional("input_buffer", &FabricSpec::buffer_bytes,
                auto_or<std::uint64_t>(whole_quantity(size_dimension(), "1 B", "1 TB"), 0),
                "Room per virtual channel at every input; auto: the round trip and two packets")
      .optional("energy_per_bit", &FabricSpec::energy_per_bit_j,
                real_quantity(energy_per_bit_dimension(), "0 J/bit", "1 uJ/bit"),
                "For every link that a bit crosses")
      .optional("classes", &FabricSpec::classes, list_of<TrafficClassSpec>(traffic_class_type(), 1, 8),
                "Traffic classes; those that share a virtual channel have one priority")
      .optional("bit_error_rate", &FabricSpec::bit_error_rate, fraction(1e-5),
                "Probability that a bit is wrong after a link; wrong packets are repeated")
      .optional("reliability", &FabricSpec::reliability, reliability_type(), "How bit errors are repaired")
      .optional("rtl", &FabricSpec::rtl, list_of<RtlSpec>(rtl_type(), 0, 64),
                "Switches whose RTL runs beside them, or in their place; the first entry that names a switch "
                "holds");
}

}  // namespace

FabricSpec::FabricSpec() { choose(default_fabric_kind()); }

void FabricSpec::choose(const FabricKind& chosen) {
  kind = &chosen;
  params = chosen.default_params();
}

std::shared_ptr<const Struct<FabricSpec>> fabric_type() {
  auto type = std::make_shared<Struct<FabricSpec>>("fabric");
  type->optional("kind", &FabricSpec::kind, kind_type(), meanings());
  add_common_keys(*type);
  for (const auto& each : fabric_kinds()) {
    const FabricKind* const kind = each.get();
    type->alternative(
        "kind", kind->name(), [kind](const FabricSpec& spec) { return spec.kind == kind; },
        [kind](FabricSpec& spec) { spec.choose(*kind); });
    kind->add_keys(*type);
  }
  type->check([](const FabricSpec& fabric, const Check& check) { fabric.kind->check(fabric, check); })
      .check(check_classes)
      .check(check_reliability)
      .check(check_rtl)
      .check(check_buffer);
  return type;
}

}  // namespace wafertlm::config
