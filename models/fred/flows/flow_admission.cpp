// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/flow_admission.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "tlm/checking/checking.h"
#include "tlm/kernel/free_numbers.h"

namespace wafertlm {

/// A flow from the first of its contributors that comes until it is over, or a collective that asks whether
/// it may use flows.
struct FlowAdmission::Request {
  FlowKey key;
  ClassId traffic_class{};
  DataType data_type{};
  std::uint64_t bytes = 0;
  NpuId first_npu{};
  std::uint64_t bytes_per_s = 0;  // of the slowest link on its way
  std::vector<NpuId> contributors, receivers;
  struct Party {
    NpuId npu;
    FlowParty* party;
    std::uint64_t token;
  };
  std::vector<Party> entered;
  TimePs ready_ps = 0;
  bool has_route = false, conflicted = false;
  // Of a collective that asks whether it may use flows.
  std::size_t ranks = 0, answered = 0;
  bool decided = false, in_network = false;
  std::vector<FlowTree::SwitchBranch> branches;
  std::uint32_t stripes = 1;
  FlowBuffers::Reserved reserved;
  // Once it is admitted.
  const Flow* flow = nullptr;
  std::size_t branches_left =
      0;  // of a reliable flow: contributors that do not know yet that all has arrived
  TimePs done_ps = 0;
  bool closed = false;

  void is_slowed_by(const OutputParams& link) { bytes_per_s = std::min(bytes_per_s, link.bytes_per_s); }
  bool has_entered(NpuId npu) const {
    return std::any_of(entered.begin(), entered.end(), [&](const Party& party) { return party.npu == npu; });
  }
  /// Parties are told in the order of their numbers.
  void sort_parties() {
    std::sort(entered.begin(), entered.end(), [](const Party& a, const Party& b) { return a.npu < b.npu; });
  }
  auto order(const ClassTable& classes) const {
    return std::make_tuple(~classes[traffic_class].priority, first_npu, key);
  }
};

FlowAdmission::FlowAdmission(const FlowAdmissionParams& params, const ClassTable& classes,
                             FlowAdmissionHost& host)
    : params_(params), classes_(classes), host_(host) {}

FlowAdmission::~FlowAdmission() = default;

void FlowAdmission::set_fabric(FlowFabric fabric) {
  fabric_ = std::move(fabric);
  buffers_.emplace(fabric_.outputs, fabric_.injection, classes_.virtual_channels(),
                   FlowBufferOptions{params_.format, params_.credits_by_rate});
}

std::size_t FlowAdmission::channel_of(const Request& request) const {
  return index_of(classes_.flow_vc(request.traffic_class));
}

/// The way of a flow and what it needs there.
void FlowAdmission::prepare(Request& request, const FlowEntry& entry) {
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
  const std::uint64_t packets = std::max<std::uint64_t>(params_.format.packets(entry.bytes), 1);
  // The flows of an operation go on where the one before ended.
  FlowPaths::Plan plan = fabric_.ways.plan(request.contributors, request.receivers, packets,
                                           entry.key.operation + entry.key.number * packets);
  request.branches = std::move(plan.places);
  request.stripes = plan.stripes;
  request.bytes_per_s = ~std::uint64_t{0};
  if (request.stripes <= 1) {  // over stripes it has the rate of all of them together
    for (const FlowTree::SwitchBranch& place : request.branches)
      for (const PortId output : place.branch.outputs)
        request.is_slowed_by(fabric_.outputs[place.at][index_of(output)]);
    for (const NpuId npu : request.contributors) request.is_slowed_by(fabric_.injection[index_of(npu)]);
  }
  for (const FlowTree::SwitchBranch& place : request.branches)
    for (const PortId output : place.branch.outputs)
      buffers_->use(buffers_->behind(place.at, output), request.bytes_per_s, request.reserved);
  for (const NpuId npu : request.contributors)
    buffers_->use(buffers_->behind(npu), request.bytes_per_s, request.reserved);
}

void FlowAdmission::enter(const FlowEntry& entry, TimePs now) {
  Request& request = request_of(entry);
  if (entry.bytes != request.bytes || entry.traffic_class != request.traffic_class)
    throw std::logic_error(say("contributors to ", name(request), " disagree on its size or class"));
  request.entered.push_back({entry.npu, entry.party, entry.token});
  if (entry.last_of_threadblock) --threadblocks_;
  const bool is_ready = params_.reservation && request.entered.size() == request.contributors.size();
  if (is_ready || !params_.reservation) request.sort_parties();
  if (is_ready) {
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

std::optional<FlowRouteConflict> FlowAdmission::take_route(Request& request) {
  if (!fabric_.routing || request.has_route) return std::nullopt;
  auto conflict =
      fabric_.routing->take(request.key, classes_[request.traffic_class].priority, request.branches);
  request.has_route = !conflict;
  if (conflict && !request.conflicted) {
    request.conflicted = true;
    ++conflicts_;
  }
  return conflict;
}

/// Whether every switch can carry it beside the active flows.
bool FlowAdmission::routes(Request& request) {
  // The route of a collective's first flow may be there already.
  const auto asked = asking_.find(request.key.operation);
  if (request.key.number == 0 && asked != asking_.end() && asked->second->has_route) {
    asked->second->has_route = false;
    request.has_route = true;
  }
  const auto conflict = take_route(request);
  if (conflict && params_.conflict == FlowConflict::refuse)
    throw std::runtime_error(refusal(request, *conflict));
  return !conflict;
}

void FlowAdmission::ask(const FlowEntry& entry, TimePs now) {
  auto& asked = asking_[entry.key.operation];
  if (!asked) {
    asked = std::make_unique<Request>();
    prepare(*asked, entry);
    asked->ranks = entry.group->size();
  }
  asked->entered.push_back({entry.npu, entry.party, entry.token});
  host_.request_admission_wake(now);
}

/// Answers the collectives that ask, in the order in which flows are served.
void FlowAdmission::decide(TimePs now) {
  std::vector<Request*> in_order;
  for (const auto& [operation, asked] : asking_)
    if (!asked->entered.empty()) in_order.push_back(asked.get());
  std::stable_sort(in_order.begin(), in_order.end(), [&](const Request* a, const Request* b) {
    return a->order(classes_) < b->order(classes_);
  });
  std::vector<std::pair<bool, Request::Party>> answers;
  for (Request* const asked : in_order) {
    if (!asked->decided) {
      if (!std::all_of(asked->contributors.begin(), asked->contributors.end(),
                       [&](NpuId npu) { return asked->has_entered(npu); }))
        continue;
      asked->decided = true;
      asked->in_network = !take_route(*asked);
      if (!asked->in_network) decomposed_.insert(asked->key.operation);
    }
    asked->sort_parties();
    for (const Request::Party& party : asked->entered) answers.emplace_back(asked->in_network, party);
    asked->answered += asked->entered.size();
    asked->entered.clear();
  }
  for (const auto& [in_network, party] : answers) party.party->flows_decided(in_network, party.token, now);
  for (auto asked = asking_.begin(); asked != asking_.end();) {
    const Request& request = *asked->second;
    asked = request.answered == request.ranks && !request.has_route ? asking_.erase(asked) : std::next(asked);
  }
}

void FlowAdmission::admit(Request& request, TimePs now) {
  const std::uint32_t slot = take_number(flows_, free_slots_);
  Flow& flow = flows_[slot];
  flow = {request.key,
          request.traffic_class,
          request.data_type,
          request.bytes,
          params_.format.packets(request.bytes),
          slot,
          request.stripes};
  flow.answers = params_.answers ? &*params_.answers : nullptr;
  flow.open = true;
  request.flow = &flow;
  request.branches_left = flow.answers ? request.contributors.size() : request.branches.size();
  if (params_.reservation) buffers_->reserve(request.reserved, channel_of(request));
  const auto room = [&](const FlowTree::SwitchBranch& place, PortId output) {
    return params_.reservation ? buffers_->of_a_branch(request.reserved, buffers_->behind(place.at, output))
                               : 0;
  };
  for (const FlowTree::SwitchBranch& place : request.branches) {
    std::vector<std::uint64_t> rooms;
    for (const PortId output : place.branch.outputs) rooms.push_back(room(place, output));
    fabric_.units[place.at]->open(flow, place.branch, rooms);
  }
  waited_ps_ += params_.reservation ? now - request.ready_ps : 0;
}

FlowAdmission::Request& FlowAdmission::active_request(const Flow& flow) const {
  return **std::find_if(active_.begin(), active_.end(),
                        [&](const auto& request) { return request->flow == &flow; });
}

void FlowAdmission::branch_done(const Flow& flow, TimePs at) {
  Request& request = active_request(flow);
  request.done_ps = std::max(request.done_ps, at);
  if (!flow.answers) --request.branches_left;
  if (request.branches_left == 0 && flow.in_flight == 0) host_.request_admission_wake(request.done_ps);
}

void FlowAdmission::contributed(const Flow& flow, TimePs at) {
  Request& request = active_request(flow);
  request.done_ps = std::max({request.done_ps, at, flow.rest_ps});
  if (--request.branches_left == 0 && flow.in_flight == 0) host_.request_admission_wake(request.done_ps);
}

void FlowAdmission::close_due(TimePs now) {
  for (const auto& request : active_) {
    if (!request->flow || request->branches_left != 0 || request->done_ps > now) continue;
    if (request->flow->in_flight != 0) continue;
    for (FlowUnit* const unit : fabric_.units) unit->close(*request->flow);
    if (params_.reservation) buffers_->give_back(request->reserved, channel_of(*request));
    if (fabric_.routing) fabric_.routing->release(request->key);
    free_slots_.push_back(request->flow->slot);
    flows_[request->flow->slot].open = false;
    request->closed = true;
  }
  active_.erase(std::remove_if(active_.begin(), active_.end(), [](const auto& of) { return of->closed; }),
                active_.end());
}

void FlowAdmission::wake(TimePs now) {
  close_due(now);
  if (!asking_.empty()) decide(now);
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
    const std::size_t channel = channel_of(*request);
    const auto& reserved = request->reserved;
    const bool waits = std::any_of(reserved.begin(), reserved.end(), [&](const auto& each) {
      return kept.count({each.first, channel}) != 0;
    });
    if (waits || !buffers_->fits(reserved, channel) || !routes(*request)) {
      for (const auto& each : reserved) kept.emplace(each.first, channel);
      continue;
    }
    Request& admitted = *request;
    admit(admitted, now);
    active_.push_back(std::move(request));
    for (const Request::Party& party : admitted.entered)
      party.party->flow_granted(*admitted.flow, admitted.reserved.at(buffers_->behind(party.npu)).bytes,
                                party.token, now);
  }
  ready_.erase(std::remove(ready_.begin(), ready_.end(), nullptr), ready_.end());
  shares_lane_ = std::any_of(fabric_.units.begin(), fabric_.units.end(),
                             [](const FlowUnit* unit) { return unit->shares_lane(); });
  most_active_ = std::max(most_active_, active_.size());
}

// What FlowAdmission says in words: names of flows, conflicts, who waits for whom.

std::string FlowAdmission::name(const Request& request) const {
  return say("in-network flow ", request.key.number, " of collective ", request.key.operation, " (class ",
             classes_[request.traffic_class].name, ", ", request.contributors.size(), " to ",
             request.receivers.size(), " NPUs)");
}

std::string FlowAdmission::name(const FlowKey& key) const {
  for (const auto& request : active_)
    if (request->key == key) return name(*request);
  return say("in-network flow ", key.number, " of collective ", key.operation);
}

std::string FlowAdmission::refusal(const Request& request, const FlowRouteConflict& conflict) const {
  std::string others;
  for (const FlowKey& key : conflict.beside) others += (others.empty() ? "" : ", ") + name(key);
  const std::string place = conflict.at < fabric_.switch_names.size() ? fabric_.switch_names[conflict.at]
                                                                      : say("switch ", conflict.at);
  return say(name(request), " cannot be routed through ", place, " beside ", others, " (", conflict.reason,
             "): raise middle_switches, or let flow_conflict be block or decompose");
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
      if (!request->has_entered(npu)) text += say(" NPU ", index_of(npu));
    lines.push_back(text + " to enter");
  }
  for (const auto& [operation, asked] : asking_) {
    if (asked->decided) continue;
    std::string text = say("collective ", operation, " waits for the NPUs that begin it:");
    for (const NpuId npu : asked->contributors)
      if (!asked->has_entered(npu)) text += say(" ", index_of(npu));
    lines.push_back(text);
  }
  for (const auto& request : ready_) lines.push_back(name(*request) + " waits for room or a route");
  for (std::size_t at = 0; at < fabric_.units.size(); ++at)
    for (std::string& line : fabric_.units[at]->pending(say("switch ", at))) lines.push_back(std::move(line));
  return lines;
}

}  // namespace wafertlm
