// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/describe/value_types.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/fabric_kind.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/fabric_spec.h"
#include "tlm/packets/class_table.h"

namespace wafertlm::config {
namespace {

std::uint32_t first_vc(const TrafficClassSpec& row) { return static_cast<std::uint32_t>(row.vc); }
std::uint32_t end_vc(const TrafficClassSpec& row) { return first_vc(row) + row.vcs; }

void check_class_pair(const TrafficClassSpec& a, const TrafficClassSpec& b, const Check& check) {
  if (a.name == b.name)
    check.fail({&b.name, &a.name}, "there are two classes called '{}'; rename one", b.name);
  const bool share = first_vc(a) < end_vc(b) && first_vc(b) < end_vc(a);
  if (share && a.priority != b.priority)
    check.fail({&b.priority, &a.priority, &a.vc, &a.vcs, &b.vc, &b.vcs},
               "the class '{}' shares virtual channel {} with '{}' and must have its priority {}, not {}; or "
               "give it a channel of its own",
               b.name, std::max(first_vc(a), first_vc(b)), a.name, a.priority, b.priority);
}

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
      .optional("control_packet_bytes", &ReliabilitySpec::control_packet_bytes, any_size("1 B", "64 KiB"),
                "An ACK or NACK on the wire")
      .optional("channel", &ReliabilitySpec::channel, one_of<AnswerChannel>({"own", "class"}),
                "Of the class control: own: a virtual channel more, above all others; class: what the class "
                "table says");
  return type;
}

/// What Go-Back-N needs of a fabric.
void check_reliability(const FabricSpec& fabric, const Check& check) {
  const ReliabilitySpec& reliability = fabric.reliability;
  if (!fabric.is_reliable()) {
    using R = ReliabilitySpec;
    const std::string why =
        fmt::format("has no effect while {} is 0 and {} is not go_back_n; remove it",
                    check.path(&fabric.bit_error_rate), check.path(&reliability.protocol));
    return check.require_default(reliability, {&fabric.bit_error_rate, &reliability.protocol}, why,
                                 &R::ack_every, &R::window, &R::timeout_ps, &R::control_packet_bytes,
                                 &R::channel);
  }
  const void* const cause = fabric.bit_error_rate > 0 ? static_cast<const void*>(&fabric.bit_error_rate)
                                                      : static_cast<const void*>(&reliability.protocol);
  if (fabric.format.by_flit)
    check.fail({cause, &fabric.format.by_flit},
               "Go-Back-N repeats packets, which wormhole switching does not have in one piece");
  if (reliability.window < 2 * reliability.ack_every)
    check.fail({&reliability.window, &reliability.ack_every, cause},
               "a window of {} packets holds less than two groups of {} that are acknowledged together",
               reliability.window, reliability.ack_every);
  bool has_control = false;
  for (const TrafficClassSpec& row : fabric.classes) {
    has_control = has_control || row.name == kControlClass;
    if (row.vcs > 1)
      check.fail(
          {&row.vcs, cause},
          "Go-Back-N needs packets in order, and those of class '{}' may overtake each other on {} channels",
          row.name, row.vcs);
  }
  if (!has_control)
    check.fail({cause, &fabric.classes}, "acknowledgements need a class called '{}'", kControlClass);
  const std::uint32_t channels =
      fabric.virtual_channels + (reliability.channel == AnswerChannel::own ? 1 : 0);
  const std::uint32_t limit = fabric.kind->abilities(fabric).in_network ? kMaxVcs / 2 : kMaxVcs;
  if (channels > limit)
    check.fail({&fabric.virtual_channels, cause, &reliability.channel},
               "{} channels; with one for acknowledgements at most {}", fabric.virtual_channels, limit - 1);
}

std::shared_ptr<const Struct<RtlSpec>> rtl_type() {
  auto type = std::make_shared<Struct<RtlSpec>>("rtl");
  type->required("switch", &RtlSpec::switches, text(),
                 "A switch as results name it (l1_0_2, router5), or a pattern with *")
      .required("view", &RtlSpec::view, one_of<RtlViewMode>({"tlm", "rtl", "both"}),
                "tlm: the model alone, for a recording; rtl: the RTL in its place; both: the model answers, "
                "and the RTL gets the same packets beside it and is compared")
      .optional(
          "design", &RtlSpec::design, maybe<std::string>(text()),
          "RTL that wafertlm_add_rtl() has made part of the program; `wafertlm rtl designs` lists them. Or "
          "remote:SOCKET: what another simulator runs that comes to this Unix domain socket "
          "(models/rtl/remote/wafertlm_rtl.h) within 60 s and answers within 60 s; each switch gets one "
          "of its own")
      .optional("clock", &RtlSpec::clock_hz,
                auto_or(whole_quantity(frequency_dimension(), "1 MHz", "1000 GHz")),
                "auto: what makes a port carry as much as the switch's links, a flit in every cycle")
      .optional("tolerance", &RtlSpec::tolerance,
                maybe<std::optional<std::uint64_t>>(none_or(integer<std::uint64_t>(0, 1'000'000))),
                "With both: cycles by which the head or the tail of a packet may leave earlier or later than "
                "the model's, 1 if not given; none: times are reported and not judged")
      .optional("window", &RtlSpec::window_ps, any_time(),
                "With both: of the waveforms before and after the first divergence")
      .optional("record", &RtlSpec::record, maybe<std::string>(text()),
                "A file for what the switch sees, for `wafertlm rtl replay`; of several switches NAME is put "
                "before the file's ending")
      .optional("flit_bytes", &RtlSpec::flit_bytes, any_size("0 B", "64 KiB"),
                "Of a recording with view: tlm and no design");
  return type;
}

/// Rules between `rtl` and the rest of the fabric. Names of switches and designs are checked when the wafer
/// is made.
void check_rtl(const FabricSpec& fabric, const Check& check) {
  std::map<std::string, const RtlSpec*> recordings;
  for (const RtlSpec& each : fabric.rtl) {
    if (each.record) {
      const auto [other, is_new] = recordings.emplace(*each.record, &each);
      if (!is_new)
        check.fail({&each.record, &other->second->record},
                   "{} writes this file, too; give each a file of its own",
                   check.path(&other->second->record));
    }
    const auto fail = [&](const void* key, const std::string& why) {
      check.fail({key, &each, &fabric.rtl, &each.view, &each.design, &each.record, &each.tolerance}, why);
    };
    if (!fabric.kind->abilities(fabric).packets)
      fail(&each, "whole messages pass no switch: transport: packets, or leave rtl out");
    if (fabric.format.by_flit)
      check.fail({&each, &fabric.rtl, &fabric.format.by_flit},
                 "wormhole switches have no RTL view: switching: cut_through");
    if (fabric.is_reliable())
      check.fail({&each, &fabric.rtl, &fabric.bit_error_rate, &fabric.reliability.protocol},
                 "RTL switches know no Go-Back-N: leave bit_error_rate and reliability out");
    if (each.view != RtlViewMode::tlm && !each.design) fail(&each.view, "which RTL: give 'design'");
    if (each.view != RtlViewMode::both && each.tolerance)
      fail(&each.view, "a tolerance is of a comparison: view: both, or leave tolerance out");
    if (each.view == RtlViewMode::tlm && !each.record)
      fail(&each.view, "view: tlm is what a switch is without this entry, too: give 'record', or remove it");
    if (each.view == RtlViewMode::rtl && each.record)
      fail(&each.view, "the RTL in place has no model to be compared with: record with view: tlm or both");
    if (each.view == RtlViewMode::tlm && !each.design && each.flit_bytes == 0)
      fail(&each.view, "a recording counts flits: give 'design' or 'flit_bytes'");
    if (each.design && each.flit_bytes != 0)
      fail(&each.flit_bytes, "the design says it: remove 'flit_bytes'");
  }
}

void check_buffer(const FabricSpec& fabric, const Check& check) {
  if (fabric.buffer_bytes == 0) return;
  const auto size = [](std::uint64_t bytes) { return format_whole(size_dimension(), bytes); };
  if (fabric.format.by_flit) {
    if (fabric.buffer_bytes < fabric.format.flit_bytes)
      check.fail({&fabric.buffer_bytes, &fabric.format.flit_bytes}, "{} does not hold a flit of {}",
                 size(fabric.buffer_bytes), size(fabric.format.flit_bytes));
    return;
  }
  if (2 * fabric.wire_packet_bytes() <= fabric.buffer_bytes) return;
  const WireFormat& format = fabric.format;
  check.fail({&fabric.buffer_bytes, &format.packet_bytes, &format.header_bytes, &format.flit_bytes},
             "{} holds less than two packets of {} on the wire; expected at least {}, or 'auto'",
             size(fabric.buffer_bytes), size(fabric.wire_packet_bytes()),
             size(2 * fabric.wire_packet_bytes()));
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

std::shared_ptr<const Struct<TrafficClassSpec>> traffic_class_type() {
  auto type = std::make_shared<Struct<TrafficClassSpec>>("traffic_class");
  type->required("name", &TrafficClassSpec::name, word(), "Name of the traffic class")
      .required("vc", &TrafficClassSpec::vc, integer<VcId>(0, 15), "First virtual channel of the class")
      .required("priority", &TrafficClassSpec::priority, integer<std::uint32_t>(0, 255),
                "The larger goes first")
      .optional("vcs", &TrafficClassSpec::vcs, integer<std::uint32_t>(1, 16),
                "Number of consecutive virtual channels the class may use");
  return type;
}

void check_input_starts(const FabricSpec& fabric, const Check& check) {
  if (fabric.input_start_ps == 0) return;
  std::vector<const void*> culprits{&fabric.input_start_ps, &fabric.kind};
  if (fabric.format.by_flit) culprits.push_back(&fabric.format.by_flit);
  if (!fabric.kind->abilities(fabric).input_starts || fabric.format.by_flit)
    check.fail(culprits, "is of mesh and FRED fabrics that switch packets by cut_through; leave it out");
  if (fabric.input_queue == InputQueue::fifo)
    check.fail({&fabric.input_start_ps, &fabric.input_queue},
               "has no effect with {}: fifo, where an input has one packet to start; remove it",
               check.path(&fabric.input_queue));
}

/// The rules of the class table.
void check_classes(const FabricSpec& fabric, const Check& check) {
  for (const TrafficClassSpec& row : fabric.classes) {
    if (end_vc(row) > fabric.virtual_channels)
      check.fail({&row.vc, &row.vcs, &fabric.virtual_channels},
                 "the class '{}' uses virtual channel {}, but {} is {}, so the last one is {}", row.name,
                 end_vc(row) - 1, check.path(&fabric.virtual_channels), fabric.virtual_channels,
                 fabric.virtual_channels - 1);
    for (const TrafficClassSpec* before = fabric.classes.data(); before != &row; ++before)
      check_class_pair(*before, row, check);
  }
}

void add_common_keys(Struct<FabricSpec>& type) {
  const auto bytes = [](const char* least, const char* limit) {
    return held_as<std::uint32_t>(any_size(least, limit));
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
      .optional(
          "input_start_interval", &FabricSpec::input_start_ps, any_time(),
          "Between the starts of two packets of an input, whatever their outputs: a cycle of switches whose "
          "inputs start one at a time; 0 ps: any number")
      .optional("input_buffer", &FabricSpec::buffer_bytes, auto_or<std::uint64_t>(any_size("1 B", "1 TB"), 0),
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

std::vector<TrafficClassSpec> default_traffic_classes() {
  return {{"mp", VcId{0}, 3, 1},     {"ep", VcId{0}, 3, 1},     {"pp", VcId{1}, 2, 1},
          {"dp", VcId{2}, 1, 1},     {"input", VcId{3}, 0, 1},  {"weights", VcId{3}, 0, 1},
          {"memory", VcId{3}, 0, 1}, {"control", VcId{3}, 0, 1}};
}

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
      .check(check_input_starts)
      .check(check_reliability)
      .check(check_rtl)
      .check(check_buffer);
  return type;
}

}  // namespace wafertlm::config
