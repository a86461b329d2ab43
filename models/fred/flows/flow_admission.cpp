// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/flow_admission.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

#include "tlm/checking.h"

namespace wafertlm {

struct FlowAdmission::Request {
  FlowKey key;
  ClassId traffic_class{};
  DataType data_type{};
  std::uint64_t bytes = 0;
  NpuId first_npu{};
  std::vector<NpuId> contributors, receivers;
  struct Party {
    NpuId npu;
    FlowParty* party;
    std::uint64_t token;
  };
  std::vector<Party> entered;
  TimePs ready_ps = 0;
  std::vector<FlowTree::Place> legs;
  std::vector<Use> uses;
  // Once it is admitted.
  const Flow* flow = nullptr;
  std::size_t legs_left = 0;  // of a reliable flow: contributors that do not know yet that all has arrived
  TimePs done_ps = 0;
  bool closed = false;

  auto order(const ClassTable& classes) const {
    return std::make_tuple(~classes[traffic_class].priority, first_npu, key);
  }
};

FlowAdmission::FlowAdmission(const FlowAdmissionParams& params, const ClassTable& classes,
                             FlowAdmissionHost& host)
    : params_(params), classes_(classes), host_(host) {}

FlowAdmission::~FlowAdmission() = default;

std::size_t FlowAdmission::link_of(std::size_t at, PortId output) const {
  return first_link_[at] + index_of(output);
}

std::size_t FlowAdmission::link_into(NpuId endpoint) const { return first_link_.back() + index_of(endpoint); }

/// The way of a flow and what it needs there.
void FlowAdmission::prepare(Request& request, const FlowEntry& entry) {
  if (links_.empty()) {
    const auto add = [&](const OutputParams& link) {
      links_.push_back({link.flow_buffer_bytes, std::vector<std::uint64_t>(classes_.virtual_channels())});
    };
    for (const auto& outputs : fabric_.outputs) {
      first_link_.push_back(links_.size());
      for (const OutputParams& link : outputs) add(link);
    }
    first_link_.push_back(links_.size());
    for (const OutputParams& link : fabric_.injection) add(link);
  }
  const FlowMembers members = entry.program->flow(entry.key.number);
  const auto npus = [&](const std::vector<std::uint32_t>& ranks) {
    std::vector<NpuId> list;
    for (const std::uint32_t rank : ranks) list.push_back(entry.group->at(rank));
    return list;
  };
  request.key = entry.key;
  request.traffic_class = entry.traffic_class;
  request.data_type = entry.data_type;
  request.bytes = entry.bytes;
  request.first_npu = *std::min_element(entry.group->begin(), entry.group->end());
  request.contributors = npus(members.contributors);
  request.receivers = npus(members.receivers);
  request.legs = fabric_.tree.legs(request.contributors, request.receivers);
  const auto use = [&](std::size_t link, const OutputParams& params) {
    const std::uint64_t room = fabric_.room_bytes(params);
    if (room > params.flow_buffer_bytes)
      throw std::invalid_argument(say("an in-network flow reserves ", room, " B in a buffer of ",
                                      params.flow_buffer_bytes,
                                      " B: give the flows of the fabric more room"));
    request.uses.push_back({link, room});
  };
  for (const FlowTree::Place& place : request.legs)
    for (const PortId output : place.leg.outputs)
      use(link_of(place.at, output), fabric_.outputs[place.at][index_of(output)]);
  for (const NpuId npu : request.contributors) use(link_into(npu), fabric_.injection[index_of(npu)]);
}

void FlowAdmission::enter(const FlowEntry& entry, TimePs now) {
  Request& request = request_of(entry);
  if (entry.bytes != request.bytes || entry.traffic_class != request.traffic_class)
    throw std::logic_error(say("contributors to ", name(request), " disagree on its size or class"));
  request.entered.push_back({entry.npu, entry.party, entry.token});
  std::sort(request.entered.begin(), request.entered.end(),
            [](const Request::Party& a, const Request::Party& b) { return a.npu < b.npu; });
  if (params_.reservation && request.entered.size() == request.contributors.size()) {
    request.ready_ps = now;
    const auto found = gathering_.find(entry.key);
    ready_.push_back(std::move(found->second));
    gathering_.erase(found);
  }
  host_.request_admission_wake(now);
}

FlowAdmission::Request& FlowAdmission::request_of(const FlowEntry& entry) {
  if (!params_.reservation)
    for (const auto& active : active_)
      if (active->key == entry.key) return *active;
  auto& slot = gathering_[entry.key];
  if (slot) return *slot;
  slot = std::make_unique<Request>();
  prepare(*slot, entry);
  Request& request = *slot;
  if (!params_.reservation) {  // whoever is there sends
    active_.push_back(std::move(slot));
    gathering_.erase(entry.key);
  }
  return request;
}

bool FlowAdmission::fits(const Request& request) const {
  const std::size_t channel = index_of(classes_.flow_vc(request.traffic_class));
  return std::all_of(request.uses.begin(), request.uses.end(), [&](const Use& use) {
    const Link& link = links_[use.link];
    return link.used_bytes[channel] + use.bytes <= link.capacity_bytes;
  });
}

/// Whether every switch can carry it beside the active flows; then its orders of addition are set.
bool FlowAdmission::routes(Request& request) {
  if (!fabric_.routing) return true;
  std::set<std::size_t> switches;
  for (const FlowTree::Place& place : request.legs) switches.insert(place.at);
  for (const std::size_t at : switches) {
    std::vector<FlowLeg> others;
    for (const auto& active : active_)
      for (const FlowTree::Place& place : active->legs)
        if (place.at == at) others.push_back(place.leg);
    std::vector<FlowLeg*> legs;
    for (FlowLeg& leg : others) legs.push_back(&leg);
    for (FlowTree::Place& place : request.legs)
      if (place.at == at) legs.push_back(&place.leg);
    if (!fabric_.routing(at, legs)) return false;
  }
  return true;
}

void FlowAdmission::admit(Request& request, TimePs now) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  Flow& flow = flows_[slot];
  flow = {request.key,
          request.traffic_class,
          request.data_type,
          request.bytes,
          params_.format.packets(request.bytes),
          slot};
  flow.answers = params_.answers ? &*params_.answers : nullptr;
  flow.open = true;
  request.flow = &flow;
  request.legs_left = flow.answers ? request.contributors.size() : request.legs.size();
  const std::size_t channel = index_of(classes_.flow_vc(request.traffic_class));
  const auto room = [&](const OutputParams& link) -> std::uint64_t {
    return params_.reservation ? fabric_.room_bytes(link) : 0;
  };
  if (params_.reservation)
    for (const Use& use : request.uses) links_[use.link].used_bytes[channel] += use.bytes;
  for (const FlowTree::Place& place : request.legs) {
    std::vector<std::uint64_t> rooms;
    for (const PortId output : place.leg.outputs)
      rooms.push_back(room(fabric_.outputs[place.at][index_of(output)]));
    fabric_.units[place.at]->open(flow, place.leg, rooms);
  }
  waited_ps_ += params_.reservation ? now - request.ready_ps : 0;
  ++admitted_;
}

FlowAdmission::Request& FlowAdmission::active_request(const Flow& flow) const {
  return **std::find_if(active_.begin(), active_.end(),
                        [&](const auto& request) { return request->flow == &flow; });
}

void FlowAdmission::leg_done(const Flow& flow, TimePs at) {
  Request& request = active_request(flow);
  request.done_ps = std::max(request.done_ps, at);
  if (!flow.answers) --request.legs_left;
  if (request.legs_left == 0 && flow.in_flight == 0) host_.request_admission_wake(request.done_ps);
}

void FlowAdmission::contributed(const Flow& flow, TimePs at) {
  Request& request = active_request(flow);
  request.done_ps = std::max({request.done_ps, at, flow.rest_ps});
  if (--request.legs_left == 0 && flow.in_flight == 0) host_.request_admission_wake(request.done_ps);
}

void FlowAdmission::close_due(TimePs now) {
  for (const auto& request : active_) {
    if (!request->flow || request->legs_left != 0 || request->done_ps > now) continue;
    if (request->flow->in_flight != 0) continue;
    for (FlowUnit* const unit : fabric_.units) unit->close(*request->flow);
    const std::size_t channel = index_of(classes_.flow_vc(request->traffic_class));
    if (params_.reservation)
      for (const Use& use : request->uses) links_[use.link].used_bytes[channel] -= use.bytes;
    free_slots_.push_back(request->flow->slot);
    flows_[request->flow->slot].open = false;
    request->closed = true;
  }
  active_.erase(std::remove_if(active_.begin(), active_.end(), [](const auto& of) { return of->closed; }),
                active_.end());
}

void FlowAdmission::wake(TimePs now) {
  close_due(now);
  if (!params_.reservation) {
    for (const auto& request : active_) {
      if (!request->flow) admit(*request, now);
      for (const Request::Party& party : request->entered)
        party.party->flow_granted(*request->flow, 0, party.token, now);
      request->entered.clear();
    }
    return;
  }
  std::stable_sort(ready_.begin(), ready_.end(),
                   [&](const auto& a, const auto& b) { return a->order(classes_) < b->order(classes_); });
  std::set<std::pair<std::size_t, std::size_t>> kept;  // (link, channel) that an earlier one waits for
  for (auto& request : ready_) {
    const std::size_t channel = index_of(classes_.flow_vc(request->traffic_class));
    const bool waits = std::any_of(request->uses.begin(), request->uses.end(), [&](const Use& use) {
      return kept.count({use.link, channel}) != 0;
    });
    if (waits || !fits(*request) || !routes(*request)) {
      if (params_.conflict == FlowConflict::refuse)
        throw std::runtime_error(name(*request) +
                                 " conflicts with flows that are active (in_network.conflict)");
      for (const Use& use : request->uses) kept.emplace(use.link, channel);
      continue;
    }
    Request& admitted = *request;
    admit(admitted, now);
    active_.push_back(std::move(request));
    for (const Request::Party& party : admitted.entered)
      party.party->flow_granted(*admitted.flow, fabric_.room_bytes(fabric_.injection[index_of(party.npu)]),
                                party.token, now);
  }
  ready_.erase(std::remove(ready_.begin(), ready_.end(), nullptr), ready_.end());
  most_active_ = std::max(most_active_, active_.size());
}

std::string FlowAdmission::name(const Request& request) const {
  return say("in-network flow ", request.key.number, " of collective ", request.key.operation, " (class ",
             classes_[request.traffic_class].name, ", ", request.contributors.size(), " to ",
             request.receivers.size(), " NPUs)");
}

/// A flow waits for another one if a packet of it has not come to an input whose buffer the other one's
/// packets fill. Follows these until one comes again.
std::vector<std::string> FlowAdmission::cycle() const {
  std::map<FlowKey, std::map<FlowKey, std::string>> waits_for;
  for (const auto& request : active_)
    for (std::size_t at = 0; request->flow && at < fabric_.units.size(); ++at)
      for (const PortId input : fabric_.units[at]->missing_inputs(*request->flow))
        for (const FlowKey& other : fabric_.units[at]->flows_at(input))
          if (!(other == request->key))
            waits_for[request->key].emplace(other, say("input ", index_of(input), " of switch ", at));
  for (const auto& start : waits_for) {
    std::vector<FlowKey> way{start.first};
    while (true) {
      const auto next = waits_for.find(way.back());
      if (next == waits_for.end()) break;
      const FlowKey to = next->second.begin()->first;
      const auto again = std::find(way.begin(), way.end(), to);
      if (again == way.end()) {
        way.push_back(to);
        continue;
      }
      std::string text = "cycle of waiting:";
      for (auto flow = again; flow != way.end(); ++flow) {
        const FlowKey& holder = flow + 1 == way.end() ? *again : flow[1];
        text += say(flow == again ? " flow " : "; flow ", flow->number, " of collective ", flow->operation,
                    " waits for room at ", waits_for[*flow].at(holder), ", which flow ", holder.number,
                    " of collective ", holder.operation, " fills");
      }
      return {text};
    }
  }
  return {};
}

std::vector<std::string> FlowAdmission::pending() const {
  std::vector<std::string> lines = cycle();
  for (const auto& [key, request] : gathering_) {
    std::string text = name(*request) + " waits for";
    for (const NpuId npu : request->contributors)
      if (std::none_of(request->entered.begin(), request->entered.end(),
                       [&](const Request::Party& party) { return party.npu == npu; }))
        text += say(" NPU ", index_of(npu));
    lines.push_back(text + " to enter");
  }
  for (const auto& request : ready_) lines.push_back(name(*request) + " waits for room or a route");
  for (std::size_t at = 0; at < fabric_.units.size(); ++at)
    for (std::string& line : fabric_.units[at]->pending(say("switch ", at))) lines.push_back(std::move(line));
  return lines;
}

}  // namespace wafertlm
