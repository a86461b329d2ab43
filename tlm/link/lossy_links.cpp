// SPDX-License-Identifier: Apache-2.0
#include "tlm/link/lossy_links.h"

namespace wafertlm {

struct LossyLinks::Link final : FabricForwardIf {
  Link(const BitErrors& rate, std::uint64_t number) : errors(rate, number) {}
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

LossyLinks::LossyLinks(const BitErrors& errors, std::uint64_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) links_.push_back(std::make_unique<Link>(errors, first + i));
}

LossyLinks::~LossyLinks() = default;

FabricForwardIf& LossyLinks::before(std::size_t link, FabricForwardIf& next) {
  links_[link]->next = &next;
  return *links_[link];
}

std::uint64_t LossyLinks::spoiled() const {
  std::uint64_t packets = 0;
  for (const auto& link : links_) packets += link->errors.spoiled();
  return packets;
}

}  // namespace wafertlm
