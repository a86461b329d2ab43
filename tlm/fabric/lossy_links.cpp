// SPDX-License-Identifier: Apache-2.0
#include "tlm/fabric/lossy_links.h"

#include <deque>

namespace wafertlm {
namespace {

struct LossyLink final : FabricForwardIf {
  LossyLink(const BitErrors& rate, std::uint64_t number) : errors(rate, number) {}
  ::tlm::tlm_sync_enum nb_transport_fw(Packet& packet, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
    errors.cross(packet);
    return next->nb_transport_fw(packet, phase, delay);
  }
  const Scheduler* time_source() const override { return next->time_source(); }
  void prefetch() const override { next->prefetch(); }
  void prefetch(const Packet& packet) const override { next->prefetch(packet); }
  LinkErrors errors;
  FabricForwardIf* next = nullptr;
};

class Links final : public LossyLinks {
 public:
  Links(const BitErrors& errors, std::uint64_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) links_.emplace_back(errors, first + i);
  }
  FabricForwardIf& before(std::size_t link, FabricForwardIf& next) override {
    links_[link].next = &next;
    return links_[link];
  }
  std::uint64_t spoiled() const override {
    std::uint64_t packets = 0;
    for (const LossyLink& link : links_) packets += link.errors.spoiled();
    return packets;
  }

 private:
  std::deque<LossyLink> links_;
};

}  // namespace

std::shared_ptr<LossyLinks> LossyLinks::make(const BitErrors& errors, std::uint64_t first,
                                             std::size_t count) {
  return std::make_shared<Links>(errors, first, count);
}

}  // namespace wafertlm
