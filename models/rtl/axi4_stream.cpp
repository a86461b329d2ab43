// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "models/rtl/stream.h"

namespace wafertlm {
namespace {

class Axi4Stream final : public RtlStream {
 public:
  Axi4Stream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host)
      : RtlStream(design, model, host, "aclk", "aresetn"),
        s_(pins("s")),
        m_(pins("m")),
        busy_(design.ports),
        within_(design.ports),
        stream_(design.ports),
        waiting_(design.ports) {}

  std::uint32_t room(std::uint32_t input, std::uint32_t) const override { return busy_[input] ? 0 : 1; }
  void give(std::uint32_t input, RtlFlit flit) override {
    busy_[input] = true;
    s_.valid.set(input, 1, 1);
    s_.last.set(input, 1, flit.tail);
    s_.id.set(input * 16, 16, RtlHeader::of(flit.header).flow);
    s_.dest.set(input * 8, 8, flit.output);
    s_.user.set(input * 64, 64, flit.header);
    put_data(s_.data, input, flit);
    changed_ = true;
  }
  void reset() override {
    reset_with({&s_.valid, &s_.data, &s_.last, &s_.id, &s_.dest, &s_.user, &m_.ready},
               {{&m_.valid, RtlSide::output}});
    std::fill(busy_.begin(), busy_.end(), false);
    std::fill(within_.begin(), within_.end(), false);
    std::fill(waiting_.begin(), waiting_.end(), std::nullopt);
  }

  void cycle(TimePs now) override {
    rise();
    if (changed_)
      for (RtlPin* each : {&s_.valid, &s_.data, &s_.last, &s_.id, &s_.dest, &s_.user}) each->push();
    changed_ = false;
    settle(now);
    active_ = false;
    const std::uint64_t leaving = offer();
    // Ready may depend on ready, all the way through the module.
    s_.ready.pull();
    const std::uint64_t taken = s_.valid.get(0, design_.ports) & s_.ready.get(0, design_.ports);
    active_ = active_ || taken != 0;
    for (std::uint32_t port = 0; port < design_.ports; ++port) {
      if ((leaving >> port & 1) != 0) {
        const RtlFlit flit = *waiting_[port];
        waiting_[port].reset();
        within_[port] = !flit.tail;
        host_.came_out(port, flit);
      }
      if ((taken >> port & 1) == 0) continue;
      s_.valid.set(port, 1, 0);
      busy_[port] = false;
      changed_ = true;
      host_.went_in(port);
    }
    end(now);
  }

 private:
  /// One direction: P ports side by side.
  struct Pins {
    RtlPin &valid, &ready, &data, &last, &id, &dest, &user;
  };
  Pins pins(const std::string& prefix) {
    return {pin(prefix + "_tvalid", design_.ports),
            pin(prefix + "_tready", design_.ports),
            pin(prefix + "_tdata", design_.ports * design_.flit_bits),
            pin(prefix + "_tlast", design_.ports),
            pin(prefix + "_tid", design_.ports * 16),
            pin(prefix + "_tdest", design_.ports * 8),
            pin(prefix + "_tuser", design_.ports * 64)};
  }

  /// Looks at the outputs and answers with ready. Returns which flits leave.
  std::uint64_t offer() {
    m_.valid.pull();
    const std::uint64_t valid = m_.valid.get(0, design_.ports);
    std::uint64_t ready = 0;
    if (valid != 0)
      for (RtlPin* each : {&m_.data, &m_.last, &m_.id, &m_.dest, &m_.user}) each->pull();
    for (std::uint32_t port = 0; port < design_.ports; ++port) {
      if ((valid >> port & 1) == 0) {
        if (waiting_[port])
          host_.broken(RtlSide::output, port, RtlRule::valid_stays, "m_tvalid fell without m_tready",
                       &*waiting_[port]);
        waiting_[port].reset();
        continue;
      }
      RtlFlit flit;
      flit.head = !within_[port];
      flit.tail = m_.last.get(port, 1) != 0;
      flit.header = m_.user.get(port * 64, 64);
      flit.output = static_cast<std::uint32_t>(m_.dest.get(port * 8, 8));
      flit.stream = static_cast<std::uint32_t>(m_.id.get(port * 16, 16));
      if (flit.head) stream_[port] = RtlHeader::of(flit.header).flow;
      take_data(m_.data, port, flit);
      if (waiting_[port] && (waiting_[port]->data != flit.data || waiting_[port]->header != flit.header ||
                             waiting_[port]->tail != flit.tail || waiting_[port]->output != flit.output ||
                             waiting_[port]->stream != flit.stream))
        host_.broken(RtlSide::output, port, RtlRule::payload_stays,
                     "tdata, tuser, tlast, tid or tdest changed without m_tready", &*waiting_[port]);
      if (!waiting_[port] && flit.output != port)
        host_.broken(RtlSide::output, port, RtlRule::right_output,
                     "a flit with tdest " + std::to_string(flit.output), &flit);
      if (!waiting_[port] && flit.stream != stream_[port])
        host_.broken(RtlSide::output, port, RtlRule::right_stream,
                     "a flit with tid " + std::to_string(flit.stream), &flit);
      active_ = active_ || !waiting_[port];
      if (host_.may_leave(port, flit)) ready |= std::uint64_t{1} << port;
      waiting_[port] = std::move(flit);
    }
    if (ready != m_.ready.get(0, design_.ports)) {
      m_.ready.set(0, design_.ports, ready);
      m_.ready.push();
      model_.evaluate();
    }
    active_ = active_ || ready != 0;
    return ready;
  }

  Pins s_, m_;
  std::vector<bool> busy_;             // inputs: a flit waits for ready
  std::vector<bool> within_;           // outputs: a packet has begun
  std::vector<std::uint32_t> stream_;  // … with this flow
  std::vector<std::optional<RtlFlit>> waiting_;
  bool changed_ = false;
};

}  // namespace

std::unique_ptr<RtlStream> make_axi4_stream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host) {
  return std::make_unique<Axi4Stream>(design, model, host);
}

}  // namespace wafertlm
