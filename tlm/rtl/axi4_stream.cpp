// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "tlm/rtl/stream.h"

namespace wafertlm {
namespace {

/// One direction: P ports side by side.
struct Pins {
  Pins(RtlPinDriver& driver, const RtlDesign& design, const std::string& prefix)
      : valid(driver.pin((prefix + "_tvalid").c_str(), design.ports)),
        ready(driver.pin((prefix + "_tready").c_str(), design.ports)),
        data(driver.pin((prefix + "_tdata").c_str(), design.ports * design.flit_bits)),
        last(driver.pin((prefix + "_tlast").c_str(), design.ports)),
        id(driver.pin((prefix + "_tid").c_str(), design.ports * 16)),
        dest(driver.pin((prefix + "_tdest").c_str(), design.ports * 8)),
        user(driver.pin((prefix + "_tuser").c_str(), design.ports * 64)) {}
  RtlPin &valid, &ready, &data, &last, &id, &dest, &user;
};

class Axi4Stream final : public RtlStream {
 public:
  Axi4Stream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host)
      : design_(design),
        host_(host),
        driver_(model, "aclk", "aresetn"),
        s_(driver_, design, "s"),
        m_(driver_, design, "m"),
        busy_(design.ports),
        within_(design.ports),
        waiting_(design.ports) {}

  bool takes(std::uint32_t input, std::uint32_t) const override { return !busy_[input]; }
  void give(std::uint32_t input, RtlFlit flit) override {
    busy_[input] = true;
    s_.valid.set(input, 1, 1);
    s_.last.set(input, 1, flit.tail);
    s_.id.set(input * 16, 16, RtlHeader::of(flit.header).flow);
    s_.dest.set(input * 8, 8, flit.output);
    s_.user.set(input * 64, 64, flit.header);
    std::copy(flit.data.begin(), flit.data.end(), s_.data.words.begin() + std::ptrdiff_t{input} * words());
    changed_ = true;
  }
  void reset(TimePs now) override {
    driver_.reset({&s_.valid, &s_.data, &s_.last, &s_.id, &s_.dest, &s_.user, &m_.ready}, now);
    std::fill(busy_.begin(), busy_.end(), false);
    std::fill(within_.begin(), within_.end(), false);
    std::fill(waiting_.begin(), waiting_.end(), std::nullopt);
  }

  void cycle(TimePs now) override {
    driver_.rise(now);
    if (changed_)
      for (RtlPin* each : {&s_.valid, &s_.data, &s_.last, &s_.id, &s_.dest, &s_.user}) each->push();
    changed_ = false;
    driver_.settle();
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
  }
  bool was_active() const override { return active_; }
  RtlModel& model() override { return driver_.model(); }

 private:
  std::uint32_t words() const { return design_.flit_bits / 32; }

  /// Looks at the outputs and answers with ready. Returns which flits leave.
  std::uint64_t offer() {
    m_.valid.pull();
    const std::uint64_t valid = m_.valid.get(0, design_.ports);
    std::uint64_t ready = 0;
    if (valid != 0)
      for (RtlPin* each : {&m_.data, &m_.last, &m_.id, &m_.dest, &m_.user}) each->pull();
    for (std::uint32_t port = 0; port < design_.ports; ++port) {
      if ((valid >> port & 1) == 0) {
        if (waiting_[port]) host_.broken(port, RtlRule::valid_stays, "m_tvalid fell without m_tready");
        waiting_[port].reset();
        continue;
      }
      RtlFlit flit;
      flit.head = !within_[port];
      flit.tail = m_.last.get(port, 1) != 0;
      flit.header = m_.user.get(port * 64, 64);
      flit.output = static_cast<std::uint32_t>(m_.dest.get(port * 8, 8));
      const auto first = m_.data.words.begin() + std::ptrdiff_t{port} * words();
      flit.data.assign(first, first + words());
      if (waiting_[port] && (waiting_[port]->data != flit.data || waiting_[port]->header != flit.header ||
                             waiting_[port]->tail != flit.tail))
        host_.broken(port, RtlRule::payload_stays, "tdata, tuser or tlast changed without m_tready");
      if (!waiting_[port] && flit.output != port)
        host_.broken(port, RtlRule::right_output, "a flit with tdest " + std::to_string(flit.output));
      active_ = active_ || !waiting_[port];
      if (host_.may_leave(port, flit)) ready |= std::uint64_t{1} << port;
      waiting_[port] = std::move(flit);
    }
    if (ready != m_.ready.get(0, design_.ports)) {
      m_.ready.set(0, design_.ports, ready);
      m_.ready.push();
      model().evaluate();
    }
    active_ = active_ || ready != 0;
    return ready;
  }

  const RtlDesign& design_;
  RtlStreamHost& host_;
  RtlPinDriver driver_;
  Pins s_, m_;
  std::vector<bool> busy_;    // inputs: a flit waits for ready
  std::vector<bool> within_;  // outputs: a packet has begun
  std::vector<std::optional<RtlFlit>> waiting_;
  bool changed_ = false, active_ = false;
};

}  // namespace

std::unique_ptr<RtlStream> make_axi4_stream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host) {
  return std::make_unique<Axi4Stream>(design, model, host);
}

}  // namespace wafertlm
