// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stress/player.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "models/rtl/packet_values.h"
#include "models/rtl/stress/service.h"
#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

/// The stalls of a round, asked for at edges that never go back.
class RoundStalls final : public RtlStalls {
 public:
  explicit RoundStalls(std::uint32_t ports) : inputs_(ports), outputs_(ports) {}

  void set(const RtlStimulus& stimulus, std::uint32_t round, std::uint64_t base) {
    for (auto* side : {&inputs_, &outputs_})
      for (Port& port : *side) port = {};
    end_ = base;
    for (const RtlStimulus::Stall& each : stimulus.stalls) {
      if (each.round != round) continue;
      auto& side = each.is_output ? outputs_ : inputs_;
      side[each.port].pauses.push_back({base + each.first, base + each.first + each.cycles});
      end_ = std::max(end_, base + each.first + each.cycles);
    }
    for (auto* side : {&inputs_, &outputs_})
      for (Port& port : *side) merge(port.pauses);
  }
  bool input(std::uint32_t port, std::uint64_t edge) const override { return inputs_[port].stands(edge); }
  bool output(std::uint32_t port, std::uint64_t edge) const override {
    return edge >= held_from_ || outputs_[port].stands(edge);
  }
  /// All of them from this edge on, whatever the stimulus says.
  void hold_outputs(std::uint64_t from) { held_from_ = from; }
  std::uint64_t end() const override { return end_; }
  /// Whether the output stood still at any of these edges.
  bool any(std::uint32_t output, std::uint64_t from, std::uint64_t to) const {
    for (const Pause& each : outputs_[output].pauses)
      if (each.first < to && from < each.end) return true;
    return false;
  }

 private:
  struct Pause {
    std::uint64_t first, end;
  };
  struct Port {
    bool stands(std::uint64_t edge) const {
      while (next < pauses.size() && pauses[next].end <= edge) ++next;
      return next < pauses.size() && pauses[next].first <= edge;
    }
    std::vector<Pause> pauses;  // apart from each other, in order
    mutable std::size_t next = 0;
  };
  static void merge(std::vector<Pause>& pauses) {
    std::sort(pauses.begin(), pauses.end(), [](const Pause& a, const Pause& b) { return a.first < b.first; });
    std::size_t kept = 0;
    for (const Pause& each : pauses) {
      if (kept != 0 && each.first <= pauses[kept - 1].end)
        pauses[kept - 1].end = std::max(pauses[kept - 1].end, each.end);
      else
        pauses[kept++] = each;
    }
    pauses.resize(kept);
  }

  std::vector<Port> inputs_, outputs_;
  std::uint64_t end_ = 0;
  std::uint64_t held_from_ = ~std::uint64_t{0};
};

class StimulusPlayer final : RtlBenchHost {
 public:
  StimulusPlayer(const RtlDesign& design, RtlModel& model, const RtlStressParams& params,
                 const RtlStimulus& stimulus, RtlStressCoverage* coverage,
                 std::uint64_t cycles = ~std::uint64_t{0})
      : design_(design),
        params_(params),
        stimulus_(stimulus),
        coverage_(coverage),
        most_cycles_(cycles),
        stalls_(design.ports),
        bench_(design, model, bench_params(), *this),
        board_(board_options()),
        service_(design, stimulus),
        next_sequence_(stimulus.branches.size()) {}

  RtlStressOutcome play() {
    try {
      play_rounds();
      if (goes_on()) probe_credits();
    } catch (const std::runtime_error& stopped) {  // an assertion of the RTL
      violate(kNothing, "the module's own assertions hold", stopped.what());
    }
    outcome_.cycles = bench_.cycles();
    outcome_.most_passed = service_.most_passed();
    if (goes_on()) board_.finish();
    outcome_.failure = failure_ ? failure_ : board_.first_divergence();
    if (outcome_.failure) outcome_.failed_in_cycle = bench_.edge();
    for (std::uint32_t input = 0; input < design_.ports; ++input)
      for (std::uint32_t channel = 0; channel < design_.channels; ++channel)
        outcome_.most_early = std::max(outcome_.most_early, bench_.returned(input, channel).most);
    return outcome_;
  }

 private:
  void play_rounds() {
    for (const RtlStimulus::Setting& each : stimulus_.settings)
      bench_.configure(each.entry, each.word, each.value, 0);
    std::uint32_t rounds = 0;
    for (const RtlStimulus::Packet& each : stimulus_.packets) rounds = std::max(rounds, each.round + 1);
    do {
      for (std::uint32_t round = 0; round < rounds && goes_on(); ++round) play_round(round);
    } while (rounds != 0 && bench_.cycles() < stimulus_.least_cycles && goes_on());
  }

  bool goes_on() {
    if (failure_ || !board_.passed() || bench_.cycles() >= most_cycles_) return false;
    constexpr std::uint32_t kBetween = 4096;
    if (params_.is_enough && ++asked_ % kBetween == 0) is_over_ = is_over_ || params_.is_enough();
    return !is_over_;
  }

  using Key = std::pair<std::uint32_t, std::uint64_t>;  // flow, sequence
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::uint64_t>()(key.second << 16 ^ key.first);
    }
  };
  struct Inside {
    const RtlStimulus::Packet* packet = nullptr;
    std::uint32_t copies_left = 0;
    std::uint64_t last_in = 0;                            // edge at which the last head went in
    std::vector<std::pair<std::uint32_t, RtlFill>> came;  // by input
  };
  struct Due {
    std::uint64_t cycle;
    const RtlStimulus::Packet* packet;
    std::size_t arrival;
  };

  RtlBenchParams bench_params() const {
    constexpr std::uint32_t kPatience = 8192;  // packets of many phases, each a change
    RtlBenchParams made{params_.clock, {}, {}, &stalls_, kPatience};
    made.watch = params_.watch;
    if (params_.configuration) made.configuration = params_.configuration();
    // Behind an output is just what the module believes: it runs dry as often as possible.
    if (design_.protocol == RtlProtocol::credit_stream && stimulus_.judged == RtlStimulus::Judged::nothing)
      made.rooms.assign(std::size_t{design_.ports} * design_.channels, design_.out_depth);
    return made;
  }
  RtlScoreboardOptions board_options() const {
    RtlScoreboardOptions options;
    options.switch_name = design_.name;
    options.has_model = false;
    options.tolerance.reset();
    options.cycle_ps = params_.clock.period_ps();
    return options;
  }

  void play_round(std::uint32_t round) {
    const std::uint64_t base = bench_.edge() + 1;
    stalls_.set(stimulus_, round, base);
    open_branches(round);
    service_.begin_round(round);
    come_to_rest(bring(stimulus_.packets, round, base));
  }

  /// Brings the packets of a round. Returns when at least half of the module's time for them should be over.
  std::uint64_t bring(const std::vector<RtlStimulus::Packet>& packets, std::uint32_t round,
                      std::uint64_t base) {
    std::vector<Due> due;
    std::uint64_t flits = 0;
    for (const RtlStimulus::Packet& each : packets) {
      if (each.round != round) continue;
      for (std::size_t i = 0; i < each.arrivals.size(); ++i)
        due.push_back({each.arrivals[i].cycle, &each, i});
      flits += std::uint64_t{flits_of(each)} * each.cycles_per_flit * design_.ports;
    }
    std::stable_sort(due.begin(), due.end(), [](const Due& a, const Due& b) { return a.cycle < b.cycle; });
    number_packets(due);
    for (const Due& each : due) {
      const TimePs now = params_.clock.edge_ps(base + each.cycle);
      while (goes_on() && bench_.next_wake_ps() <= now) bench_.wake();
      if (goes_on()) arrive(each, now);
    }
    return std::max(stalls_.end(), base + (due.empty() ? 0 : due.back().cycle)) + flits;
  }

  void come_to_rest(std::uint64_t expected) {
    constexpr std::uint64_t kPatience = 100'000;  // cycles
    while (goes_on() && bench_.next_wake_ps() != kNever) {
      if (bench_.edge() > expected + kPatience) {
        RtlDivergence moves = bench_.inside() != 0 ? bench_.pending().front() : kNothing;
        violate(moves, "the module comes to rest", say("its pins still move ", kPatience, " cycles later"));
        return;
      }
      bench_.wake();
    }
    if (goes_on()) require_rest();
  }

  /// Flits of OUT_DEPTH and more for each output and channel, and no credits: OUT_DEPTH come, of some
  /// channels when all would take long.
  void probe_credits() {
    if (design_.protocol != RtlProtocol::credit_stream || !stimulus_.probes ||
        stimulus_.judged != RtlStimulus::Judged::nothing)
      return;
    constexpr std::uint32_t kMostFlits = 2048;  // of an output
    const std::uint32_t each = design_.parameter("CLASS_VC", 1), classes = design_.channels / each;
    const std::uint32_t probed = std::clamp(kMostFlits / (design_.out_depth * each), 1U, classes);
    std::vector<std::uint32_t> channels;
    for (std::uint32_t i = 0; i < probed * each; ++i)
      channels.push_back((stimulus_.probed_channel / each * each + i) % (classes * each));
    std::vector<RtlStimulus::Packet> packets;
    for (std::uint32_t output = 0; output < design_.ports; ++output)
      for (const std::uint32_t channel : channels) add_probe(packets, output, channel);
    // Before that all credits come home.
    const std::uint64_t base = bench_.edge() + std::uint64_t{design_.out_depth} * design_.channels + 1;
    stalls_.set({}, 0, bench_.edge());
    stalls_.hold_outputs(base);
    const std::uint64_t expected = bring(packets, 0, base);
    const std::uint32_t rest = 4 * design_.latency + 64;
    while (goes_on() && bench_.next_wake_ps() != kNever && bench_.quiet_cycles() < rest) bench_.wake();
    for (std::uint32_t output = 0; output < design_.ports; ++output)
      for (const std::uint32_t channel : channels)
        if (const std::uint32_t unused = bench_.credits_of_module(output, channel); unused != 0 && goes_on())
          violate(at_output(output), "an output that gets no credits sends OUT_DEPTH flits of each channel",
                  say(design_.out_depth - unused, " of ", design_.out_depth, " of channel ", channel,
                      ", with more waiting: credits are lost"));
    stalls_.hold_outputs(~std::uint64_t{0});
    come_to_rest(expected + 2 * std::uint64_t{design_.out_depth} * design_.channels);
  }
  /// Packets of some flits, then single ones, so that they use up all credits.
  void add_probe(std::vector<RtlStimulus::Packet>& packets, std::uint32_t output,
                 std::uint32_t channel) const {
    constexpr std::uint32_t kMore = 2;
    // What is left on two channels of a class may be too little on each.
    const std::uint32_t longest = design_.parameter("CLASS_VC", 1) == 1 ? 16 : 1;
    const std::uint32_t flits = std::clamp(std::min(design_.depth, design_.out_depth) / 4, 1U, longest);
    for (std::uint32_t left = design_.out_depth + kMore; left != 0;) {
      RtlStimulus::Packet packet;
      const std::uint32_t size = left >= 2 * flits + kMore ? flits : 1;
      left -= size;
      packet.id = packets.size();
      packet.output = output;
      packet.channel = channel;
      packet.bytes = size * design_.flit_bytes();
      packet.arrivals = {{(output + 1 + stimulus_.probed_channel) % design_.ports, 0}};
      packets.push_back(std::move(packet));
    }
  }

  /// Entries are used again in every round: their packets count on.
  void open_branches(std::uint32_t round) {
    std::uint32_t number = 0;
    entry_of_.assign(stimulus_.branches.size(), RtlEntry::kMessage);
    for (std::size_t i = 0; i < stimulus_.branches.size(); ++i) {
      std::uint64_t packets = 0;
      for (const RtlStimulus::Packet& each : stimulus_.packets)
        packets += each.round == round && each.branch == i ? 1 : 0;
      if (packets == 0) continue;
      const RtlStimulus::Branch& branch = stimulus_.branches[i];
      RtlEntry entry;
      entry.number = number;
      entry.channel = branch.channel;
      entry.priority = branch.priority;
      entry.first = first_.size() > number ? first_[number] : stimulus_.first_number;
      entry.packets = packets;
      entry.from_above = branch.from_above;
      entry.inputs = branch.inputs;
      entry.outputs = branch.outputs;
      entry.order = branch.order;
      entry.data_type = branch.data_type;
      first_.resize(std::max<std::size_t>(first_.size(), number + 1), stimulus_.first_number);
      first_[number] = entry.first + packets;
      next_sequence_[i] = entry.first;
      entry_of_[i] = number++;
      values_.open(entry);
      bench_.open(entry, params_.clock.edge_ps(bench_.edge()));
    }
  }

  /// A branch's packets in the order in which they come first; messages keep their own number.
  void number_packets(const std::vector<Due>& due) {
    numbers_.clear();
    for (const Due& each : due) {
      const RtlStimulus::Packet& packet = *each.packet;
      if (numbers_.count(&packet) != 0) continue;
      if (packet.branch)
        numbers_[&packet] = {entry_of_[*packet.branch], next_sequence_[*packet.branch]++};
      else
        numbers_[&packet] = {RtlEntry::of_message(packet.output, packet.priority),
                             (packet.id + stimulus_.first_number) & RtlHeader::kSequenceMask};
    }
  }

  std::uint32_t flits_of(const RtlStimulus::Packet& packet) const {
    return (packet.bytes + design_.flit_bytes() - 1) / design_.flit_bytes();
  }

  void arrive(const Due& due, TimePs now) {
    const RtlStimulus::Packet& packet = *due.packet;
    const RtlStimulus::Branch* const branch = packet.branch ? &stimulus_.branches[*packet.branch] : nullptr;
    const Key key = numbers_.at(&packet);
    RtlEvent event;
    event.kind = RtlEvent::Kind::arrive;
    event.now_ps = event.head_ps = now;
    event.port = packet.arrivals[due.arrival].port;
    event.channel = branch ? branch->channel : packet.channel;
    event.flow = key.first;
    event.sequence = key.second;
    event.bytes = packet.bytes;
    event.flits = flits_of(packet);
    // A flit in each cycle is all there at once: the bench gives one a cycle.
    if (packet.cycles_per_flit > 1)
      event.tail_ps = now + params_.clock.edge_ps(std::uint64_t{event.flits} * packet.cycles_per_flit);
    event.tail_ps = std::max(event.tail_ps, now);
    event.data = made_up_data(branch ? branch->data_type : DataType::int32,
                              static_cast<std::uint32_t>(packet.id >> 24), packet.id & 0xff'ffff, event.port,
                              packet.bytes);
    Inside& inside = inside_[key];
    inside.packet = &packet;
    inside.copies_left = branch ? static_cast<std::uint32_t>(branch->outputs.size()) : 1;
    values_.arrive(event);
    bench_.arrive(event);
  }

  RtlFill fill_of(std::uint32_t room, std::uint32_t flits) const {
    if (design_.depth == 0) return RtlFill::empty;
    if (room == design_.depth) return RtlFill::empty;
    return room - std::min(room, flits) < design_.depth / 4 ? RtlFill::full : RtlFill::partly;
  }
  void head_in(const RtlEvent& packet, std::uint32_t room, TimePs) override {
    const auto found = inside_.find({packet.flow, packet.sequence});
    if (found == inside_.end()) return;  // what a module kept in a reset looked like it, and left
    Inside& inside = found->second;
    inside.last_in = bench_.edge() - 1;
    if (stimulus_.judged == RtlStimulus::Judged::alone)
      require_credits("the credit of a flit alone is home before the next one comes",
                      " are missing when the next packet comes, 32 cycles after LATENCY");
    service_.head_in(*inside.packet);
    inside.came.emplace_back(packet.port, fill_of(room, packet.flits));
  }
  void head_out(std::uint32_t output, std::uint32_t flow, std::uint64_t sequence, TimePs at_ps) override {
    const auto found = inside_.find({flow, sequence});
    if (found == inside_.end()) return;
    const Inside& inside = found->second;
    const std::uint64_t edge = bench_.edge() - 1, waited = edge - std::min(edge, inside.last_in);
    outcome_.wait_cycles += waited;
    outcome_.longest_wait = std::max(outcome_.longest_wait, waited);
    judge(service_.head_out(*inside.packet, edge, waited));
    bench_.credit(output, bench_.channel_out(output), flits_of(*inside.packet),
                  at_ps + params_.clock.edge_ps(design_.latency), at_ps);
    if (!coverage_) return;
    RtlBackpressure pressure = RtlBackpressure::none;
    if (waited > std::max(design_.latency, 1U))
      pressure =
          stalls_.any(output, inside.last_in, edge) ? RtlBackpressure::stalled : RtlBackpressure::inside;
    for (const auto& [input, fill] : inside.came)
      coverage_->count(input, output, kind_of(*inside.packet), pressure, fill);
  }
  std::uint32_t channel_of(const RtlStimulus::Packet& packet) const {
    return packet.branch ? stimulus_.branches[*packet.branch].channel : packet.channel;
  }
  RtlPacketKind kind_of(const RtlStimulus::Packet& packet) const {
    if (!packet.branch) return flits_of(packet) == 1 ? RtlPacketKind::single_flit : RtlPacketKind::message;
    const RtlStimulus::Branch& branch = stimulus_.branches[*packet.branch];
    if (branch.inputs.size() == 1) return RtlPacketKind::copy;
    return branch.outputs.size() == 1 ? RtlPacketKind::sum : RtlPacketKind::sum_and_copy;
  }

  void packet_out(const RtlTransaction& packet, TimePs) override {
    const Key key{static_cast<std::uint32_t>(packet.flow), packet.sequence};
    if (auto expected = values_.leave(key.first, key.second)) {
      RtlTransaction right = packet;
      right.data = std::move(expected->data);
      board_.expect(std::move(right));
    }
    board_.observe(packet);
    ++outcome_.packets;
    const auto found = inside_.find(key);
    if (found == inside_.end()) return;
    check_credits(*found->second.packet);
    judge(service_.tail_out(*found->second.packet, bench_.edge() - 1));
    if (--found->second.copies_left == 0) inside_.erase(found);
  }
  void broken_rule(const RtlDivergence& broken) override { fail(broken); }

  static RtlDivergence at_output(std::uint32_t output) { return {{}, 0, kNothing.flow, 0, output, {}, {}}; }
  static RtlDivergence at_input(std::uint32_t input) {
    return {{}, 0, kNothing.flow, 0, input, {}, {}, true};
  }
  /// `at` says which packet and port it is.
  void violate(RtlDivergence at, const std::string& rule, const std::string& seen) {
    at.kind = RtlDivergenceKind::protocol;
    at.at_ps = params_.clock.edge_ps(bench_.edge());
    at.expected = rule;
    at.got = seen;
    fail(std::move(at));
  }
  void fail(RtlDivergence failure) {
    if (!failure_ && board_.passed()) failure_ = std::move(failure);
  }
  void judge(const std::optional<RtlService::Fault>& fault) {
    if (!fault) return;
    RtlDivergence at = at_output(fault->packet->output);
    std::tie(at.flow, at.sequence) = numbers_.at(fault->packet);
    violate(at, fault->rule, fault->seen);
  }

  void check_credits(const RtlStimulus::Packet& packet) {
    if (design_.protocol != RtlProtocol::credit_stream) return;
    for (const RtlStimulus::Arrival& each : packet.arrivals) {
      const std::int64_t most = bench_.returned(each.port, channel_of(packet)).most;
      if (most > params_.early_credits)
        violate(at_input(each.port), "a flit's credit comes back when it has left by all outputs",
                say("in_credit on channel ", channel_of(packet), " for ", most, " flits that have not"));
    }
  }
  void require_rest() {
    if (bench_.inside() != 0)
      fail(bench_.pending().front());
    else
      require_credits("all credits come home", " are missing when nothing is inside");
  }
  void require_credits(const char* rule, const char* seen) {
    if (design_.protocol != RtlProtocol::credit_stream) return;
    for (std::uint32_t input = 0; input < design_.ports; ++input)
      for (std::uint32_t channel = 0; channel < design_.channels; ++channel)
        if (const std::int64_t over = bench_.returned(input, channel).now; over != 0)
          violate(at_input(input), rule, say(-over, " of channel ", channel, seen));
  }

  inline static const RtlDivergence kNothing{{}, 0, RtlDivergence::kNoPacket, 0, RtlDivergence::kNowhere,
                                             {}, {}};

  const RtlDesign& design_;
  const RtlStressParams& params_;
  const RtlStimulus& stimulus_;
  RtlStressCoverage* coverage_;
  const std::uint64_t most_cycles_;
  RoundStalls stalls_;
  RtlBench bench_;
  RtlScoreboard board_;
  RtlPacketValues values_;
  RtlService service_;
  std::optional<RtlDivergence> failure_;
  std::uint32_t asked_ = 0;
  bool is_over_ = false;
  RtlStressOutcome outcome_;
  std::vector<std::uint32_t> entry_of_;       // [branch], in this round
  std::vector<std::uint64_t> first_;          // [entry]: of the next branch there
  std::vector<std::uint64_t> next_sequence_;  // [branch]
  std::unordered_map<const RtlStimulus::Packet*, Key> numbers_;
  std::unordered_map<Key, Inside, KeyHash> inside_;
};

}  // namespace

RtlStressOutcome play_stimulus(const RtlDesign& design, RtlModel& model, const RtlStressParams& params,
                               const RtlStimulus& stimulus, RtlStressCoverage* coverage) {
  if (stimulus.cycles_before_reset != 0) {
    RtlStressOutcome first =
        StimulusPlayer(design, model, params, stimulus, nullptr, stimulus.cycles_before_reset).play();
    if (!first.passed()) return first;
  }
  if (params.begins) params.begins();
  return StimulusPlayer(design, model, params, stimulus, coverage).play();
}

}  // namespace wafertlm
