// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/rtl/stream.h"

namespace wafertlm {
namespace {

class CreditStream final : public RtlStream {
 public:
  CreditStream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host)
      : RtlStream(design, model, host, "clk", "rst_n"),
        in_(pins("in")),
        out_(pins("out")),
        cfg_valid_(pin("cfg_valid", 1)),
        cfg_flow_(pin("cfg_flow", 16)),
        cfg_word_(pin("cfg_word", 8)),
        cfg_data_(pin("cfg_data", 32)),
        credits_(std::size_t{design.ports} * design.channels, design.depth),
        theirs_(credits_.size(), design.out_depth),
        within_(credits_.size()) {}

  std::uint32_t room(std::uint32_t input, std::uint32_t channel) const override {
    return credits_[at(input, channel)];
  }
  void give(std::uint32_t input, RtlFlit flit) override {
    --credits_[at(input, flit.channel)];
    in_.valid.set(input, 1, 1);
    in_.head.set(input, 1, flit.head);
    in_.tail.set(input, 1, flit.tail);
    in_.vc.set(input * design_.channel_bits(), design_.channel_bits(), flit.channel);
    in_.header.set(input * 64, 64, flit.header);
    put_data(in_.data, input, flit);
    given_.push_back(input);
    flits_given_ = true;
  }
  std::uint32_t credits_of_module(std::uint32_t output, std::uint32_t channel) const override {
    return theirs_[at(output, channel)];
  }
  void give_credit(std::uint32_t output, std::uint32_t channel) override {
    ++theirs_[at(output, channel)];
    out_.credit.set(output, 1, 1);
    out_.credit_vc.set(output * design_.channel_bits(), design_.channel_bits(), channel);
    credits_given_ = true;
  }
  void configure(std::uint32_t flow, std::uint32_t word, std::uint32_t value) override {
    cfg_valid_.set(0, 1, 1);
    cfg_flow_.set(0, 16, flow);
    cfg_word_.set(0, 8, word);
    cfg_data_.set(0, 32, value);
    for (RtlPin* each : {&cfg_valid_, &cfg_flow_, &cfg_word_, &cfg_data_}) pending_cfg_.push_back(each);
  }
  void reset() override {
    reset_with({&in_.valid, &in_.head, &in_.tail, &in_.vc, &in_.header, &in_.data, &out_.credit,
                &out_.credit_vc, &cfg_valid_, &cfg_flow_, &cfg_word_, &cfg_data_},
               {{&out_.valid, RtlSide::output}, {&in_.credit, RtlSide::input}});
    std::fill(credits_.begin(), credits_.end(), design_.depth);
    std::fill(theirs_.begin(), theirs_.end(), design_.out_depth);
    std::fill(within_.begin(), within_.end(), false);
  }

  void cycle(TimePs now) override {
    rise();
    push_inputs();
    settle(now);
    active_ = !given_.empty() || credits_given_ || was_configured_;
    for (const std::uint32_t input : given_) host_.went_in(input);
    given_.clear();
    credits_given_ = false;
    sample_credits();
    sample_flits();
    end(now);
  }

 private:
  /// valid, head, tail, channel, header and data of all ports of one direction, and the credits that go
  /// against it.
  struct Pins {
    RtlPin &valid, &head, &tail, &vc, &header, &data, &credit, &credit_vc;
  };
  Pins pins(const std::string& prefix) {
    const std::uint32_t ports = design_.ports, channels = ports * design_.channel_bits();
    return {pin(prefix + "_valid", ports),       pin(prefix + "_head", ports),
            pin(prefix + "_tail", ports),        pin(prefix + "_vc", channels),
            pin(prefix + "_header", ports * 64), pin(prefix + "_data", ports * design_.flit_bits),
            pin(prefix + "_credit", ports),      pin(prefix + "_credit_vc", channels)};
  }
  std::size_t at(std::uint32_t port, std::uint32_t channel) const {
    return std::size_t{port} * design_.channels + channel;
  }

  /// Puts what was given on the pins and takes away what was there in the last cycle.
  void push_inputs() {
    if (flits_given_ || flits_shown_) {
      for (RtlPin* each : {&in_.valid, &in_.head, &in_.tail, &in_.vc, &in_.header, &in_.data}) each->push();
      flits_shown_ = flits_given_;
      in_.valid.set(0, std::min(design_.ports, 64U), 0);
      flits_given_ = false;
    }
    if (credits_given_ || credits_shown_) {
      out_.credit.push();
      out_.credit_vc.push();
      credits_shown_ = credits_given_;
      out_.credit.set(0, std::min(design_.ports, 64U), 0);
    }
    was_configured_ = !pending_cfg_.empty();
    if (was_configured_ || cfg_shown_) {
      for (RtlPin* each : pending_cfg_) each->push();
      pending_cfg_.clear();
      if (!was_configured_) {
        cfg_valid_.set(0, 1, 0);
        cfg_valid_.push();
      }
      cfg_shown_ = was_configured_;
    }
  }

  std::uint32_t channel_at(RtlSide side, std::uint32_t port, const RtlPin& pin) {
    const auto channel =
        static_cast<std::uint32_t>(pin.get(port * design_.channel_bits(), design_.channel_bits()));
    if (channel < design_.channels) return channel;
    host_.broken(side, port, RtlRule::channel_exists, pin.name + " is " + std::to_string(channel));
    return design_.channels;
  }

  void sample_credits() {
    in_.credit.pull();
    const std::uint64_t given = in_.credit.get(0, design_.ports);
    if (given == 0) return;
    active_ = true;
    in_.credit_vc.pull();
    for (std::uint32_t port = 0; port < design_.ports; ++port) {
      if ((given >> port & 1) == 0) continue;
      const std::uint32_t channel = channel_at(RtlSide::input, port, in_.credit_vc);
      if (channel == design_.channels) continue;
      std::uint32_t& credits = credits_[at(port, channel)];
      if (credits == design_.depth) {
        host_.broken(RtlSide::input, port, RtlRule::credit_due,
                     "in_credit on channel " + std::to_string(channel) + " with all " +
                         std::to_string(credits) + " credits at the sender");
        continue;
      }
      ++credits;
      host_.credit_came(port, channel);
    }
  }

  void sample_flits() {
    out_.valid.pull();
    const std::uint64_t valid = out_.valid.get(0, design_.ports);
    if (valid == 0) return;
    active_ = true;
    for (RtlPin* each : {&out_.head, &out_.tail, &out_.vc, &out_.header, &out_.data}) each->pull();
    for (std::uint32_t port = 0; port < design_.ports; ++port) {
      if ((valid >> port & 1) == 0) continue;
      RtlFlit flit;
      flit.channel = channel_at(RtlSide::output, port, out_.vc);
      if (flit.channel == design_.channels) continue;
      flit.head = out_.head.get(port, 1) != 0;
      flit.tail = out_.tail.get(port, 1) != 0;
      flit.header = out_.header.get(port * 64, 64);
      flit.output = port;
      take_data(out_.data, port, flit);
      const std::size_t place = at(port, flit.channel);
      if (theirs_[place] == 0)
        host_.broken(RtlSide::output, port, RtlRule::credit_held,
                     "out_valid on channel " + std::to_string(flit.channel) + " with none", &flit);
      else
        --theirs_[place];
      if (flit.head == within_[place])
        host_.broken(RtlSide::output, port, RtlRule::framing,
                     flit.head ? "a head within a packet" : "a flit that follows no head", &flit);
      within_[place] = !flit.tail;
      host_.came_out(port, flit);
    }
  }

  Pins in_, out_;
  RtlPin &cfg_valid_, &cfg_flow_, &cfg_word_, &cfg_data_;
  std::vector<std::uint32_t> credits_, theirs_;  // [port][channel]: of the inputs, of the outputs
  std::vector<bool> within_;                     // [port][channel] of the outputs: a packet has begun
  std::vector<std::uint32_t> given_;
  std::vector<RtlPin*> pending_cfg_;
  bool flits_given_ = false, flits_shown_ = false, credits_given_ = false, credits_shown_ = false;
  bool was_configured_ = false, cfg_shown_ = false;
};

}  // namespace

std::unique_ptr<RtlStream> make_credit_stream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host) {
  return std::make_unique<CreditStream>(design, model, host);
}

}  // namespace wafertlm
