// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/axi4/port.h"

#include <stdexcept>
#include <utility>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

void put_bits(RtlPin& pin, std::uint32_t bits, std::uint64_t value) {
  pin.set(0, bits, value);
  pin.push();
}

std::uint64_t get_bits(RtlPin& pin, std::uint32_t bits) {
  pin.pull();
  return pin.get(0, bits);
}

void put_data(RtlPin& pin, std::uint32_t bytes, const Axi4Data& data) {
  for (std::uint32_t byte = 0; byte < bytes; byte += 4) {
    std::uint32_t word = 0;
    for (std::uint32_t k = 0; k < 4; ++k) word |= std::uint32_t{data[byte + k]} << 8 * k;
    pin.words[byte / 4] = word;
  }
  pin.push();
}

void get_data(RtlPin& pin, std::uint32_t bytes, Axi4Data& data) {
  pin.pull();
  for (std::uint32_t byte = 0; byte < bytes; ++byte)
    data[byte] = static_cast<std::uint8_t>(pin.words[byte / 4] >> 8 * (byte % 4));
}

}  // namespace

Axi4Shape axi4_shape(const RtlDesign& design) {
  const Axi4Shape shape{design.flit_bytes(), design.parameter("A", 40), design.parameter("I", 4)};
  const bool fits = shape.data_bytes >= 4 && shape.data_bytes <= kAxi4MaxBytes &&
                    (shape.data_bytes & (shape.data_bytes - 1)) == 0;
  if (!fits || shape.address_bits > 64 || shape.id_bits > 32)
    throw std::invalid_argument(say("the RTL design '", design.name, "': an AXI4 port has W = 32 to ",
                                    8 * kAxi4MaxBytes,
                                    " bits of data, a power of two, at most A = 64 of "
                                    "addresses and I = 32 of IDs"));
  return shape;
}

Axi4Port::Axi4Port(RtlModel& model, const RtlDesign& design)
    : model_(model),
      shape_(axi4_shape(design)),
      is_slave_(design.protocol == RtlProtocol::axi4_slave),
      aw_(address("aw")),
      ar_(address("ar")),
      wdata_(pin("wdata", 8 * shape_.data_bytes)),
      wstrb_(pin("wstrb", shape_.data_bytes)),
      wlast_(pin("wlast", 1)),
      bid_(pin("bid", shape_.id_bits)),
      bresp_(pin("bresp", 2)),
      rid_(pin("rid", shape_.id_bits)),
      rdata_(pin("rdata", 8 * shape_.data_bytes)),
      rresp_(pin("rresp", 2)),
      rlast_(pin("rlast", 1)) {
  for (const char* channel : {"aw", "w", "b", "ar", "r"}) {
    valid_.push_back(&pin(say(channel, "valid"), 1));
    ready_.push_back(&pin(say(channel, "ready"), 1));
  }
}

RtlPin& Axi4Port::pin(const std::string& name, std::uint32_t bits) {
  RtlPin& found = model_.pin((is_slave_ ? "s_axi_" : "m_axi_") + name);
  if (found.bits < bits)
    throw std::invalid_argument(say("the pin ", found.name, " has ", found.bits,
                                    " bits, and the parameters W, A and I of the design ask for ", bits));
  return found;
}

Axi4Port::Address Axi4Port::address(const char* channel) {
  const auto of = [&](const char* name, std::uint32_t bits) -> RtlPin& {
    return pin(say(channel, name), bits);
  };
  return {of("id", shape_.id_bits),
          of("addr", shape_.address_bits),
          of("len", 8),
          of("size", 3),
          of("burst", 2),
          of("lock", 1)};
}

void Axi4Port::put(const Address& pins, const Axi4Burst& burst) {
  put_bits(pins.id, shape_.id_bits, burst.id);
  put_bits(pins.address, shape_.address_bits, burst.address);
  put_bits(pins.length, 8, burst.beats - 1);
  put_bits(pins.size, 3, burst.size_log2);
  put_bits(pins.burst, 2, static_cast<std::uint64_t>(burst.type));
  put_bits(pins.lock, 1, burst.lock ? 1 : 0);
}

Axi4Burst Axi4Port::get(const Address& pins) {
  Axi4Burst burst;
  burst.id = static_cast<std::uint32_t>(get_bits(pins.id, shape_.id_bits));
  burst.address = get_bits(pins.address, shape_.address_bits);
  burst.beats = static_cast<std::uint32_t>(get_bits(pins.length, 8)) + 1;
  burst.size_log2 = static_cast<std::uint32_t>(get_bits(pins.size, 3));
  burst.type = static_cast<Axi4BurstType>(get_bits(pins.burst, 2));
  burst.lock = get_bits(pins.lock, 1) != 0;
  return burst;
}

void Axi4Port::put_valid(Axi4Channel channel, const Axi4Handshake& handshake) {
  put_bits(*valid_[static_cast<std::size_t>(channel)], 1, handshake.valid ? 1 : 0);
}

void Axi4Port::put_ready(Axi4Channel channel, const Axi4Handshake& handshake) {
  put_bits(*ready_[static_cast<std::size_t>(channel)], 1, handshake.ready ? 1 : 0);
}

void Axi4Port::get_handshake(Axi4Channel channel, Axi4Handshake& handshake) {
  const auto at = static_cast<std::size_t>(channel);
  const bool design_sends = is_slave_ == (channel == Axi4Channel::b || channel == Axi4Channel::r);
  (design_sends ? handshake.valid : handshake.ready) =
      get_bits(*(design_sends ? valid_ : ready_)[at], 1) != 0;
}

void Axi4Port::drive(const Axi4Cycle& cycle) {
  if (is_slave_) {
    put_valid(Axi4Channel::aw, cycle.aw);
    put_valid(Axi4Channel::w, cycle.w);
    put_valid(Axi4Channel::ar, cycle.ar);
    put_ready(Axi4Channel::b, cycle.b);
    put_ready(Axi4Channel::r, cycle.r);
    if (cycle.aw.valid) put(aw_, cycle.aw.burst);
    if (cycle.ar.valid) put(ar_, cycle.ar.burst);
    if (!cycle.w.valid) return;
    put_data(wdata_, shape_.data_bytes, cycle.w.data);
    put_bits(wstrb_, shape_.data_bytes, cycle.w.strobes);
    put_bits(wlast_, 1, cycle.w.last ? 1 : 0);
    return;
  }
  put_ready(Axi4Channel::aw, cycle.aw);
  put_ready(Axi4Channel::w, cycle.w);
  put_ready(Axi4Channel::ar, cycle.ar);
  put_valid(Axi4Channel::b, cycle.b);
  put_valid(Axi4Channel::r, cycle.r);
  if (cycle.b.valid) {
    put_bits(bid_, shape_.id_bits, cycle.b.id);
    put_bits(bresp_, 2, static_cast<std::uint64_t>(cycle.b.response));
  }
  if (!cycle.r.valid) return;
  put_bits(rid_, shape_.id_bits, cycle.r.id);
  put_bits(rresp_, 2, static_cast<std::uint64_t>(cycle.r.response));
  put_bits(rlast_, 1, cycle.r.last ? 1 : 0);
  put_data(rdata_, shape_.data_bytes, cycle.r.data);
}

void Axi4Port::sample(Axi4Cycle& cycle) {
  get_handshake(Axi4Channel::aw, cycle.aw);
  get_handshake(Axi4Channel::w, cycle.w);
  get_handshake(Axi4Channel::b, cycle.b);
  get_handshake(Axi4Channel::ar, cycle.ar);
  get_handshake(Axi4Channel::r, cycle.r);
  if (is_slave_) {
    if (cycle.b.valid) {
      cycle.b.id = static_cast<std::uint32_t>(get_bits(bid_, shape_.id_bits));
      cycle.b.response = static_cast<Axi4Response>(get_bits(bresp_, 2));
    }
    if (!cycle.r.valid) return;
    cycle.r.id = static_cast<std::uint32_t>(get_bits(rid_, shape_.id_bits));
    cycle.r.response = static_cast<Axi4Response>(get_bits(rresp_, 2));
    cycle.r.last = get_bits(rlast_, 1) != 0;
    get_data(rdata_, shape_.data_bytes, cycle.r.data);
    return;
  }
  if (cycle.aw.valid) cycle.aw.burst = get(aw_);
  if (cycle.ar.valid) cycle.ar.burst = get(ar_);
  if (!cycle.w.valid) return;
  get_data(wdata_, shape_.data_bytes, cycle.w.data);
  cycle.w.strobes = get_bits(wstrb_, shape_.data_bytes);
  cycle.w.last = get_bits(wlast_, 1) != 0;
}

Axi4Bench::Side::Side(const RtlDesign& design, RtlModel& made)
    : model(made), port(made, design), clock_pin(made.pin("aclk")), reset_pin(made.pin("aresetn")) {}

void Axi4Bench::Side::clock(bool high) {
  put_bits(clock_pin, 1, high ? 1 : 0);
  model.evaluate();
}

Axi4Bench::Axi4Bench(const RtlDesign& design, RtlModel& model, Axi4Report report)
    : design_(design), side_(design, model), checker_(axi4_shape(design), std::move(report)) {}

void Axi4Bench::set_twin(RtlModel& twin) { twin_ = std::make_unique<Side>(design_, twin); }

const Axi4Cycle& Axi4Bench::step() {
  side_.clock(false);
  side_.port.sample(pins_);
  side_.model.dump_waves(checker_.cycles() * period_ps_, false);
  pins_.unknown = 0;
  if (twin_) {
    twin_->clock(false);
    Axi4Cycle other = pins_;
    twin_->port.sample(other);
    other.r.data = pins_.r.data;
    for (const Axi4Channel channel : kAxi4Channels) {
      const Axi4Handshake &a = pins_.handshake(channel), &b = other.handshake(channel);
      if (a.valid != b.valid || a.ready != b.ready || (a.valid && !same_payload(pins_, other, channel)))
        pins_.set_unknown(channel);
    }
  }
  checker_.cycle(pins_);
  return pins_;
}

void Axi4Bench::begin_reset(Side& side, bool is_held) {
  put_bits(side.reset_pin, 1, is_held ? 0 : 1);
  side.port.drive(pins_);
  side.clock(false);
}

/// Some cycles of anything.
void Axi4Bench::disturb(Side& side) {
  std::uint64_t state = 1;
  const auto draw = [&](std::uint64_t values) {
    return splitmix64::mix(state += splitmix64::kStep) % values;
  };
  begin_reset(side, false);
  for (int i = 0; i < 100; ++i) {
    side.clock(true);
    Axi4Cycle any;
    any.aw.valid = any.ar.valid = any.w.valid = any.b.valid = any.r.valid = true;
    any.aw.ready = any.ar.ready = any.w.ready = any.b.ready = any.r.ready = draw(2) != 0;
    any.aw.burst = any.ar.burst = {
        static_cast<std::uint32_t>(draw(16)), draw(1 << 20), 1, 2, Axi4BurstType::incr, false};
    any.w.last = any.r.last = true;
    side.port.drive(any);
    side.clock(false);
  }
}

void Axi4Bench::reset() {
  constexpr int kCycles = 4;
  pins_ = Axi4Cycle();
  if (twin_) {
    disturb(*twin_);
    begin_reset(*twin_, true);
  }
  begin_reset(side_, true);
  for (int i = 0; i < kCycles; ++i) {
    if (twin_) twin_->clock(true);
    side_.clock(true);
    // A synchronous reset takes effect with the first edges.
    pins_.in_reset = i >= 2;
    if (pins_.in_reset) {
      step();
      continue;
    }
    if (twin_) twin_->clock(false);
    side_.clock(false);
  }
  pins_ = Axi4Cycle();
  if (twin_) begin_reset(*twin_, false);
  begin_reset(side_, false);
}

const Axi4Cycle& Axi4Bench::cycle(Axi4Peer& peer) {
  side_.clock(true);
  if (twin_) twin_->clock(true);
  const std::uint64_t number = checker_.cycles();
  peer.drive(pins_, number);
  side_.port.drive(pins_);
  side_.model.dump_waves(number * period_ps_, true);
  if (twin_) twin_->port.drive(pins_);
  step();
  peer.look(pins_, number);
  return pins_;
}

}  // namespace wafertlm
