// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <stdexcept>

#include "tlm/rtl/stream.h"

namespace wafertlm {
namespace {

/// valid, head, tail, channel, header and data of all ports of one direction, and the credits that go against
/// it.
struct Pins {
  Pins(RtlPinDriver& driver, const RtlDesign& design, const std::string& prefix)
      : valid(driver.pin((prefix + "_valid").c_str(), design.ports)),
        head(driver.pin((prefix + "_head").c_str(), design.ports)),
        tail(driver.pin((prefix + "_tail").c_str(), design.ports)),
        vc(driver.pin((prefix + "_vc").c_str(), design.ports * design.channel_bits())),
        header(driver.pin((prefix + "_header").c_str(), design.ports * 64)),
        data(driver.pin((prefix + "_data").c_str(), design.ports * design.flit_bits)),
        credit(driver.pin((prefix + "_credit").c_str(), design.ports)),
        credit_vc(driver.pin((prefix + "_credit_vc").c_str(), design.ports * design.channel_bits())) {}
  RtlPin &valid, &head, &tail, &vc, &header, &data, &credit, &credit_vc;
};

class CreditStream final : public RtlStream {
 public:
  CreditStream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host)
      : design_(design),
        host_(host),
        driver_(model, "clk", "rst_n"),
        in_(driver_, design, "in"),
        out_(driver_, design, "out"),
        cfg_valid_(driver_.pin("cfg_valid", 1)),
        cfg_flow_(driver_.pin("cfg_flow", 16)),
        cfg_word_(driver_.pin("cfg_word", 8)),
        cfg_data_(driver_.pin("cfg_data", 32)),
        credits_(std::size_t{design.ports} * design.channels, design.depth),
        theirs_(credits_.size(), design.out_depth),
        within_(credits_.size()) {}

  bool takes(std::uint32_t input, std::uint32_t channel) const override {
    return credits_[at(input, channel)] != 0;
  }
  void give(std::uint32_t input, RtlFlit flit) override {
    --credits_[at(input, flit.channel)];
    in_.valid.set(input, 1, 1);
    in_.head.set(input, 1, flit.head);
    in_.tail.set(input, 1, flit.tail);
    in_.vc.set(input * design_.channel_bits(), design_.channel_bits(), flit.channel);
    in_.header.set(input * 64, 64, flit.header);
    std::copy(flit.data.begin(), flit.data.end(), in_.data.words.begin() + std::ptrdiff_t{input} * words());
    given_.push_back(input);
    flits_given_ = true;
  }
  bool lacks_credit(std::uint32_t output, std::uint32_t channel) const override {
    return theirs_[at(output, channel)] < design_.out_depth;
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
  void reset(TimePs now) override {
    driver_.reset({&in_.valid, &in_.head, &in_.tail, &in_.vc, &in_.header, &in_.data, &out_.credit,
                   &out_.credit_vc, &cfg_valid_, &cfg_flow_, &cfg_word_, &cfg_data_},
                  now);
    std::fill(credits_.begin(), credits_.end(), design_.depth);
    std::fill(theirs_.begin(), theirs_.end(), design_.out_depth);
    std::fill(within_.begin(), within_.end(), false);
  }

  void cycle(TimePs now) override {
    driver_.rise(now);
    push_inputs();
    driver_.settle();
    active_ = !given_.empty() || credits_given_ || was_configured_;
    for (const std::uint32_t input : given_) host_.went_in(input);
    given_.clear();
    credits_given_ = false;
    sample_credits();
    sample_flits();
  }
  bool was_active() const override { return active_; }
  RtlModel& model() override { return driver_.model(); }

 private:
  std::size_t at(std::uint32_t port, std::uint32_t channel) const {
    return std::size_t{port} * design_.channels + channel;
  }
  std::uint32_t words() const { return design_.flit_bits / 32; }

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

  std::uint32_t channel_at(std::uint32_t port, const RtlPin& pin) {
    const auto channel =
        static_cast<std::uint32_t>(pin.get(port * design_.channel_bits(), design_.channel_bits()));
    if (channel < design_.channels) return channel;
    host_.broken(port, RtlRule::channel_exists, pin.name + " is " + std::to_string(channel));
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
      const std::uint32_t channel = channel_at(port, in_.credit_vc);
      if (channel == design_.channels) continue;
      std::uint32_t& credits = credits_[at(port, channel)];
      if (credits == design_.depth)
        host_.broken(port, RtlRule::credit_due,
                     "in_credit on channel " + std::to_string(channel) + " with all " +
                         std::to_string(credits) + " credits at the sender");
      else
        ++credits;
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
      flit.channel = channel_at(port, out_.vc);
      if (flit.channel == design_.channels) continue;
      flit.head = out_.head.get(port, 1) != 0;
      flit.tail = out_.tail.get(port, 1) != 0;
      flit.header = out_.header.get(port * 64, 64);
      flit.output = port;
      const auto first = out_.data.words.begin() + std::ptrdiff_t{port} * words();
      flit.data.assign(first, first + words());
      const std::size_t place = at(port, flit.channel);
      if (theirs_[place] == 0)
        host_.broken(port, RtlRule::credit_held,
                     "out_valid on channel " + std::to_string(flit.channel) + " with none");
      else
        --theirs_[place];
      if (flit.head == within_[place])
        host_.broken(port, RtlRule::framing,
                     flit.head ? "a head within a packet" : "a flit that follows no head");
      within_[place] = !flit.tail;
      host_.came_out(port, flit);
    }
  }

  const RtlDesign& design_;
  RtlStreamHost& host_;
  RtlPinDriver driver_;
  Pins in_, out_;
  RtlPin &cfg_valid_, &cfg_flow_, &cfg_word_, &cfg_data_;
  std::vector<std::uint32_t> credits_, theirs_;  // [port][channel]: of the inputs, of the outputs
  std::vector<bool> within_;                     // [port][channel] of the outputs: a packet has begun
  std::vector<std::uint32_t> given_;
  std::vector<RtlPin*> pending_cfg_;
  bool flits_given_ = false, flits_shown_ = false, credits_given_ = false, credits_shown_ = false;
  bool was_configured_ = false, cfg_shown_ = false, active_ = false;
};

}  // namespace

std::unique_ptr<RtlStream> make_credit_stream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host) {
  return std::make_unique<CreditStream>(design, model, host);
}

}  // namespace wafertlm
