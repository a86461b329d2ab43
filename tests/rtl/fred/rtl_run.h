// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <verilated.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <queue>
#include <string>

#include "tests/rtl/fred/rtl_headers.h"
#include "tests/rtl/fred/switch_scenario.h"

namespace wafertlm::test {

struct RtlRunOptions {
  int mutation = 0;        ///< 0: none
  std::uint64_t idle = 0;  ///< cycles without a delivery after which a run ends; 0: when everything has come
  /// Called every half cycle with the time in ns; for waveforms.
  std::function<void(std::uint64_t)> sample;
};

struct RtlRun {
  Deliveries deliveries;
  std::uint64_t cycles = 0;
  double seconds = 0;
};

/// Bits of a pin that verilated code holds in one word, or in words of 32 bits.
template <typename Word>
std::uint64_t get_bits(const Word& pin, std::size_t low, std::size_t width) {
  return std::uint64_t{pin} >> low & (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1);
}
template <std::size_t N>
std::uint64_t get_bits(const VlWide<N>& pin, std::size_t low, std::size_t) {
  return pin.m_storage[low / 32] | std::uint64_t{pin.m_storage[low / 32 + 1]} << 32;  // whole 64 bits
}
template <typename Word>
void set_bits(Word& pin, std::size_t low, std::size_t width, std::uint64_t value) {
  const auto mask = (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) << low;
  pin = static_cast<Word>((pin & ~mask) | (value << low & mask));
}
template <std::size_t N>
void set_bits(VlWide<N>& pin, std::size_t low, std::size_t, std::uint64_t value) {
  pin.m_storage[low / 32] = static_cast<std::uint32_t>(value);
  pin.m_storage[low / 32 + 1] = static_cast<std::uint32_t>(value >> 32);
}

/// A scenario on the pins of a verilated fred_switch with flits of 64 bits.
template <typename Model>
class RtlSwitch {
 public:
  RtlSwitch(const SwitchScenario& scenario, RtlRunOptions options)
      : scenario_(scenario),
        options_(std::move(options)),
        ports_(scenario.ports),
        latency_(rtl_latency_cycles(scenario.ports)),
        context_(std::make_unique<VerilatedContext>()),
        inputs_(ports_),
        outputs_(ports_) {
    while (1U << vc_bits_ < rtl_channels(ports_)) ++vc_bits_;
    const std::string mutation = "+fred_mutation=" + std::to_string(options_.mutation);
    const char* arguments[] = {"rtl", mutation.c_str()};
    context_->commandArgs(2, arguments);
    context_->assertOn(options_.mutation == 0);  // the comparison is to find it
    context_->traceEverOn(static_cast<bool>(options_.sample));
    model_ = std::make_unique<Model>(context_.get());
    for (Input& input : inputs_) input.room.assign(4, depth_flits(ports_));
  }
  ~RtlSwitch() { model_->final(); }

  Model& model() { return *model_; }

  RtlRun run() {
    const auto start = std::chrono::steady_clock::now();
    reset();
    configure();
    const std::size_t all = scenario_.packets();
    std::uint64_t last = 0;
    RtlRun run;
    for (cycle_ = 0;; ++cycle_) {
      const std::size_t before = run.deliveries.size();
      for (std::uint32_t port = 0; port < ports_; ++port) {
        receive(port, run.deliveries);
        send(port);
      }
      clock();
      if (run.deliveries.size() != before) last = cycle_;
      if (run.deliveries.size() >= all && cycle_ > last + 2 * latency_) break;
      if (options_.idle != 0 && cycle_ > last + options_.idle) break;
      if (cycle_ > last + 100'000)
        throw std::runtime_error("the RTL has delivered nothing for 100000 cycles, " +
                                 std::to_string(run.deliveries.size()) + " of " + std::to_string(all) +
                                 " packets");
    }
    run.cycles = cycle_;
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return run;
  }

 private:
  struct Credit {
    std::uint64_t cycle;
    std::uint32_t channel;
    bool operator<(const Credit& other) const { return other.cycle < cycle; }
  };
  struct Input {
    std::size_t next = 0;
    std::uint32_t flit = 0;           // of the packet that is being sent; 0: none has begun
    std::vector<std::uint32_t> room;  // flits, by channel of the TLM switch
    std::queue<Credit> credits;
  };
  struct Output {
    Delivery now;
    std::priority_queue<Credit> credits;
  };

  void clock() {
    model_->clk = 0;
    model_->eval();
    if (options_.sample) options_.sample(2 * time_);
    model_->clk = 1;
    model_->eval();
    if (options_.sample) options_.sample(2 * time_ + 1);
    ++time_;
  }
  void reset() {
    model_->rst_n = 0;
    model_->in_valid = 0;
    model_->out_credit = 0;
    model_->cfg_valid = 0;
    for (int i = 0; i < 4; ++i) clock();
    model_->rst_n = 1;
    clock();
  }
  void write(std::uint16_t entry, std::uint8_t word, std::uint32_t value) {
    model_->cfg_valid = 1;
    model_->cfg_flow = entry;
    model_->cfg_word = word;
    model_->cfg_data = value;
    clock();
    model_->cfg_valid = 0;
  }
  void configure() {
    write(0xFFFF, 0, scenario_.phase_rule);
    write(0xFFFF, 1, scenario_.phase_change);
    for (std::size_t f = 0; f < scenario_.flows.size(); ++f)
      for (const FredFlowEntry::Word& word : scenario_.flows[f].entry.words())
        write(static_cast<std::uint16_t>(f), word.number, word.value);
    clock();
  }

  std::uint64_t header_of(std::uint32_t port, const ScenarioPacket& packet) const {
    const std::uint32_t bytes = packet.flits * kFlitBytes;
    if (packet.flow >= 0)
      return rtl_flow_header(static_cast<std::uint32_t>(packet.flow), packet.sequence, bytes);
    const std::uint32_t priority = scenario_classes()[static_cast<ClassId>(packet.traffic_class)].priority;
    return rtl_unicast_header(packet.output, priority, port, packet.sequence, bytes);
  }

  /// Drives an input for this cycle.
  void send(std::uint32_t port) {
    Input& input = inputs_[port];
    if (get_bits(model_->in_credit, port, 1)) {
      const auto channel =
          static_cast<std::uint32_t>(get_bits(model_->in_credit_vc, port * vc_bits_, vc_bits_));
      // As late as in the TLM switch, where a packet's room is free when its tail has left the output.
      input.credits.push({cycle_ + latency_ - 3 + kCreditCycles, channel_of_rtl(ports_, channel)});
    }
    while (!input.credits.empty() && input.credits.front().cycle <= cycle_) {
      ++input.room[input.credits.front().channel];
      input.credits.pop();
    }
    const auto& all = scenario_.inputs[port];
    bool valid = input.next < all.size();
    if (valid && input.flit == 0) {
      const ScenarioPacket& packet = all[input.next];
      std::uint32_t& room = input.room[channel_of(packet)];
      valid = packet.created <= cycle_ && room >= packet.flits;
      if (valid) room -= packet.flits;
    }
    set_bits(model_->in_valid, port, 1, valid);
    if (!valid) return;
    const ScenarioPacket& packet = all[input.next];
    const bool tail = input.flit + 1 == packet.flits;
    std::uint64_t data = 0;
    std::memcpy(&data, packet.data.data() + std::size_t{input.flit} * kFlitBytes, kFlitBytes);
    set_bits(model_->in_head, port, 1, input.flit == 0);
    set_bits(model_->in_tail, port, 1, tail);
    set_bits(model_->in_vc, port * vc_bits_, vc_bits_, rtl_channel_of(ports_, packet));
    set_bits(model_->in_header, port * 64, 64, input.flit == 0 ? header_of(port, packet) : 0);
    set_bits(model_->in_data, port * 64, 64, data);
    input.flit = tail ? 0 : input.flit + 1;
    if (tail) ++input.next;
  }

  /// Takes what is at an output in this cycle, and gives credits back.
  void receive(std::uint32_t port, Deliveries& deliveries) {
    Output& output = outputs_[port];
    if (get_bits(model_->out_valid, port, 1)) {
      Delivery& packet = output.now;
      if (get_bits(model_->out_head, port, 1)) packet = {cycle_, 0, {}};
      give_credits(port, packet);
      const std::uint64_t data = get_bits(model_->out_data, port * 64, 64);
      packet.data.resize(packet.data.size() + kFlitBytes);
      std::memcpy(packet.data.data() + packet.data.size() - kFlitBytes, &data, kFlitBytes);
      if (get_bits(model_->out_tail, port, 1)) {
        packet.tail = cycle_;
        delivered(port, packet, deliveries);
        packet = {};
      }
    }
    const bool credit = !output.credits.empty() && output.credits.top().cycle <= cycle_;
    set_bits(model_->out_credit, port, 1, credit);
    if (!credit) return;
    set_bits(model_->out_credit_vc, port * vc_bits_, vc_bits_, output.credits.top().channel);
    output.credits.pop();
  }
  DeliveryKey key_at(std::uint32_t port) const {
    const std::uint64_t header = get_bits(model_->out_header, port * 64, 64);
    const auto low = static_cast<std::uint32_t>(header & 0xFFFF);
    const int from = low & 0x8000 ? -1 - static_cast<int>(low >> 8 & 15) : static_cast<int>(low);
    return {port, from, static_cast<std::uint32_t>(header >> 16 & 0xFFFFFF)};
  }
  /// The room of the flit at an output is free again a cycle later, or when it has been kept. The last flit's
  /// is that of the packet in the TLM switch.
  void give_credits(std::uint32_t port, const Delivery& packet) {
    const std::uint64_t flits = (get_bits(model_->out_header, port * 64, 64) >> 40) / kFlitBytes;
    const std::uint64_t later = flits - std::min(flits, packet.data.size() / kFlitBytes + 1);
    std::uint64_t free = cycle_ + 1 + hold_cycles(scenario_, key_at(port));
    if (!scenario_.closed_until.empty() && scenario_.closed_until[port] > later)
      free = std::max(free, scenario_.closed_until[port] - later);
    const auto channel = static_cast<std::uint32_t>(get_bits(model_->out_vc, port * vc_bits_, vc_bits_));
    outputs_[port].credits.push({free, channel});
  }
  void delivered(std::uint32_t port, Delivery& packet, Deliveries& deliveries) {
    const DeliveryKey key = key_at(port);
    if (deliveries.count(key) != 0) {  // a second one of the same name is nobody's
      deliveries.emplace(DeliveryKey{port, 10'000 + std::get<1>(key), std::get<2>(key)}, std::move(packet));
      return;
    }
    deliveries.emplace(key, std::move(packet));
  }

  const SwitchScenario& scenario_;
  const RtlRunOptions options_;
  const std::uint32_t ports_, latency_;
  std::uint32_t vc_bits_ = 1;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::uint64_t cycle_ = 0, time_ = 0;
};

}  // namespace wafertlm::test
