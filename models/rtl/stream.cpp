// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stream.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {

const char* text_of(RtlRule rule) {
  static constexpr const char* kTexts[] = {"a flit leaves only with a credit",
                                           "an input gives no more credits back than flits came",
                                           "the channel is one of the module's",
                                           "the packets of a channel have a head and a tail, and do not mix",
                                           "the header is of a packet that came in and has not left",
                                           "a packet leaves where its flow goes",
                                           "a packet leaves on a channel of the class it came on",
                                           "a packet leaves with the header with which it came",
                                           "packets leave an output in the order in which they entered",
                                           "the flits of a packet have the flow of its header as tid",
                                           "a packet leaves with as many flits as it came",
                                           "valid stays until ready",
                                           "what goes with valid stays until ready",
                                           "nothing is valid while the reset is held"};
  return kTexts[static_cast<std::size_t>(rule)];
}

std::unique_ptr<RtlStream> make_rtl_stream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host) {
  return design.protocol == RtlProtocol::credit_stream ? make_credit_stream(design, model, host)
                                                       : make_axi4_stream(design, model, host);
}

RtlStream::RtlStream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host, const char* clock,
                     const char* reset)
    : design_(design), model_(model), host_(host), clock_(pin(clock, 1)), reset_(pin(reset, 1)) {}

RtlPin& RtlStream::pin(const std::string& name, std::uint32_t bits) {
  RtlPin& found = model_.pin(name);
  if (found.bits < bits)
    throw std::invalid_argument("the pin " + found.name + " has " + std::to_string(found.bits) +
                                " bits, and the parameters P, W and V of the design ask for " +
                                std::to_string(bits));
  return found;
}

void RtlStream::rise() {
  clock_.set(0, 1, 1);
  clock_.push();
  model_.evaluate();
}

void RtlStream::settle(TimePs now) {
  model_.dump_waves(now, true);
  fall();
}

void RtlStream::end(TimePs now) { model_.dump_waves(now, false); }

void RtlStream::fall() {
  clock_.set(0, 1, 0);
  clock_.push();
  model_.evaluate();
}

void RtlStream::reset_with(std::initializer_list<RtlPin*> inputs,
                           std::initializer_list<std::pair<RtlPin*, RtlSide>> outputs) {
  constexpr int kCycles = 4;
  for (RtlPin* each : inputs) {
    std::fill(each->words.begin(), each->words.end(), 0);
    each->push();
  }
  set_reset(true);
  fall();
  for (int i = 0; i < kCycles; ++i) {
    rise();
    fall();
  }
  for (const auto& [pin, side] : outputs) {
    pin->pull();
    for (std::uint32_t port = 0; port < design_.ports; ++port)
      if (pin->get(port, 1) != 0)
        host_.broken(side, port, RtlRule::quiet_in_reset,
                     pin->name + " is 1 after " + std::to_string(kCycles) + " cycles of reset");
  }
  set_reset(false);
  fall();
}

void RtlStream::put_data(RtlPin& to, std::uint32_t port, const RtlFlit& flit) const {
  std::copy(flit.data.begin(), flit.data.end(), to.words.begin() + std::ptrdiff_t{port} * words());
}

void RtlStream::take_data(const RtlPin& from, std::uint32_t port, RtlFlit& flit) const {
  const auto first = from.words.begin() + std::ptrdiff_t{port} * words();
  flit.data.assign(first, first + words());
}

void RtlStream::set_reset(bool active) {
  reset_.set(0, 1, active ? 0 : 1);
  reset_.push();
}

}  // namespace wafertlm
