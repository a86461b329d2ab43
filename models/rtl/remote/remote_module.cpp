// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/remote/remote_module.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <systemc>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

std::uint32_t bits_of(const std::vector<RtlPinFacts>& pins, bool is_input) {
  std::uint32_t bits = 0;
  for (const RtlPinFacts& each : pins) bits += each.is_input == is_input ? each.width() : 0;
  return bits;
}

void copy(const RtlPin& from, std::uint32_t from_bit, RtlPin& to, std::uint32_t to_bit, std::uint32_t bits) {
  for (std::uint32_t done = 0; done < bits; done += 64) {
    const std::uint32_t width = std::min(64U, bits - done);
    to.set(to_bit + done, width, from.get(from_bit + done, width));
  }
}

}  // namespace

RtlRemoteModule::RtlRemoteModule(std::unique_ptr<RtlConnection> to, const RtlDesign& design,
                                 const std::vector<RtlPinFacts>& pins)
    : to_(std::move(to)),
      top_(design.top),
      inputs_("inputs", bits_of(pins, true)),
      outputs_("outputs", bits_of(pins, false)),
      unknown_("unknown", outputs_.bits),
      sent_(inputs_.words.size()) {
  std::uint32_t next[2] = {};
  for (const RtlPinFacts& each : pins) {
    std::uint32_t& first = next[each.is_input ? 1 : 0];
    places_.emplace(each.name, Place{each, first});
    first += each.width();
  }
  const std::vector<RtlPinFacts> known = rtl_pins(design);
  clock_ = &place(known[0].name);
  reset_ = &place(known[1].name);
}

const RtlRemoteModule::Place& RtlRemoteModule::place(const std::string& pin) const {
  const auto found = places_.find(pin);
  if (found == places_.end()) throw std::invalid_argument(top_ + " has no pin " + pin);
  return found->second;
}

void RtlRemoteModule::set(const Place& at, const RtlPin& from) {
  copy(from, 0, inputs_, at.first, from.bits);
}

void RtlRemoteModule::get(const Place& at, RtlPin& to) {
  ask();
  copy(at.facts.is_input ? inputs_ : outputs_, at.first, to, 0, to.bits);
}

void RtlRemoteModule::evaluate() {
  // A module without a wafer around it has no time.
  const TimePs now_ps = sc_core::sc_time_stamp().value();
  const TimePs passed_ps = std::min<TimePs>(now_ps - told_ps_, std::numeric_limits<std::int32_t>::max());
  told_ps_ += passed_ps;
  steps_.push_back(static_cast<std::uint32_t>(passed_ps));
  const std::size_t count = steps_.size();
  steps_.push_back(0);
  for (std::uint32_t word = 0; word < sent_.size(); ++word) {
    if (sent_[word] == inputs_.words[word]) continue;
    sent_[word] = inputs_.words[word];
    steps_.insert(steps_.end(), {word, sent_[word]});
    ++steps_[count];
  }
}

void RtlRemoteModule::ask() {
  if (steps_.empty()) return;
  try {
    to_->send(steps_.data(), steps_.size() * sizeof steps_[0]);
    steps_.clear();
    const std::size_t most = outputs_.words.size() * 3 * sizeof(std::uint32_t);
    // A word may change in every step.
    read_answer(to_->receive(most * 1024));
  } catch (const RtlRemoteEnded& error) {
    throw RtlRemoteEnded(say(error.what(), ", in the cycle at ", edge_ps_, " ps"));
  }
  if (inputs_.get(clock_->first, 1) == 0 && inputs_.get(reset_->first, 1) == 1) require_known();
}

void RtlRemoteModule::read_answer(const std::string& answer) {
  struct Change {
    std::uint32_t word, value, unknown;
  };
  for (std::size_t at = 0; at + sizeof(Change) <= answer.size(); at += sizeof(Change)) {
    Change change;
    std::memcpy(&change, answer.data() + at, sizeof change);
    if (change.word >= outputs_.words.size())
      throw RtlRemoteEnded(say("what is at ", to_->path(), " tells a word ", change.word, " of ",
                               outputs_.words.size(), ": is it of wafertlm_rtl.h?"));
    outputs_.words[change.word] = change.value;
    unknown_.words[change.word] = change.unknown;
  }
}

bool RtlRemoteModule::is_known(const Place& at, std::uint32_t port) const {
  for (std::uint32_t done = 0; done < at.facts.bits; done += 64)
    if (unknown_.get(at.first + port * at.facts.bits + done, std::min(64U, at.facts.bits - done)) != 0)
      return false;
  return true;
}

bool RtlRemoteModule::is_shown(const Place& at, std::uint32_t port) const {
  return std::all_of(at.facts.with.begin(), at.facts.with.end(),
                     [&](const std::string& each) { return outputs_.get(place(each).first + port, 1) == 1; });
}

void RtlRemoteModule::require_known() const {
  const auto is_zero = [](std::uint32_t word) { return word == 0; };
  if (std::all_of(unknown_.words.begin(), unknown_.words.end(), is_zero)) return;
  for (const auto& [name, each] : places_)
    for (std::uint32_t port = 0; !each.facts.is_input && port < each.facts.ports; ++port)
      if (!is_known(each, port) && is_shown(each, port))
        throw std::runtime_error(say(top_, ": ", name, " of port ", port,
                                     " is unknown (X or Z) in the cycle at ", edge_ps_, " ps"));
}

}  // namespace wafertlm
