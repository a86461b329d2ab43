// SPDX-License-Identifier: Apache-2.0
#include "tlm/acceleration/steady_states.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/kernel/say.h"
#include "tlm/link/switch_module.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kFewestPeriods = 3;    // that are worth a skip
constexpr std::uint64_t kFewestPackets = 48;   // left of a message that is worth a look
constexpr std::uint32_t kFirstLook = 4;        // packets after a component has changed
constexpr std::uint32_t kNextLook = 16;        // packets until a flow that is about to end is over
constexpr std::uint32_t kMostLooks = 1024;     // for a period, by one reference after the other
constexpr std::uint32_t kRest = 2048;          // packets before the next search after one that found nothing
constexpr std::size_t kMostActive = 1U << 14;  // messages, with more there are no components to be found

// A search may cost a small part of what is simulated, and more of what it has saved.
constexpr std::uint64_t kFirstValues = 1U << 18;  // listed
constexpr std::uint64_t kEventsPerValue = 4;      // simulated
constexpr std::uint64_t kValuesPerPacket = 16;    // skipped
constexpr std::uint64_t kFirstEvents = 1U << 19;  // without windows of time
constexpr std::uint64_t kEventsPerLooking = 256;  // of which one may be without them
constexpr std::uint64_t kLookingPerPacket = 2;    // skipped
constexpr std::uint64_t kValuesPerTransfer = 16;  // looking at a message and its route costs as much as these

constexpr std::size_t kCountsOfMessage = 5;  // that list() ends with

/// Bytes that are still to be sent; of what a flow brings, to come.
std::uint64_t left_of(const Message& message) {
  return message.bytes - (message.is_result ? message.arrived_bytes : message.injected_bytes);
}

}  // namespace

SteadyStates::SteadyStates(Scheduler& scheduler, std::uint32_t packet_bytes,
                           std::optional<std::uint64_t> verify_seed)
    : scheduler_(scheduler), packet_bytes_(packet_bytes) {
  if (verify_seed) verify_.emplace(*verify_seed);
}

void SteadyStates::add_source(NpuId endpoint, SteadySource& source, FabricForwardIf& leads_to,
                              std::uint64_t bytes_per_s) {
  if (sources_.size() <= index_of(endpoint)) sources_.resize(index_of(endpoint) + 1);
  Source& added = sources_[index_of(endpoint)];
  added.source = &source;
  added.leads_to = &leads_to;
  added.bytes_per_s = bytes_per_s;
}

SteadyStates::PartNumber SteadyStates::part(SwitchModule* at, PortId output, SteadySource* source) {
  const void* const key = at ? static_cast<const void*>(at) : source;
  const auto [found, is_new] =
      part_numbers_.try_emplace({key, output}, static_cast<PartNumber>(parts_.size()));
  if (is_new) {
    parts_.emplace_back();
    parts_.back().at = at;
    parts_.back().output = output;
    parts_.back().source = source;
    if (at) fastest_ = std::max(fastest_, at->core().bytes_per_s(output));
  }
  return found->second;
}

/// The source and the outputs that a message passes; empty: not known.
const SteadyStates::Route& SteadyStates::route(const Message& message) {
  Source& source = sources_[index_of(message.key.source)];
  const std::size_t to = index_of(message.destination);
  if (source.routes.size() <= to) source.routes.resize(std::max(to + 1, sources_.size()));
  if (source.routes[to]) return *source.routes[to];
  Packet probe;
  probe.source = message.key.source;
  probe.destination = message.destination;
  auto route = std::make_unique<Route>();
  route->push_back(part(nullptr, PortId{0}, source.source));
  LinkEnd end = source.leads_to->link_end();
  while (end.at) {
    const PortId output = end.at->core().route(probe);
    route->push_back(part(end.at, output, nullptr));
    end = end.at->link_end(output);
  }
  if (!end.is_endpoint) route->clear();
  source.routes[to] = std::move(route);
  return *source.routes[to];
}

/// Appends the outputs of a flow behind a link; false if one is not known.
bool SteadyStates::walk_flow(const Flow& flow, const LinkEnd& from, Route& route) {
  if (!from.at) return from.is_endpoint;
  if (!from.at->flows()) return false;
  for (const PortId output : from.at->flows()->outputs_behind(flow, from.input)) {
    const PartNumber next = part(from.at, output, nullptr);
    if (std::find(route.begin(), route.end(), next) != route.end()) continue;
    route.push_back(next);
    if (!walk_flow(flow, from.at->link_end(output), route)) return false;
  }
  return true;
}

void SteadyStates::add(Message& message, const Route* route, const Flow* flow) {
  message.transfer = static_cast<std::uint32_t>(active_.size());
  active_.push_back({&message, route, flow, flow ? flow->key : FlowKey{}});
  if (is_looking())
    for (const PartNumber each : *route)
      if (const std::uint32_t number = parts_[each].component; number != kNone) {
        put_back(*components_[number]);
        dissolve(number, kFirstLook);
      }
}

void SteadyStates::starts(Message& message) {
  const std::uint64_t packets = (message.bytes + packet_bytes_ - 1) / packet_bytes_;
  counts_.started += packets;
  if (packets < kFewestPackets) counts_.of_short += packets;
  if (const Flow* const flow = message.flow) {
    OpenFlow& open = open_flows_[flow->key];
    open.flow = flow;
    const Source& source = sources_[index_of(message.key.source)];
    Route& passes = open.routes[message.key.source];
    passes.push_back(part(nullptr, PortId{0}, source.source));
    if (!walk_flow(*flow, source.leads_to->link_end(), passes)) passes.clear();
    add(message, &passes, flow);
  } else {
    add(message, &route(message), nullptr);
  }
  if (message.bytes >= kFewestPackets * packet_bytes_) message.watch = kFirstLook;
}

void SteadyStates::starts_result(Message& message, const Flow& flow) {
  add(message, &open_flows_.at(flow.key).routes.begin()->second, &flow);
}

void SteadyStates::look_at(Message& message) {
  if (due_.empty()) scheduler_.call_after_instant(*this);
  due_.push_back(&message);
}

void SteadyStates::ends(Message& message) {
  message.watch = 0;
  if (message.component != kNone) dissolve(message.component, kFirstLook);
  if (!message.flow || message.transfer == kNone) return;
  active_[message.transfer].message = nullptr;  // its packets are on their way until the flow is closed
  message.transfer = kNone;
}

void SteadyStates::arrived(Message& message) {
  if (message.transfer == kNone) return;
  if (message.component != kNone) dissolve(message.component, kFirstLook);
  remove(message.transfer);
  message.transfer = kNone;
}

void SteadyStates::remove(std::uint32_t transfer) {
  active_[transfer] = active_.back();
  if (active_[transfer].message) active_[transfer].message->transfer = transfer;
  active_.pop_back();
}

void SteadyStates::forget_closed_flows() {
  for (auto each = open_flows_.begin(); each != open_flows_.end();) {
    const Flow& flow = *each->second.flow;
    if (flow.open && flow.key == each->first) {
      ++each;
      continue;
    }
    for (std::uint32_t i = 0; i < active_.size();)
      if (active_[i].flow && active_[i].key == each->first)
        remove(i);
      else
        ++i;
    each = open_flows_.erase(each);
  }
}

/// Its messages are looked at again after `packets` of theirs.
void SteadyStates::dissolve(std::uint32_t number, std::uint32_t packets) {
  Component& component = *components_[number];
  if (component.reference.at_ps > scheduler_.now())
    throw std::logic_error("acceleration: something happens at " + std::to_string(scheduler_.now()) +
                           " ps to messages that have been moved on to " +
                           std::to_string(component.reference.at_ps) + " ps");
  if (component.expected.at_ps != 0)
    throw std::logic_error("acceleration: something happens at " + std::to_string(scheduler_.now()) +
                           " ps to messages that were expected to go on alike until " +
                           std::to_string(component.expected.at_ps) + " ps");
  for (Message* const each : component.messages) {
    each->component = kNone;
    each->watch = !each->is_result && left_of(*each) >= kFewestPackets * packet_bytes_ ? packets : 0;
  }
  for (const PartNumber each : component.parts) parts_[each].component = kNone;
  component.marker = nullptr;
  free_components_.push_back(number);
  if (!is_looking()) looked_ += scheduler_.events() - looking_since_;
}

std::uint64_t SteadyStates::events_looking() const {
  return looked_ + (is_looking() ? scheduler_.events() - looking_since_ : 0);
}

/// Whether it has paid so far, or has not cost much. Once it has cost too much it rests until that is half
/// of what it may: a search that is given up soon again finds nothing.
bool SteadyStates::may_look() {
  const std::uint64_t events = scheduler_.events(), packets = counts_.packets, share = rests_ ? 2 : 1;
  const std::uint64_t values = kFirstValues + events / kEventsPerValue + kValuesPerPacket * packets;
  const std::uint64_t looking = kFirstEvents + events / kEventsPerLooking + kLookingPerPacket * packets;
  rests_ = listed_ > values / share || (forgoes_windows_ && events_looking() > looking / share);
  return !rests_;
}

/// Ends all searches, but for components that are ahead or are being verified.
void SteadyStates::rest(TimePs now) {
  for (std::uint32_t i = 0; i < components_.size(); ++i) {
    const Component& each = *components_[i];
    if (each.marker && each.reference.at_ps <= now && each.expected.at_ps == 0) dissolve(i, kRest);
  }
}

void SteadyStates::after_instant(TimePs now) {
  const bool may = may_look();
  if (!may && is_looking()) rest(now);
  for (std::size_t i = 0; i < due_.size(); ++i) {
    Message& message = *due_[i];
    if (message.transfer == kNone || left_of(message) == 0) continue;
    if (message.component == kNone) {
      const Found found = may ? find_component(message) : Found::nothing;
      if (found != Found::component) {
        message.watch = found == Found::not_yet ? kNextLook : kRest;
        continue;
      }
    }
    const std::uint32_t number = message.component;
    Component& component = *components_[number];
    if (component.marker != &message) continue;
    message.watch = 1;
    if (component.period_ps == 0) compare(component, now);
    if (component.period_ps == 0) {
      if (component.looks < kMostLooks) continue;
      dissolve(number, kRest);
    } else if ((now - component.reference.at_ps) % component.period_ps == 0) {
      if (component.expected.at_ps != 0) {
        verify(component, now);
        continue;
      }
      const std::uint64_t periods = periods_to_skip(component, now);
      if (periods == 0 || !is_same(component, now, growth_)) continue;
      if (!verify_)
        skip(component, periods, now);
      else if ((*verify_)() % 10 == 0)
        expect(component, periods, now);
      else
        skip_and_expect(component, periods, now);
    }
  }
  due_.clear();
}

SteadyStates::PartNumber SteadyStates::root_of(PartNumber part) {
  while (parts_[part].root != part) part = parts_[part].root = parts_[parts_[part].root].root;
  return part;
}

/// All that shares an output with `marker`, directly or through others, if all of that is known.
SteadyStates::Found SteadyStates::find_component(Message& marker) {
  forget_closed_flows();
  if (active_.size() > kMostActive) return Found::nothing;
  listed_ += kValuesPerTransfer * active_.size();
  ++search_;
  for (const Transfer& each : active_) {
    if (each.route->empty() || (each.message && !each.message->is_plain())) return Found::nothing;
    for (const PartNumber part : *each.route) {
      if (parts_[part].search != search_) {
        parts_[part].search = search_;
        parts_[part].root = part;
      }
      parts_[root_of(part)].root = root_of(each.route->front());
    }
  }
  const PartNumber root = root_of(active_[marker.transfer].route->front());
  for (const Transfer& each : active_)
    if (!each.message && root_of(each.route->front()) == root) return Found::not_yet;
  if (free_components_.empty()) {
    free_components_.push_back(static_cast<std::uint32_t>(components_.size()));
    components_.push_back(std::make_unique<Component>());
  }
  if (!is_looking()) looking_since_ = scheduler_.events();
  const std::uint32_t number = free_components_.back();
  free_components_.pop_back();
  Component& component = *components_[number];
  component.messages.clear();
  component.parts.clear();
  component.marker = &marker;
  component.looks = 0;
  component.next_reference = 1;
  component.period_ps = 0;
  component.has_flows = false;
  component.differing_part = 0;
  component.reference.at_ps = component.expected.at_ps = 0;
  for (const Transfer& each : active_) {
    if (root_of(each.route->front()) != root) continue;
    each.message->component = number;
    each.message->place = static_cast<std::uint32_t>(component.messages.size());
    each.message->watch = 0;
    component.messages.push_back(each.message);
    component.has_flows = component.has_flows || each.flow;
    for (const PartNumber part : *each.route) {
      if (parts_[part].component == number) continue;
      parts_[part].component = number;
      component.parts.push_back(part);
    }
  }
  return Found::component;
}

void SteadyStates::list(Component& component, StateVisitor& state) {
  for (const bool is_result : {true, false})
    for (const Message* const each : component.messages)
      if (active_[each->transfer].flow && each->is_result == is_result)
        active_[each->transfer].flow->listed_from = is_result ? each->arrived_bytes : each->injected_bytes;
  for (std::size_t i = 0; i < component.parts.size(); ++i) {
    Part& part = parts_[component.parts[i]];
    if (part.source)
      part.source->list_state(state);
    else
      part.at->list_state(part.output, state);
    if (state.gives_up()) {
      component.differing_part = i;
      return;
    }
  }
  for (Message* const each : component.messages) {
    state.derived(left_of(*each) > packet_bytes_);
    state.deadline(each->tail_ps);
    state.count(each->injected_bytes);
    state.count(each->injected_packets);
    state.count(each->arrived_bytes);
    state.count(each->arrived_packets);
    state.count(each->announced_bytes);
  }
}

/// Looks for the period: the state is compared with one of before, which is replaced ever more rarely.
void SteadyStates::compare(Component& component, TimePs now) {
  ++component.looks;
  if (component.looks != 1) {
    if (is_same(component, now, component.growth)) {
      component.period_ps = now - component.reference.at_ps;
      component.of_message.clear();
      component.packets = 0;
      const std::size_t first = component.growth.size() - kCountsOfMessage * component.messages.size();
      for (std::size_t i = 0; i < component.messages.size(); ++i) {
        const std::uint64_t* const of = &component.growth[first + kCountsOfMessage * i];  // as in list()
        component.of_message.push_back(component.messages[i]->is_result ? of[2] : of[0]);
        component.packets += of[1];
      }
      return;
    }
  }
  if (component.looks != component.next_reference) return;
  component.next_reference += 3 + component.looks / 2;
  std::swap(component.parts.front(), component.parts[component.differing_part]);  // it will soon be seen
  component.differing_part = 0;
  RecordState record(now, component.reference);
  list(component, record);
  listed_ += component.reference.values.size() + component.reference.counts.size();
  if (record.gives_up()) component.looks = kMostLooks;
}

/// Whether the state is that of the reference, at an earlier time; and how much every count has grown since.
bool SteadyStates::is_same(Component& component, TimePs now, std::vector<std::uint64_t>& growth) {
  CompareState with(now, component.reference, growth);
  list(component, with);
  listed_ += with.listed();
  return with.is_same() && now != component.reference.at_ps;
}

/// The earliest time at which a message that is not of this component can have ended, so that something
/// starts.
TimePs SteadyStates::next_end_ps(const Component& but, TimePs now) {
  forget_closed_flows();
  listed_ += kValuesPerTransfer * active_.size();
  TimePs next = kNever;
  for (const Transfer& transfer : active_) {
    if (!transfer.message) return now;
    const Message& message = *transfer.message;
    const std::uint64_t left = left_of(message);
    if (message.component != kNone) {
      const Component& of = *components_[message.component];
      if (&of == &but) continue;
      if (of.period_ps != 0) {
        const std::uint64_t bytes = of.of_message[message.place];
        const TimePs from = std::max(now, of.reference.at_ps);
        if (bytes != 0) next = std::min(next, from + (left - 1) / bytes * of.period_ps);
        continue;
      }
    }
    const std::uint64_t rate =
        message.is_result ? fastest_ : sources_[index_of(message.key.source)].bytes_per_s;
    next = std::min(next, now + static_cast<TimePs>(Uint128{left} * kPsPerSecond / rate));
  }
  return next;
}

/// Of every message more than a packet is left then.
std::uint64_t SteadyStates::periods_to_skip(const Component& component, TimePs now) {
  const std::uint64_t more_than = std::uint64_t{packet_bytes_} + 1;
  std::uint64_t periods = kNever;
  for (const Message* const each : component.messages) {
    const std::uint64_t bytes = component.of_message[each->place];
    if (bytes != 0) periods = std::min(periods, (std::max(left_of(*each), more_than) - more_than) / bytes);
  }
  if (component.has_flows && periods >= kFewestPeriods)
    periods = std::min(periods, periods_undisturbed(component, now));
  return periods < kFewestPeriods ? 0 : periods;
}

/// What flows pass cannot be put back: so many periods are over before anything else can happen.
std::uint64_t SteadyStates::periods_undisturbed(const Component& component, TimePs now) {
  const TimePs until = std::min(scheduler_.quiet_until_ps(), next_end_ps(component, now));
  return until <= now ? 0 : (until - now - 1) / component.period_ps;
}

/// From `at` on; back if `periods`, modulo 2^64, are less than 0.
void SteadyStates::move(Component& component, TimePs at, std::uint64_t periods) {
  MoveState move(at, component.growth, component.period_ps, periods);
  list(component, move);
  if (!move.is_whole()) fail(component, "list another number of counts than when they were compared");
  component.reference.at_ps = at + periods * component.period_ps;
  counts_.periods += periods;
  counts_.packets += periods * component.packets;
}

void SteadyStates::ask_again(const Component& component) {
  for (const PartNumber each : component.parts) {
    Part& part = parts_[each];
    if (part.source)
      part.source->ask_again();
    else
      part.at->ask_again(part.output);
  }
}

void SteadyStates::skip(Component& component, std::uint64_t periods, TimePs now) {
  move(component, now, periods);
  ask_again(component);
  ++counts_.stretches;
}

/// Something comes to a component that may be ahead: back to the last period that had begun by now, and from
/// there on by simulation.
void SteadyStates::put_back(Component& component) {
  component.expected.at_ps = 0;
  const TimePs ahead_ps = component.reference.at_ps - std::min(component.reference.at_ps, scheduler_.now());
  if (ahead_ps == 0) return;
  if (component.has_flows) fail(component, "are ahead of something that was not to be expected");
  for (Message* const each : component.messages) each->watch = 0;
  const std::uint64_t periods = (ahead_ps + component.period_ps - 1) / component.period_ps;
  move(component, component.reference.at_ps, 0 - periods);
  ++counts_.put_back;
  scheduler_.replay(component.reference.at_ps, [&] { ask_again(component); });
}

}  // namespace wafertlm
