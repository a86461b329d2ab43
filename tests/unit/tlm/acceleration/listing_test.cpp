// SPDX-License-Identifier: Apache-2.0
// What list_state() names: every member in turn is changed, and the list must notice. Each binding of all
// members here and in the lists fails to compile when a class gets a new one.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>

#include "models/endpoint/injection_windows.h"
#include "models/ethernet/connections.h"
#include "models/ethernet/engine/queue_pair.h"
#include "models/messages/message_ports.h"
#include "tlm/acceleration/rest_record.h"
#include "tlm/acceleration/state_record.h"
#include "tlm/link/cut_through.h"

namespace wafertlm::test {
namespace {

constexpr TimePs kNow = 1'000'000;

using List = std::function<void(StateVisitor&)>;

struct Listed {
  StateRecord under_way;
  RestRecord at_rest;
};

Listed listed(const List& list) {
  Listed is;
  RecordState record(kNow, is.under_way);
  list(record);
  RecordRest rest(kNow, is.at_rest);
  list(rest);
  return is;
}

enum class By { nobody, under_way, at_rest, both };

/// Who sees a difference between two lists.
By difference(const Listed& a, const Listed& b) {
  const bool under_way = a.under_way.values != b.under_way.values || a.under_way.counts != b.under_way.counts;
  const bool at_rest = a.at_rest.values != b.at_rest.values || a.at_rest.counts != b.at_rest.counts ||
                       a.at_rest.is_at_rest != b.at_rest.is_at_rest;
  return under_way ? at_rest ? By::both : By::under_way : at_rest ? By::at_rest : By::nobody;
}

struct Change {
  std::string member;
  By by;
  std::function<void()> make;
};

void expect_seen(const List& list, const std::vector<Change>& changes) {
  for (const Change& each : changes) {
    const Listed before = listed(list);
    each.make();
    EXPECT_EQ(difference(before, listed(list)), each.by) << each.member;
  }
}

/// Of an object whose members nobody else sees: flips a bit in each byte, and counts those that are seen.
template <typename Object>
std::size_t bytes_seen(const Object& object, void (*list)(Object&, StateVisitor&)) {
  static_assert(std::is_trivially_copyable_v<Object>);
  const auto of = [&](Object is) { return listed([&](StateVisitor& state) { list(is, state); }); };
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < sizeof(Object); ++i) {
    unsigned char raw[sizeof(Object)];
    std::memcpy(raw, &object, sizeof raw);
    raw[i] ^= 1;
    Object changed = object;
    std::memcpy(static_cast<void*>(&changed), raw, sizeof raw);
    bytes += difference(of(object), of(changed)) != By::nobody;
  }
  return bytes;
}

/// Changes the listed member of this number at rest, and no other.
class Perturb final : public StateVisitor {
 public:
  explicit Perturb(std::size_t number) : StateVisitor(kNow, true), left_(number) {}
  void moment(TimePs& at) override {
    if (is_its_turn()) at = std::max(at, now()) + 1;
  }
  void memory(TimePs&) override {}
  using StateVisitor::count;
  void count(std::uint64_t& count) override { count += is_its_turn(); }
  void give_up() override { FAIL(); }
  bool gives_up() const override { return false; }
  bool is_done() const { return is_done_; }

 private:
  void visit_value(std::uint64_t& value) override { value ^= is_its_turn(); }
  bool is_its_turn() {
    const bool is = left_ == 0 && !is_done_;
    is_done_ = is_done_ || is;
    left_ -= left_ != 0;
    return is;
  }
  std::size_t left_;
  bool is_done_ = false;
};

/// What is listed at rest is the members themselves: each of what `make` makes can be put back. Returns how
/// many there are.
template <typename Make>
std::size_t perturb_each(const Make& make) {
  for (std::size_t number = 0;; ++number) {
    auto object = make();
    const List list = [&](StateVisitor& state) { object.list_state(state); };
    const Listed before = listed(list);
    Perturb perturb(number);
    list(perturb);
    if (!perturb.is_done()) return number;
    EXPECT_NE(difference(before, listed(list)), By::nobody) << number;
  }
}

TEST(Listing, OfALine) {
  constexpr TimePs kLater = TimePs{1} << 60;
  Line busy(1'000'003), over = busy;
  busy.send(1, kLater - 100, Line::kUnbound);
  over.send(1, 0, Line::kUnbound);
  constexpr std::size_t kFree = sizeof(TimePs), kSlack = sizeof(std::uint64_t);
  using Over = StateVisitor::OnceOver;
  const auto list = [](Line& line, StateVisitor& state) { line.list_state(state); };
  EXPECT_EQ(bytes_seen<Line>(busy, list), kFree + kSlack);
  const auto in_use = [](Line& line, StateVisitor& state) { line.list_state(state, Over::matters); };
  EXPECT_EQ(bytes_seen<Line>(busy, in_use), kFree + kSlack);
  over.set_idle_since(kNow / 2);
  EXPECT_EQ(bytes_seen<Line>(over, in_use), kFree + kSlack);
  const auto idle = [](Line& line, StateVisitor& state) { line.list_state(state, Over::memory); };
  EXPECT_EQ(bytes_seen<Line>(over, idle), kFree);
  // Only bits that make it busy make a difference, those above now.
  EXPECT_EQ(bytes_seen<Line>(over, list), kFree - 3);
}

TEST(Listing, OfAWakeUp) {
  OverlappingWakeSlot slot;
  slot.ask(kNow + 500);
  slot.ask(kNow + 100);  // the other one is overtaken: that makes no difference
  const auto list = [](OverlappingWakeSlot& of, StateVisitor& state) { of.list_state(state); };
  EXPECT_EQ(bytes_seen<OverlappingWakeSlot>(slot, list), sizeof(TimePs));
}

TEST(Listing, OfCredits) {
  CreditWindow credits(1000);
  const List list = [&](StateVisitor& state) { credits.list_state(state); };
  expect_seen(list, {{"taken", By::both, [&] { credits.take(500); }},
                     {"promised", By::both, [&] { credits.give_back(200, kNow + 100); }},
                     {"bytes promised", By::both, [&] { credits.give_back(1, kNow + 200); }},
                     {"overtaken", By::both, [&] { credits.give_back(1, kNow + 150); }},
                     {"taken ahead", By::both, [&] { credits.take_ahead(701); }}});
  CreditWindow kept(1000);
  kept.take(500);
  kept.give_back(500, kNow + 100);
  EXPECT_EQ(perturb_each([&] { return kept; }), 5U);
}

TEST(Listing, OfAnOutput) {
  OutputParams params;
  params.bytes_per_s = 1'000'000;
  cut_through::Output output(params);
  auto& [line, wake, latency, channels, queues, packets, payload, wire, requesting, starved, port, current] =
      output;
  const List list = [&](StateVisitor& state) { cut_through::Output::list_state(output, state); };
  expect_seen(
      list, {{"packets", By::both, [&is = packets] { ++is; }},
             {"payload", By::both, [&is = payload] { ++is; }},
             {"wire", By::both, [&is = wire] { ++is; }},
             {"class of the last packet, on an idle line", By::nobody, [&is = current] { is = ClassId{1}; }},
             {"line", By::both, [&is = line] { is.send(100, kNow, Line::kUnbound); }},
             {"class of the packet", By::both, [&is = current] { is = ClassId{2}; }},
             {"wake", By::both, [&is = wake] { is.ask(kNow + 10); }},
             {"starved", By::under_way, [&is = starved] { is = 1; }},  // it was not at rest
             {"requesting", By::under_way, [&is = requesting] { is = 1; }},
             {"fixed", By::nobody, [&is = latency] { is = 1; }},
             {"number", By::nobody, [&is = port] { is = 1; }}});
  EXPECT_EQ(channels, nullptr);  // listed one by one
  EXPECT_EQ(queues, nullptr);
}

TEST(Listing, OfAChannel) {
  cut_through::Channel channel(1000);
  auto& [requests, next_input, needed, credits] = channel;
  const List list = [&of = channel](StateVisitor& state) { cut_through::Channel::list_state(of, state); };
  expect_seen(list, {{"next input", By::both, [&is = next_input] { ++is; }},
                     {"needed", By::under_way, [&is = needed] { is = 7; }},  // then an output is starved
                     {"credits", By::both, [&is = credits] { is.take(1); }},
                     {"requests, that queues have", By::nobody, [&is = requests] { is = 1; }}});
}

TEST(Listing, OfAQueue) {
  Message message;
  Packet packet, other;
  packet.message = other.message = &message;
  cut_through::Queue queue;
  auto& [head, tail, free_ps, eligible_ps, contention_ps, class_contention_ps, wire_bytes, head_class,
         contended, vcs, credit_delay] = queue;
  const List list = [&of = queue](StateVisitor& state) { cut_through::Queue::list_state(of, state); };
  expect_seen(list, {{"its port, at rest", By::both, [&is = free_ps] { is = kNow + 1; }},
                     {"nothing waits", By::nobody, [&is = eligible_ps] { is = 1; }},
                     {"packet", By::both, [&of = queue, &packet] { of.push(packet); }},
                     {"eligible", By::under_way, [&is = eligible_ps] { is = 2; }},
                     {"contention", By::both, [&is = contention_ps] { ++is; }},
                     {"of a class", By::under_way, [&is = class_contention_ps] { ++is; }},
                     {"of which", By::under_way, [&is = contended] { is = ClassId{1}; }},
                     {"another", By::both, [&of = queue, &other] { of.push(other); }}});
  EXPECT_EQ(head, &packet);
  EXPECT_EQ(tail, &other);
  // Of the head, and fixed.
  expect_seen(list, {{"bytes", By::nobody, [&is = wire_bytes] { ++is; }},
                     {"class", By::nobody, [&is = head_class] { is = ClassId{1}; }},
                     {"channels", By::nobody, [&is = vcs] { is.count = 2; }},
                     {"delay", By::nobody, [&is = credit_delay] { ++is; }}});
}

TEST(Listing, OfWaits) {
  cut_through::PortWaits waits;
  auto& [credit_blocked_ps, queue_wait_ps, credit_wait_ps, down_wait_ps, of_class] = waits;
  const List list = [&of = waits](StateVisitor& state) { cut_through::PortWaits::list_state(of, 2, state); };
  expect_seen(list, {{"blocked", By::both, [&is = credit_blocked_ps] { ++is; }},
                     {"queue", By::both, [&is = queue_wait_ps] { ++is; }},
                     {"credit", By::both, [&is = credit_wait_ps] { ++is; }},
                     {"contention", By::both, [&is = of_class] { ++is[1].contention_wait_ps; }},
                     {"longest", By::under_way, [&is = of_class] { ++is[1].longest_wait_ps; }},
                     {"no class", By::nobody, [&is = of_class] { ++is[2].contention_wait_ps; }}});
  expect_seen(list, {{"down", By::at_rest, [&is = down_wait_ps] { is = 1; }}});
}

TEST(Listing, OfWindows) {
  OutputParams link;
  link.buffer_bytes = 100'000;
  WireFormat format;
  format.packet_bytes = 1000;
  InjectionWindows windows({0, 1}, link, format, 4);
  const List list = [&](StateVisitor& state) { windows.list_state(state); };
  Packet packet;
  packet.wire_bytes = packet.payload_bytes = 1000;
  expect_seen(list, {{"used", By::under_way, [&] { windows.take(packet, VcId{0}); }},
                     {"promised", By::both, [&] { windows.give_back(packet, VcId{0}, kNow + 100); }}});
  packet.destination = NpuId{1};
  windows.take(packet, VcId{0});
  windows.give_back(packet, VcId{0}, kNow + 100);
  EXPECT_EQ(perturb_each([&] { return windows; }), 1U + 2 * 3);
}

/// A switch of two inputs and an output that has sent a packet of each class, whose room is promised.
struct AtRest final : private SwitchHost, private RouteFunction {
  AtRest() {
    for (std::uint8_t k = 0; k < 2; ++k) {
      const TimePs start_ps = kNow - 1500 + 1000 * k;
      packets[k].traffic_class = ClassId{k};
      packets[k].vc = VcId{k};
      packets[k].wire_bytes = packets[k].payload_bytes = 1000;
      core.arrive(PortId{1}, packets[k], start_ps);
      EXPECT_TRUE(core.wake(PortId{0}, start_ps));
      core.credit(PortId{0}, VcId{k}, 1000, kNow + 500, kNow);
    }
  }
  void list_state(StateVisitor& state) { core.list_state(PortId{0}, state); }
  static SwitchParams params() {
    SwitchParams made;
    made.credit_delay_ps = {0, 0};
    made.outputs.resize(1);
    made.outputs[0].bytes_per_s = 1'000'000'000'000;
    made.outputs[0].buffer_bytes = 10'000;
    return made;
  }
  const ClassTable classes{{{"a", 0, 1, 0}, {"b", 1, 1, 0}}, 2};
  CutThroughSwitch core{params(), classes, *this, *this};
  std::array<Packet, 2> packets;

 private:
  void forward(PortId, Packet&, TimePs) override {}
  void return_credit(PortId, Packet&, TimePs) override {}
  void request_wake(PortId, TimePs) override {}
  PortId output_for(const Packet&) const override { return PortId{0}; }
};

TEST(Listing, OfASwitchAtRestIsItsMembers) {
  AtRest one;
  const RestRecord rest = listed([&](StateVisitor& state) { one.list_state(state); }).at_rest;
  EXPECT_TRUE(rest.is_at_rest && rest.is_complete && !rest.is_settled);
  // Line: end, fraction; class; turn of the channels; of each its turn, credits, promises, the one, the last
  // one, its inputs.
  EXPECT_EQ(rest.values.size(), 2U + 1 + 1 + 2 * (1 + 1 + 1 + 2 + 1 + 2));
  EXPECT_EQ(rest.counts.size(), 3U + 3 + 2);
  EXPECT_EQ(perturb_each([] { return AtRest(); }), rest.values.size() + rest.counts.size());
}

TEST(Listing, OfAMessagePort) {
  MessagePort port;
  auto& [line, latency, flow_rate, vertex, to_vertex, output, to_input, inputs, next_input, is_due,
         is_awaited, own, passing, cut_free_ps, packets, payload, wire] = port;
  const List list = [&of = port](StateVisitor& state) { of.list_state(state); };
  expect_seen(list, {{"line", By::both, [&is = line] { is.send(1, kNow, Line::kUnbound); }},
                     {"line with a time step", By::both, [&is = cut_free_ps] { is = kNow + 1; }},
                     {"next input", By::both, [&is = next_input] { ++is; }},
                     {"packets", By::both, [&is = packets] { ++is; }},
                     {"payload", By::both, [&is = payload] { ++is; }},
                     {"wire", By::both, [&is = wire] { ++is; }},
                     {"is due", By::at_rest, [&is = is_due] { is = true; }}});
  is_due = false;
  expect_seen(list, {{"is awaited", By::at_rest, [&is = is_awaited] { is = true; }}});
  is_awaited = false;
  expect_seen(list, {{"own", By::at_rest, [&is = own] { is.push_back({}); }}});
  own.clear();
  expect_seen(list, {{"passing", By::at_rest, [&is = passing] { is.push_back(1); }}});
  EXPECT_EQ(latency + vertex + to_vertex + output + to_input + inputs, 0U);  // fixed
}

TEST(Listing, OfCountsOfQueuePairsAndConnections) {
  ethernet::QueuePairCounters counters;
  auto& [packets, repeated, timeouts, cnps] = counters;
  expect_seen([&of = counters](StateVisitor& state) { of.list_state(state); },
              {{"packets", By::both, [&is = packets] { ++is; }},
               {"repeated", By::both, [&is = repeated] { ++is; }},
               {"timeouts", By::both, [&is = timeouts] { ++is; }},
               {"cnps", By::both, [&is = cnps] { ++is; }}});
  ethernet::Connection connection;
  auto& [from, to, queue_pairs, messages, bytes, completion, most_completion, slowdowns, most_slowdown,
         gone] = connection;
  expect_seen([&of = connection](StateVisitor& state) { of.list_state(state); },
              {{"messages", By::both, [&is = messages] { ++is; }},
               {"bytes", By::both, [&is = bytes] { ++is; }},
               {"completion", By::both, [&is = completion] { ++is; }},
               {"slowdowns", By::both, [&is = slowdowns] { ++is; }},
               {"packets of queue pairs that are gone", By::both, [&is = gone.packets] { ++is; }},
               {"the most has been seen", By::nobody, [&is = most_completion] { ++is; }},
               {"the most has been seen", By::nobody, [&is = most_slowdown] { is = 2; }}});
  EXPECT_EQ(from + to + queue_pairs.size(), 0U);  // fixed
}

}  // namespace
}  // namespace wafertlm::test
