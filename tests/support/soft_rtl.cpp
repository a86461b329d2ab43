// SPDX-License-Identifier: Apache-2.0
#include "tests/support/soft_rtl.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/kernel/say.h"

namespace wafertlm::test {

SoftRtl::SoftRtl(const RtlDesign& design) : design_(design) {
  const std::uint32_t p = design.ports, data = p * design.flit_bits;
  const auto add = [&](const std::string& name, std::uint32_t bits) {
    pins_.emplace(std::piecewise_construct, std::forward_as_tuple(name), std::forward_as_tuple(name, bits));
  };
  if (is_credit_stream()) {
    std::uint32_t vc = 1;
    while ((1U << vc) < design.channels) ++vc;
    for (const std::string side : {"in", "out"})
      for (const auto& [name, bits] : std::map<std::string, std::uint32_t>{{"_valid", p},
                                                                           {"_head", p},
                                                                           {"_tail", p},
                                                                           {"_vc", p * vc},
                                                                           {"_header", p * 64},
                                                                           {"_data", data},
                                                                           {"_credit", p},
                                                                           {"_credit_vc", p * vc}})
        add(side + name, bits);
    for (const auto& [name, bits] : std::map<std::string, std::uint32_t>{
             {"clk", 1}, {"rst_n", 1}, {"cfg_valid", 1}, {"cfg_flow", 16}, {"cfg_word", 8}, {"cfg_data", 32}})
      add(name, bits);
  } else {
    for (const std::string side : {"s_t", "m_t"})
      for (const auto& [name, bits] : std::map<std::string, std::uint32_t>{{"valid", p},
                                                                           {"ready", p},
                                                                           {"data", data},
                                                                           {"last", p},
                                                                           {"id", p * 16},
                                                                           {"dest", p * 8},
                                                                           {"user", p * 64}})
        add(side + name, bits);
    add("aclk", 1);
    add("aresetn", 1);
  }
}

RtlPin& SoftRtl::pin(const std::string& name) {
  const auto found = pins_.find(name);
  if (found == pins_.end()) throw std::invalid_argument("no pin " + name);
  return found->second;
}

std::uint64_t SoftRtl::see(const std::string& name, std::uint32_t first, std::uint32_t width) const {
  const std::vector<std::uint32_t>& words = pins_.at(name).inside;
  std::uint64_t value = 0;
  for (std::uint32_t bit = 0; bit < width; ++bit)
    if ((words.at((first + bit) / 32) >> (first + bit) % 32 & 1U) != 0) value |= std::uint64_t{1} << bit;
  return value;
}

void SoftRtl::show(const std::string& name, std::uint32_t first, std::uint32_t width, std::uint64_t value) {
  std::vector<std::uint32_t>& words = pins_.at(name).inside;
  for (std::uint32_t bit = 0; bit < width; ++bit) {
    std::uint32_t& word = words.at((first + bit) / 32);
    const std::uint32_t mask = 1U << (first + bit) % 32;
    word = (value >> bit & 1) != 0 ? word | mask : word & ~mask;
  }
}

void SoftRtl::clear(const std::string& name) {
  std::vector<std::uint32_t>& words = pins_.at(name).inside;
  std::fill(words.begin(), words.end(), 0);
}

std::optional<RtlFlit> SoftRtl::flit_in(std::uint32_t input) const {
  if (see("in_valid", input, 1) == 0) return {};
  const std::uint32_t vc = design_.channel_bits();
  RtlFlit flit;
  flit.head = see("in_head", input, 1) != 0;
  flit.tail = see("in_tail", input, 1) != 0;
  flit.channel = static_cast<std::uint32_t>(see("in_vc", input * vc, vc));
  flit.header = see("in_header", input * 64, 64);
  for (std::uint32_t word = 0; word < design_.flit_bits / 32; ++word)
    flit.data.push_back(
        static_cast<std::uint32_t>(see("in_data", input * design_.flit_bits + 32 * word, 32)));
  return flit;
}

void SoftRtl::flit_out(std::uint32_t output, const RtlFlit& flit) {
  const std::uint32_t vc = design_.channel_bits();
  show("out_valid", output, 1, 1);
  show("out_head", output, 1, flit.head);
  show("out_tail", output, 1, flit.tail);
  show("out_vc", output * vc, vc, flit.channel);
  show("out_header", output * 64, 64, flit.header);
  for (std::uint32_t word = 0; word < flit.data.size(); ++word)
    show("out_data", output * design_.flit_bits + 32 * word, 32, flit.data[word]);
}

void SoftRtl::evaluate() {
  const bool high = see(is_credit_stream() ? "clk" : "aclk", 0, 1) != 0;
  const bool works = see(is_credit_stream() ? "rst_n" : "aresetn", 0, 1) != 0;
  const bool rises = high && !was_high_, falls = !high && was_high_;
  was_high_ = high;
  if (rises && works) at_edge();
  if (rises && !works) {
    ++resets_;
    if (!is_wild_in_reset)
      for (const char* pin : {"out_valid", "in_credit", "m_tvalid"})
        if (pins_.count(pin) != 0) clear(pin);
  }
  combinational();
  if (falls && works) note_inputs();
}

void SoftRtl::note_inputs() {
  const bool credits = is_credit_stream();
  const std::uint32_t vc = design_.channel_bits();
  const std::string when = std::to_string(now_ps_) + " ";
  for (std::uint32_t port = 0; port < design_.ports; ++port) {
    if (see(credits ? "in_valid" : "s_tvalid", port, 1) == 0) continue;
    const RtlHeader header = RtlHeader::of(see(credits ? "in_header" : "s_tuser", port * 64, 64));
    std::ostringstream text;
    text << when << "in " << port << ":";
    if (credits && see("in_head", port, 1) != 0) text << " head";
    if (see(credits ? "in_tail" : "s_tlast", port, 1) != 0) text << " tail";
    if (credits) text << " vc " << see("in_vc", port * vc, vc);
    if (!credits) text << " id " << std::hex << see("s_tid", port * 16, 16) << std::dec;
    if (!credits) text << " to " << see("s_tdest", port * 8, 8);
    text << " " << std::hex << header.flow << std::dec << " #" << header.sequence << " " << header.bytes
         << " B," << std::hex;
    for (std::uint32_t word = 0; word < design_.flit_bits / 32; ++word)
      text << " " << see(credits ? "in_data" : "s_tdata", port * design_.flit_bits + 32 * word, 32);
    seen_.push_back(text.str());
  }
  if (!credits) return;
  for (std::uint32_t port = 0; port < design_.ports; ++port)
    if (see("out_credit", port, 1) != 0)
      seen_.push_back(say(when, "credit ", port, " vc ", see("out_credit_vc", port * vc, vc)));
  if (see("cfg_valid", 0, 1) != 0)
    seen_.push_back(say(when, "cfg ", see("cfg_flow", 0, 16), " [", see("cfg_word", 0, 8),
                        "] = ", see("cfg_data", 0, 32)));
}

DelayLine::DelayLine(const RtlDesign& design, SoftRtl& pins)
    : design_(design), pins_(pins), inside_(design.ports) {
  pins_.at_edge = [this] { edge(); };
}

void DelayLine::edge() {
  ++edge_;
  const std::uint32_t vc = design_.channel_bits();
  for (std::uint32_t port = 0; port < design_.ports; ++port) {
    std::optional<RtlFlit> flit = pins_.flit_in(port);
    if (!flit) continue;
    spoil(*flit);
    inside_[port].push_back({edge_ + design_.latency - 1, std::move(*flit)});
  }
  for (const char* pin : {"out_valid", "in_credit"}) pins_.clear(pin);
  for (std::uint32_t port = 0; port < design_.ports; ++port) {
    auto& waiting = inside_[port];
    if (waiting.empty() || waiting.front().due > edge_ || is_held(port)) continue;
    const RtlFlit flit = std::move(waiting.front().flit);
    waiting.erase(waiting.begin());
    pins_.show("in_credit", port, 1, 1);
    pins_.show("in_credit_vc", port * vc, vc, flit.channel);
    for (const std::uint32_t output : outputs_of(RtlHeader::of(flit.header), port))
      pins_.flit_out(output, flit);
  }
}

}  // namespace wafertlm::test
