// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stress/generate.h"

#include <algorithm>
#include <random>

namespace wafertlm {
namespace {

class StimulusMaker {
 public:
  StimulusMaker(const RtlDesign& design, const RtlFlowRules& rules, std::uint32_t packets, std::uint64_t seed)
      : design_(design), rules_(rules), packets_(packets), seed_(seed), random_(seed) {}

  RtlStimulus make() {
    for (const RtlFlowRules::Setting& each : rules_.settings) {
      if (one_of(2) == 0) continue;
      const std::uint32_t value = each.values[one_of(each.values.size())];
      made_.settings.push_back({each.entry, each.word, value});
      flows_apart_ = flows_apart_ || (each.makes_flows_wait && value != each.values[0]);
    }
    if (one_of(4) == 0) made_.cycles_before_reset = 1 + one_of(500);
    // As in a fabric, where a channel is a class's and so has one priority.
    for (std::uint32_t channel = 0; channel < design_.channels; ++channel)
      priority_of_.push_back(one_of(rules_.priorities));
    const std::uint32_t rounds = 1 + one_of(2);
    for (std::uint32_t round = 0; round < rounds; ++round) add_round(round, packets_ / rounds);
    made_.first_number = one_of(2) == 0 ? 0 : kNearWrap[one_of(2)];
    made_.probed_channel = one_of(design_.channels);
    return std::move(made_);
  }

  RtlStimulus make_long(std::uint64_t cycles) {
    for (std::uint32_t channel = 0; channel < design_.channels; ++channel) priority_of_.push_back(0);
    made_.least_cycles = cycles;
    made_.first_number = kNearWrap[1];
    made_.probed_channel = first_channel_ = one_of(design_.channels);
    most_flits_ = std::min(room(), 64U);
    percent_load_ = 200;
    channels_ = std::min(design_.channels, 2U);
    free_at_.assign(design_.ports, 0);
    add_packets(packets_, {0, 50});
    return std::move(made_);
  }

 private:
  enum class Towards { any, one, own };  // outputs of messages
  /// Counters of 16 and of 24 bits are soon full.
  static constexpr std::uint32_t kNearWrap[] = {0xffe0, 0xffffe0};

  std::uint32_t one_of(std::uint64_t n) { return static_cast<std::uint32_t>(random_() % n); }
  template <std::size_t n>
  std::uint32_t one_of(const std::uint32_t (&values)[n]) {
    return values[one_of(n)];
  }
  /// Some ports, in any number from `fewest` on.
  std::vector<std::uint32_t> ports(std::uint32_t fewest) {
    std::vector<std::uint32_t> all(design_.ports);
    for (std::uint32_t i = 0; i < design_.ports; ++i) all[i] = i;
    for (std::uint32_t i = design_.ports; i > 1; --i) std::swap(all[i - 1], all[one_of(i)]);
    all.resize(std::max(fewest, 1 + one_of(std::min(design_.ports, 8U))));
    std::sort(all.begin(), all.end());
    return all;
  }

  void add_round(std::uint32_t round, std::uint32_t packets) {
    round_ = round;
    most_flits_ = std::min(room(), one_of({1, 2, 4, 16, room()}));
    percent_load_ = one_of({2, 20, 60, 100, 300});
    late_ = one_of({0, 0, 5, 50, 400});
    channels_ = std::min(design_.channels, one_of({1, 2, 64}));
    first_channel_ = one_of(design_.channels);
    towards_ = static_cast<Towards>(one_of(3));
    target_ = one_of(design_.ports);
    free_at_.assign(design_.ports, 0);
    add_packets(packets, {0, 50, 90, 100});
    add_stalls();
  }

  /// A packet goes on when there is room for all of it.
  std::uint32_t room() const {
    return design_.depth == 0 ? 64 : std::min({design_.depth, design_.out_depth, std::uint32_t{256}});
  }

  void add_packets(std::uint32_t packets, const std::vector<std::uint32_t>& flow_percents) {
    const std::size_t first = made_.packets.size();
    add_branches();
    const std::uint32_t flow_percent = branches_.empty() ? 0 : flow_percents[one_of(flow_percents.size())];
    for (std::uint32_t i = 0; i < packets; ++i) one_of(100) < flow_percent ? add_to_branch() : add_message();
    const auto head = [](const RtlStimulus::Packet& packet) {
      std::uint64_t cycle = packet.arrivals[0].cycle;
      for (const auto& each : packet.arrivals) cycle = std::min(cycle, each.cycle);
      return cycle;
    };
    std::stable_sort(made_.packets.begin() + static_cast<std::ptrdiff_t>(first), made_.packets.end(),
                     [&](const auto& a, const auto& b) { return head(a) < head(b); });
  }

  std::uint32_t channel() { return (first_channel_ + one_of(channels_)) % design_.channels; }

  void add_branches() {
    branches_.clear();
    if (design_.flows == 0 || !rules_.order) return;
    std::uint32_t count = one_of(std::min(design_.flows, 6U) + 1);
    if (flows_apart_) count = std::min(count, design_.channels);
    for (std::uint32_t i = 0; i < count; ++i) {
      RtlStimulus::Branch branch;
      branch.inputs = one_of(3) == 0 ? std::vector<std::uint32_t>{one_of(design_.ports)} : ports(1);
      branch.outputs = one_of(3) == 0 ? std::vector<std::uint32_t>{one_of(design_.ports)} : ports(1);
      branch.order = rules_.order(branch.inputs, branch.outputs);
      branch.data_type = rules_.data_types[one_of(rules_.data_types.size())];
      branch.channel = flows_apart_ ? (first_channel_ + i) % design_.channels : channel();
      branch.priority = priority_of_[branch.channel];
      if (one_of(4) == 0) branch.from_above = 1 + branch.inputs[one_of(branch.inputs.size())];
      branches_.push_back(made_.branches.size());
      made_.branches.push_back(std::move(branch));
    }
  }

  RtlStimulus::Packet packet() {
    RtlStimulus::Packet packet;
    packet.id = (seed_ << 24) + next_id_++;
    packet.round = round_;
    const std::uint32_t flits = 1 + one_of(most_flits_);
    packet.bytes = flits * design_.flit_bytes() - (one_of(2) == 0 ? 0 : one_of(design_.flit_bytes()));
    if (one_of(8) == 0) packet.cycles_per_flit = 2 + one_of(3);
    return packet;
  }
  std::uint32_t flits_of(const RtlStimulus::Packet& packet) const {
    return (packet.bytes + design_.flit_bytes() - 1) / design_.flit_bytes();
  }
  /// When the port brings its next packet: gaps are any up to twice their mean.
  std::uint64_t next_at(std::uint32_t port, std::uint32_t flits) {
    const std::uint64_t at = free_at_[port];
    free_at_[port] += one_of(2 * std::uint64_t{flits} * 100 / percent_load_ + 1);
    return at;
  }

  void add_message() {
    RtlStimulus::Packet made = packet();
    const std::uint32_t from = one_of(design_.ports);
    const std::uint32_t outputs[] = {one_of(design_.ports), target_, (from + target_) % design_.ports};
    made.output = outputs[static_cast<std::size_t>(towards_)];
    made.channel = channel();
    made.priority = one_of(rules_.priorities);
    made.arrivals.push_back({from, next_at(from, flits_of(made))});
    made_.packets.push_back(std::move(made));
  }
  void add_to_branch() {
    RtlStimulus::Packet made = packet();
    made.branch = branches_[one_of(branches_.size())];
    const RtlStimulus::Branch& branch = made_.branches[*made.branch];
    const std::uint32_t unit = bytes_of(branch.data_type);
    made.bytes = std::max(unit, made.bytes / unit * unit);
    for (const std::uint32_t input : branch.inputs)
      made.arrivals.push_back({input, next_at(input, flits_of(made)) + one_of(late_ + 1)});
    made_.packets.push_back(std::move(made));
  }

  void add_stalls() {
    std::uint64_t last = 1;
    for (const auto& packet : made_.packets)
      if (packet.round == round_)
        for (const auto& each : packet.arrivals) last = std::max(last, each.cycle);
    const std::uint64_t full = std::uint64_t{2} * (std::max(design_.depth, 16U) + design_.out_depth);
    for (const bool is_output : {false, true}) {
      const std::uint32_t kind = one_of(5);
      for (std::uint32_t port = 0; port < design_.ports; ++port) {
        if (kind == 0 || one_of(2) == 0) continue;
        if (kind == 1) add_pauses(is_output, port, last, 1, 20);
        if (kind == 2) add_pauses(is_output, port, last, 1 + one_of(30), 40);
        if (kind == 3)  // until everything behind is full
          made_.stalls.push_back({round_, is_output, port, one_of(last), 1 + one_of(full)});
        if (kind == 4) add_pauses(is_output, port, last + full / 4, 1 + one_of(7), 1);
      }
    }
  }
  /// Pauses of up to `longest` cycles, `apart` cycles from each other on the average.
  void add_pauses(bool is_output, std::uint32_t port, std::uint64_t last, std::uint32_t longest,
                  std::uint32_t apart) {
    constexpr int kMost = 200;
    std::uint64_t at = one_of(apart);
    for (int i = 0; i < kMost && at <= last; ++i) {
      const std::uint64_t cycles = 1 + one_of(longest);
      made_.stalls.push_back({round_, is_output, port, at, cycles});
      at += cycles + 1 + one_of(2 * apart - 1);
    }
  }

  const RtlDesign& design_;
  const RtlFlowRules& rules_;
  const std::uint32_t packets_;
  const std::uint64_t seed_;
  std::mt19937_64 random_;
  RtlStimulus made_;
  std::uint64_t next_id_ = 0;
  bool flows_apart_ = false;
  std::vector<std::uint32_t> priority_of_;  // by channel, of flows
  // Of the round.
  std::uint32_t round_ = 0;
  std::uint32_t most_flits_ = 1, percent_load_ = 100, late_ = 0, channels_ = 1, first_channel_ = 0;
  Towards towards_{};
  std::uint32_t target_ = 0;
  std::vector<std::uint64_t> free_at_;  // by port
  std::vector<std::size_t> branches_;
};

}  // namespace

RtlStimulus random_stimulus(const RtlDesign& design, const RtlFlowRules& rules, std::uint32_t packets,
                            std::uint64_t seed) {
  return StimulusMaker(design, rules, packets, seed).make();
}

RtlStimulus long_stimulus(const RtlDesign& design, const RtlFlowRules& rules, std::uint32_t packets,
                          std::uint64_t seed, std::uint64_t cycles) {
  return StimulusMaker(design, rules, packets, seed).make_long(cycles);
}

}  // namespace wafertlm
