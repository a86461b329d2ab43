// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/rtl/stimulus_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "models/rtl/packet_values.h"
#include "models/rtl/stream.h"
#include "platform/host/output_folder.h"
#include "platform/machine/rtl/packet_names.h"
#include "platform/machine/rtl/rtl_waves.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::uint64_t kNoCycle = (std::uint64_t{1} << 48) - 1;  // not recorded
constexpr const char* kReadMe = "stimulus.txt";

struct Packet {
  RtlEvent event;
  std::uint64_t cycle = 0, span = 0;
  std::uint32_t words = 0;  // of the configuration, before it
  std::uint32_t next = kNone;
  /// Packets of a channel go in by this: messages when they came; those of a flow, at all of its inputs, when
  /// the first of a number came.
  std::tuple<TimePs, std::uint32_t, std::uint64_t> order;
};
struct Word {
  std::uint64_t cycle;
  std::uint32_t entry, word, value, gone;
};
struct Room {
  std::uint64_t cycle;
  std::uint32_t port, channel, flits;
};
struct Expected {
  std::uint64_t cycle;
  std::uint32_t port;
  RtlHeader header;
  std::uint64_t sequence;
  std::uint32_t flits;
  std::vector<std::byte> data;
};

/// What the files hold, in cycles.
class Stimulus {
 public:
  Stimulus(const RtlExport& request, const RtlRecordingHead& head)
      : design_(*request.design), configuration_(request.configuration), clock_{head.clock_hz} {}

  void see(const RtlEvent& event) {
    names.see(event);
    if (event.kind == RtlEvent::Kind::open) open(event);
    if (event.kind == RtlEvent::Kind::arrive) arrive(event);
    if (event.kind == RtlEvent::Kind::credit) credit(event);
    if (event.kind == RtlEvent::Kind::leave) leave(event);
  }
  /// Cycles count from the first; the packets of each input and channel follow each other.
  void finish() {
    for (const auto& [key, outputs] : due_)
      for (const std::uint32_t output : outputs) expect(key, output, kNoCycle);
    std::stable_sort(packets.begin(), packets.end(), [](const Packet& a, const Packet& b) {
      return std::tie(a.event.port, a.event.channel, a.order) <
             std::tie(b.event.port, b.event.channel, b.order);
    });
    queues.assign(std::size_t{design_.ports} * design_.channels, kNone);
    for (std::size_t i = packets.size(); i-- > 0;) {
      std::uint32_t& first = queues[packets[i].event.port * design_.channels + packets[i].event.channel];
      packets[i].next = first;
      first = static_cast<std::uint32_t>(i);
    }
    std::stable_sort(rooms.begin(), rooms.end(),
                     [](const Room& a, const Room& b) { return a.cycle < b.cycle; });
    std::uint64_t first = kNone;
    for (const Packet& each : packets) first = std::min(first, each.cycle);
    for (const Word& each : words) first = std::min(first, each.cycle);
    start = packets.empty() ? 0 : first;
    for (Packet& each : packets) each.cycle -= start;
    for (Word& each : words) each.cycle -= start;
    for (Room& each : rooms) each.cycle -= std::min(each.cycle, start);
    for (Expected& each : expected)
      if (each.cycle != kNoCycle) each.cycle -= std::min(each.cycle, start);
  }

  std::vector<Packet> packets;
  std::vector<Word> words;
  std::vector<Room> rooms;
  std::vector<Expected> expected;
  std::vector<std::uint32_t> queues;
  std::uint64_t start = 0;  // cycle 0, of the recording
  RtlPacketNames names;

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;
  /// What is due of the flow that had the entry leaves as that one says.
  void end_flow(std::uint32_t entry) {
    for (auto due = due_.lower_bound({entry, 0}); due != due_.end() && due->first.first == entry; ++due)
      for (const std::uint32_t output : std::exchange(due->second, {})) expect(due->first, output, kNoCycle);
  }
  void open(const RtlEvent& event) {
    end_flow(event.entry.number);
    entries_[event.entry.number] = event.entry;
    values_.open(event.entry);
    if (!configuration_) return;
    // The flow that had the entry before must be gone.
    for (const auto& [word, value] : configuration_(event.entry))
      words.push_back(
          {clock_.edge_from(event.now_ps), event.entry.number, word, value, copies_[event.entry.number]});
    words_of_[event.entry.number] = static_cast<std::uint32_t>(words.size());
  }
  void arrive(const RtlEvent& event) {
    values_.arrive(event);
    const Key key{event.flow, event.sequence};
    const bool is_message = RtlEntry::is_message(event.flow);
    if (came_.count(key) == 0) {
      came_[key] = event.now_ps;
      due_[key] = is_message ? std::vector<std::uint32_t>{RtlEntry::output_of(event.flow)}
                             : entries_.at(event.flow).outputs;
      copies_[event.flow] += static_cast<std::uint32_t>(due_[key].size());
      bytes_[key] = {event.bytes, event.flits};
    }
    Packet packet;
    packet.event = event;
    if (packet.event.data.empty())
      packet.event.data = made_up_data(is_message ? DataType::int32 : entries_.at(event.flow).data_type,
                                       event.flow, event.sequence, event.port, event.bytes);
    if (design_.protocol == RtlProtocol::axi4_stream) packet.event.channel = 0;
    packet.cycle = clock_.edge_from(event.head_ps);
    packet.span =
        static_cast<std::uint64_t>(Uint128{event.tail_ps - event.head_ps} * clock_.hz / kPsPerSecond);
    packet.words = is_message ? 0 : words_of_[event.flow];
    packet.order = is_message ? std::make_tuple(event.now_ps, std::uint32_t{0}, std::uint64_t{0})
                              : std::make_tuple(came_[key], event.flow, event.sequence);
    packets.push_back(std::move(packet));
  }
  void credit(const RtlEvent& event) {
    const bool is_stream = design_.protocol == RtlProtocol::axi4_stream;
    // As RtlBench::credit().
    const TimePs ahead_ps = is_stream ? 0 : clock_.edge_ps(design_.latency);
    rooms.push_back({clock_.edge_from(event.head_ps > ahead_ps ? event.head_ps - ahead_ps : 0), event.port,
                     is_stream ? 0 : event.channel, event.flits});
  }
  void leave(const RtlEvent& event) {
    const Key key{event.flow, event.sequence};
    std::vector<std::uint32_t>& due = due_[key];
    due.erase(std::remove(due.begin(), due.end(), event.port), due.end());
    expect(key, event.port, clock_.edge_from(event.head_ps));
    if (!event.data.empty()) expected.back().data = event.data;
  }
  void expect(const Key& key, std::uint32_t output, std::uint64_t cycle) {
    auto result = values_.leave(key.first, key.second);
    if (!result) return;  // it did not come to all inputs
    const auto [bytes, flits] = bytes_.at(key);
    expected.push_back(
        {cycle, output,
         RtlHeader{key.first, static_cast<std::uint32_t>(key.second & RtlHeader::kSequenceMask), bytes},
         key.second, flits, std::move(result->data)});
  }

  const RtlDesign& design_;
  RtlConfiguration configuration_;
  RtlClock clock_;
  RtlPacketValues values_;
  std::map<std::uint32_t, RtlEntry> entries_;
  std::map<std::uint32_t, std::uint32_t> words_of_;  // by entry: words up to its last
  std::map<std::uint32_t, std::uint32_t> copies_;    // by entry: that leave, of all packets so far
  std::map<Key, TimePs> came_;
  std::map<Key, std::vector<std::uint32_t>> due_;  // outputs
  std::map<Key, std::pair<std::uint32_t, std::uint32_t>> bytes_;
};

/// A folder that gets files one after the other.
class Folder {
 public:
  explicit Folder(const std::string& path) : folder_(path, "wafertlm rtl export", "stimulus") {}
  std::ofstream open(const std::string& name) {
    files.push_back((folder_.path() / name).string());
    return std::ofstream(folder_.working() / name);
  }
  static void close(std::ofstream& file, const std::string& name) {
    file.close();
    if (!file) throw std::runtime_error("cannot write " + name + "; is the disk full?");
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream file = open(name);
    file << text;
    close(file, files.back());
  }
  void commit() { folder_.commit(); }
  std::vector<std::string> files;

 private:
  OutputFolder folder_;
};

/// A flit as one number; the last one of a packet is filled with zeros.
std::string flit_text(const std::vector<std::byte>& data, std::size_t flit, std::size_t flit_bytes) {
  std::string text;
  for (std::size_t i = flit_bytes; i-- > 0;) {
    const std::size_t at = flit * flit_bytes + i;
    text += fmt::format("{:02x}", at < data.size() ? std::to_integer<unsigned>(data[at]) : 0U);
  }
  return text;
}

/// The lines of a $readmemh file, and one that nobody reads, for simulators take no empty memories.
class HexFile {
 public:
  HexFile(Folder& folder, const std::string& name) : file_(folder.open(name)), name_(folder.files.back()) {}
  void line(const std::string& text) {
    file_ << text << '\n';
    ++lines_;
  }
  std::size_t lines() const { return lines_; }
  void end() {
    file_ << "0\n";
    Folder::close(file_, name_);
  }

 private:
  std::ofstream file_;
  std::string name_;
  std::size_t lines_ = 0;
};

void write_lists(Folder& folder, const Stimulus& stimulus, const std::vector<std::uint32_t>& rooms) {
  std::string text;
  for (const std::uint32_t each : stimulus.queues) text += fmt::format("{:08x}\n", each);
  folder.write("queues.hex", text);
  text.clear();
  for (const std::uint32_t each : rooms) text += fmt::format("{:08x}\n", each);
  folder.write("rooms.hex", text);
}

/// All but stimulus.txt; returns the parts of stimulus.svh that count lines.
std::string write_memories(Folder& folder, const Stimulus& stimulus, std::size_t flit_bytes) {
  HexFile packets(folder, "packets.hex"), flits(folder, "flits.hex"), words(folder, "config.hex"),
      credits(folder, "credits.hex"), expected(folder, "expected.hex"), values(folder, "expected_flits.hex");
  using Key = std::pair<std::uint32_t, std::uint64_t>;
  std::map<Key, std::pair<const RtlEvent*, std::size_t>> entered;  // at the first of their inputs, and where
  for (const Packet& each : stimulus.packets) {
    const RtlEvent& of = each.event;
    entered.try_emplace({of.flow, of.sequence}, &of, packets.lines());
    const RtlHeader header{of.flow, static_cast<std::uint32_t>(of.sequence & RtlHeader::kSequenceMask),
                           of.bytes};
    packets.line(fmt::format("{:012x}_{:08x}_{:02x}_{:02x}_{:016x}_{:08x}_{:08x}_{:08x}_{:08x}", each.cycle,
                             each.span, of.channel,
                             RtlEntry::is_message(of.flow) ? RtlEntry::output_of(of.flow) : 0, header.bits(),
                             of.flits, each.words, flits.lines(), each.next));
    for (std::uint32_t i = 0; i < of.flits; ++i) flits.line(flit_text(of.data, i, flit_bytes));
  }
  for (const Word& each : stimulus.words)
    words.line(fmt::format("{:012x}_{:04x}_{:02x}_{:08x}_{:08x}", each.cycle, each.entry, each.word,
                           each.value, each.gone));
  for (const Room& each : stimulus.rooms)
    credits.line(
        fmt::format("{:012x}_{:02x}_{:02x}_{:08x}", each.cycle, each.port, each.channel, each.flits));
  for (const Expected& each : stimulus.expected) {
    const auto& [of, place] = entered.at({each.header.flow, each.sequence});
    // As RtlBench::check_order().
    const std::uint32_t stream =
        RtlEntry::is_message(of->flow) ? RtlEntry::kMessage << 8 | of->port << 8 | of->channel : of->flow;
    expected.line(fmt::format("{:012x}_{:02x}_{:016x}_{:08x}_{:08x}_{:02x}_{:08x}_{:08x}", each.cycle,
                              each.port, each.header.bits(), each.flits, values.lines(), of->channel, stream,
                              place));
    for (std::uint32_t i = 0; i < each.flits; ++i) values.line(flit_text(each.data, i, flit_bytes));
  }
  std::string counts;
  for (auto& [name, file] : std::vector<std::pair<const char*, HexFile*>>{{"PACKETS", &packets},
                                                                          {"FLITS", &flits},
                                                                          {"WORDS", &words},
                                                                          {"CREDITS", &credits},
                                                                          {"EXPECTED", &expected},
                                                                          {"EXPECTED_FLITS", &values}}) {
    counts += fmt::format("`define REPLAY_{} {}\n", name, file->lines());
    file->end();
  }
  return counts;
}

std::string parameters_text(const RtlDesign& design, TimePs period_ps) {
  std::string parameters;
  for (const std::string& each : design.parameters) {
    const std::size_t equals = each.find('=');
    parameters += fmt::format("{}.{}({})", parameters.empty() ? "" : ", ", each.substr(0, equals),
                              each.substr(equals + 1));
  }
  return fmt::format(
      "// The switch. Another one with the same pins goes here as well.\n`define REPLAY_TOP {}\n`define "
      "REPLAY_PARAMETERS {}\n`define REPLAY_P {}\n`define REPLAY_W {}\n`define REPLAY_VC {}\n`define "
      "REPLAY_DEPTH "
      "{}\n`define REPLAY_OUT_DEPTH {}\n`define REPLAY_CLASS_VC {}\n`define REPLAY_HALF_PERIOD {}  // ps\n// "
      "Lines of the files.\n",
      design.top, parameters, design.ports, design.flit_bits, design.channels, design.depth, design.out_depth,
      design.parameter("CLASS_VC", 1), std::max<TimePs>(period_ps / 2, 2));
}

/// What the memories hold, for people.
std::string readable(const RtlExport& request, const RtlRecordingHead& head, const Stimulus& stimulus) {
  const RtlDesign& design = *request.design;
  const std::string protocol = to_string(design.protocol);
  std::string text = fmt::format(
      "What switch {0} got in {1}, for {2} with the pins {3}. Cycle 0 is cycle {4} of the run, of {5} Hz.\n"
      "In a simulator of your own, with the sources of the switch:\n\n"
      "  verilator --binary --assert -Wno-lint --top-module bench +define+{6}_TOP={2} {3}_bench.sv "
      "{3}_checker.sv "
      "{3}_bind.sv SOURCES\n"
      "  obj_dir/Vbench                    (in this folder; the last line is PASSED …, or FAILED … and "
      "what)\n\n",
      head.switch_name, request.recording, design.top, protocol, stimulus.start, head.clock_hz,
      design.protocol == RtlProtocol::credit_stream ? "CREDIT_STREAM" : "AXI4_STREAM");
  for (std::size_t i = 0; i < stimulus.words.size(); ++i) {
    const Word& each = stimulus.words[i];
    text += fmt::format(
        "cycle {}: configuration of entry {}, word {} = {:08x}{}   (config.hex line {})\n", each.cycle,
        each.entry, each.word, each.value,
        each.gone == 0 ? "" : fmt::format(", when {} copies of its packets have left", each.gone), i + 1);
  }
  for (std::size_t i = 0; i < stimulus.packets.size(); ++i) {
    const Packet& each = stimulus.packets[i];
    text += fmt::format(
        "cycle {}: input {}, channel {}: {}; flow {}, number {}, {} B in {} flits   (packets.hex line {})\n",
        each.cycle, each.event.port, each.event.channel,
        stimulus.names.name(each.event.flow, each.event.sequence), each.event.flow,
        each.event.sequence & RtlHeader::kSequenceMask, each.event.bytes, each.event.flits, i + 1);
  }
  for (const Room& each : stimulus.rooms)
    text += fmt::format("cycle {}: output {}, channel {}: room for {} flits\n", each.cycle, each.port,
                        each.channel, each.flits);
  for (std::size_t i = 0; i < stimulus.expected.size(); ++i) {
    const Expected& each = stimulus.expected[i];
    text += fmt::format(
        "expected: output {}: {}; flow {}, number {}{}   (expected.hex line {})\n", each.port,
        stimulus.names.name(each.header.flow, each.header.sequence), each.header.flow, each.header.sequence,
        each.cycle == kNoCycle ? "" : fmt::format(", its head in cycle {} of the model", each.cycle), i + 1);
  }
  return text;
}

}  // namespace

RtlExported export_rtl_stimulus(const RtlExport& request) {
  const RtlDesign& design = *request.design;
  RtlRecordingReader recording(request.recording);
  // The rooms behind the outputs less what the module itself knows to be free.
  std::vector<std::uint32_t> rooms = bench_params(recording, design, {}).rooms;
  for (std::uint32_t& room : rooms) {
    if (room != 0 && room < design.out_depth)
      throw std::invalid_argument(
          fmt::format("behind an output of {} is room for {} flits, and the design '{}' has "
                      "OUT_DEPTH={}",
                      recording.head().switch_name, room, design.name, design.out_depth));
    room = room == 0 ? kNone : room - design.out_depth;
  }
  Stimulus stimulus(request, recording.head());
  for (RtlEvent event; recording.next(event);) stimulus.see(event);
  stimulus.finish();
  Folder folder(request.folder);
  folder.write(kReadMe, readable(request, recording.head(), stimulus));
  const std::string counts = write_memories(folder, stimulus, design.flit_bytes());
  write_lists(folder, stimulus, rooms);
  folder.write("stimulus.svh",
               parameters_text(design, RtlClock{recording.head().clock_hz}.period_ps()) + counts);
  const std::string protocol = to_string(design.protocol);
  for (const RtlSvFile& file : rtl_sv_files())
    if (std::strncmp(file.name, protocol.c_str(), protocol.size()) == 0 ||
        file.name == std::string("replay.svh"))
      folder.write(file.name, file.text);
  folder.commit();
  return {stimulus.packets.size(), stimulus.expected.size(), folder.files};
}

}  // namespace wafertlm
