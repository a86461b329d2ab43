// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/scheduled/transfers.h"

#include <algorithm>

#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/fabric_loads.h"

namespace wafertlm {
namespace {

/// The list, by link.
struct LinkOrders {
  explicit LinkOrders(std::shared_ptr<const TransferList> of)
      : list(std::move(of)), by_link(list->links.links.size()), position(list->transfers.size()) {
    for (std::uint32_t number = 0; number < list->transfers.size(); ++number) {
      auto& order = by_link[list->transfers[number].link];
      position[number] = static_cast<std::uint32_t>(order.size());
      order.push_back(number);
    }
    place_in.resize(by_link.size());
    for (const auto& links : list->links.in)
      for (std::uint32_t place = 0; place < links.size(); ++place) place_in[links[place]] = place;
  }

  std::shared_ptr<const TransferList> list;
  std::vector<std::vector<std::uint32_t>> by_link;  ///< transfers in order
  std::vector<std::uint32_t> position;              ///< by transfer, in its link's order
  std::vector<std::uint32_t> place_in;              ///< by link: which one of the links into its rank
};

/// First the rank's links out, then those in.
class TransferProgram final : public StepSource {
 public:
  TransferProgram(std::shared_ptr<const LinkOrders> orders, std::uint32_t rank)
      : orders_(std::move(orders)), rank_(rank) {}

  std::uint32_t threadblocks() const override {
    return static_cast<std::uint32_t>(out().size() + orders_->list->links.in[rank_].size());
  }
  std::uint32_t steps(std::uint32_t threadblock) const override {
    return static_cast<std::uint32_t>(orders_->by_link[link_of(threadblock)].size());
  }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  const std::vector<std::uint32_t>& out() const { return orders_->list->links.out[rank_]; }
  std::uint32_t link_of(std::uint32_t threadblock) const {
    return threadblock < out().size() ? out()[threadblock]
                                      : orders_->list->links.in[rank_][threadblock - out().size()];
  }

  std::shared_ptr<const LinkOrders> orders_;
  std::uint32_t rank_;
};

Step TransferProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const std::uint32_t link = link_of(threadblock), number = orders_->by_link[link][index];
  const Transfer& transfer = orders_->list->transfers[number];
  const RankLinks::Link& ends = orders_->list->links.links[link];
  const bool sends = threadblock < out().size();
  Step step;
  step.kind = sends ? Step::Kind::send : transfer.reduces ? Step::Kind::reduce : Step::Kind::copy;
  step.peer = sends ? ends.to : ends.from;
  step.offset = sends ? transfer.from_offset : transfer.to_offset;
  step.bytes = transfer.bytes;
  step.tag = number;
  if (const std::uint32_t before = sends ? transfer.sends_after : transfer.received_after;
      before != Transfer::kNone) {
    const std::uint32_t link_before = orders_->list->transfers[before].link;
    step.after_threadblock = static_cast<std::uint32_t>(out().size()) + orders_->place_in[link_before];
    step.after_count = orders_->position[before] + 1;
  }
  return step;
}

}  // namespace

TimePs transfers_ps(const TransferList& list, const FabricTraits& fabric) {
  std::vector<TimePs> free(list.links.links.size(), 0), arrived(list.transfers.size());
  const LimitingPorts ports = limiting_ports(list.links.links, list.links.ports_out, list.links.ports_in);
  std::vector<SharedPort> out(list.links.ranks), in(list.links.ranks);
  TimePs end = 0;
  for (std::size_t number = 0; number < list.transfers.size(); ++number) {
    const Transfer& transfer = list.transfers[number];
    const RankLinks::Link& link = list.links.links[transfer.link];
    const TimePs out_ps = port_ps(fabric, transfer.bytes, ports.out[link.from]),
                 in_ps = port_ps(fabric, transfer.bytes, ports.in[link.to]);
    TimePs start = free[transfer.link];
    if (transfer.sends_after != Transfer::kNone) start = std::max(start, arrived[transfer.sends_after]);
    const TimePs slot = slot_ps(fabric, link, transfer.bytes, transfer.reduces),
                 end_of_slot = std::max(out[link.from].carry(start, slot, out_ps),
                                        in[link.to].carry(start, slot, in_ps));
    free[transfer.link] = end_of_slot;
    arrived[number] = end_of_slot - slot + hop_ps(fabric, link, transfer.bytes, transfer.reduces);
    if (transfer.received_after != Transfer::kNone)
      arrived[number] = std::max(arrived[number], arrived[transfer.received_after]);
    end = std::max(end, arrived[number]);
  }
  return end;
}

TimePs busiest_memory_ps(const TransferList& list, const FabricTraits& fabric) {
  struct Moved {
    std::uint64_t sent = 0, received = 0, reduced = 0;
  };
  std::vector<Moved> moved(list.links.ranks);
  for (const Transfer& transfer : list.transfers) {
    moved[list.links.links[transfer.link].from].sent += transfer.bytes;
    Moved& receiver = moved[list.links.links[transfer.link].to];
    receiver.received += transfer.bytes;
    receiver.reduced += transfer.reduces ? transfer.bytes : 0;
  }
  TimePs busiest = 0;
  for (const Moved& rank : moved)
    busiest = std::max(busiest, fabric.memory.busy_ps(rank.sent + 2 * rank.reduced, rank.received));
  return busiest;
}

Algorithm::Programs transfer_programs(std::shared_ptr<const TransferList> list) {
  const std::uint32_t ranks = list->links.ranks;
  const auto orders = std::make_shared<const LinkOrders>(std::move(list));
  Algorithm::Programs programs;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    programs.push_back(std::make_unique<TransferProgram>(orders, rank));
  return programs;
}

}  // namespace wafertlm
