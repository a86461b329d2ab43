// SPDX-License-Identifier: Apache-2.0
// Every rule of AXI4 that pins alone can break, broken by a list of cycles; and lists that break none.
#include "models/rtl/axi4/checker.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace wafertlm {
namespace {

constexpr Axi4Shape kShape{8, 40, 4};

Axi4Burst burst(std::uint32_t beats, Axi4BurstType type = Axi4BurstType::incr, std::uint64_t address = 0x1000,
                std::uint32_t size_log2 = 3, std::uint32_t id = 1) {
  return {id, address, beats, size_log2, type, false};
}

Axi4Burst exclusive(std::uint32_t beats, std::uint64_t address = 0x1000) {
  Axi4Burst made = burst(beats, Axi4BurstType::incr, address);
  made.lock = true;
  return made;
}

/// A list of cycles; each call adds one, in which READY is high unless it says otherwise.
struct Trace {
  std::vector<Axi4Cycle> cycles;
  bool is_over = true;  // finish() follows

  Axi4Cycle& add() { return cycles.emplace_back(); }
  Trace& idle() {
    add();
    return *this;
  }
  Trace& aw(const Axi4Burst& given, bool ready = true) {
    add().aw = {{true, ready}, given};
    return *this;
  }
  Trace& ar(const Axi4Burst& given, bool ready = true) {
    add().ar = {{true, ready}, given};
    return *this;
  }
  Trace& w(bool last, std::uint64_t strobes = 0xff, bool ready = true, std::uint8_t value = 7) {
    Axi4WritePins& pins = add().w;
    pins.valid = true;
    pins.ready = ready;
    pins.last = last;
    pins.strobes = strobes;
    pins.data.fill(value);
    return *this;
  }
  Trace& b(std::uint32_t id = 1, bool ready = true, Axi4Response response = Axi4Response::okay) {
    add().b = {{true, ready}, id, response};
    return *this;
  }
  Trace& r(bool last, std::uint32_t id = 1, bool ready = true, Axi4Response response = Axi4Response::okay) {
    Axi4ReadPins& pins = add().r;
    pins.valid = true;
    pins.ready = ready;
    pins.id = id;
    pins.response = response;
    pins.last = last;
    return *this;
  }
  Trace& write(const Axi4Burst& given) {
    aw(given);
    for (std::uint32_t beat = 0; beat < given.beats; ++beat) w(beat + 1 == given.beats, given.lanes(beat, 8));
    return b(given.id);
  }
  Trace& read(const Axi4Burst& given) {
    ar(given);
    for (std::uint32_t beat = 0; beat < given.beats; ++beat) r(beat + 1 == given.beats, given.id);
    return *this;
  }
};

std::vector<std::string> broken_by(const Trace& trace) {
  std::vector<std::string> names;
  Axi4Checker checker(kShape, [&](const Axi4Violation& violation) { names.push_back(violation.rule->name); });
  for (const Axi4Cycle& each : trace.cycles) checker.cycle(each);
  if (trace.is_over) checker.finish();
  return names;
}

TEST(Axi4Checker, LegalTrafficBreaksNothing) {
  using Type = Axi4BurstType;
  const std::vector<Axi4Burst> bursts = {
      burst(1),
      burst(256, Type::incr, 0x1000, 3),
      burst(5, Type::incr, 0x1003, 3),  // the first beat is short
      burst(4, Type::incr, 0x1ffc, 0),  // up to the boundary
      burst(16, Type::fixed, 0x1fff, 0),
      burst(16, Type::wrap, 0x1fc8, 3),
      exclusive(16),
      exclusive(1, 0x1ff8),
  };
  for (const Axi4Burst& each : bursts) {
    EXPECT_EQ(broken_by(Trace().write(each)), std::vector<std::string>()) << to_text(each, true);
    EXPECT_EQ(broken_by(Trace().read(each)), std::vector<std::string>()) << to_text(each, false);
  }
  // Data before its address; answers in another order than addresses, of different IDs; VALID that waits.
  const Axi4Burst two = burst(2, Type::incr, 0x2000, 3, 2);
  EXPECT_EQ(broken_by(Trace().w(false).w(true).aw(burst(2)).b()), std::vector<std::string>());
  EXPECT_EQ(broken_by(Trace().aw(burst(1)).aw(two).w(true).w(false).w(true).b(2).b(1)),
            std::vector<std::string>());
  EXPECT_EQ(broken_by(Trace().ar(burst(2)).ar(two).r(false, 2).r(false, 1).r(true, 2).r(true, 1)),
            std::vector<std::string>());
  EXPECT_EQ(broken_by(Trace().aw(burst(1), false).aw(burst(1)).w(true, 0xff, false).w(true).b(1, false).b()),
            std::vector<std::string>());
  // Lanes that are not written may change; and EXOKAY answers an exclusive burst.
  EXPECT_EQ(broken_by(Trace().aw(burst(1)).w(true, 0, false, 1).w(true, 0, true, 2).b()),
            std::vector<std::string>());
  EXPECT_EQ(broken_by(Trace().aw(exclusive(1)).w(true).b(1, true, Axi4Response::exokay)),
            std::vector<std::string>());
}

using Break = std::function<void(Trace&)>;
struct Case {
  const char* rule;
  Break make;
};

/// In reset a VALID is high.
Break in_reset(Axi4Channel channel) {
  return [channel](Trace& trace) {
    Axi4Cycle& pins = trace.add();
    pins.in_reset = true;
    const_cast<Axi4Handshake&>(pins.handshake(channel)).valid = true;
  };
}
Break unknown(Axi4Channel channel) {
  return [channel](Trace& trace) { trace.add().set_unknown(channel); };
}

const std::vector<Case>& cases() {
  using Type = Axi4BurstType;
  constexpr auto kExokay = Axi4Response::exokay;
  static const std::vector<Case> all = {
      {"AWVALID_RESET", in_reset(Axi4Channel::aw)},
      {"WVALID_RESET", in_reset(Axi4Channel::w)},
      {"BVALID_RESET", in_reset(Axi4Channel::b)},
      {"ARVALID_RESET", in_reset(Axi4Channel::ar)},
      {"RVALID_RESET", in_reset(Axi4Channel::r)},
      {"AWVALID_STABLE", [](Trace& t) { t.aw(burst(1), false).idle(); }},
      {"WVALID_STABLE", [](Trace& t) { t.w(true, 0xff, false).idle(); }},
      {"BVALID_STABLE", [](Trace& t) { t.aw(burst(1)).w(true).b(1, false).idle(); }},
      {"ARVALID_STABLE", [](Trace& t) { t.ar(burst(1), false).idle(); }},
      {"RVALID_STABLE", [](Trace& t) { t.ar(burst(1)).r(true, 1, false).idle(); }},
      {"AW_STABLE", [](Trace& t) { t.aw(burst(1), false).aw(burst(2)); }},
      {"W_STABLE", [](Trace& t) { t.aw(burst(1)).w(true, 0xff, false, 1).w(true, 0xff, true, 2); }},
      {"B_STABLE",
       [](Trace& t) {
         t.aw(burst(1)).w(true).b(1, false);
         t.b(1, true, Axi4Response::slverr);
       }},
      {"AR_STABLE", [](Trace& t) { t.ar(burst(1), false).ar(burst(1, Type::incr, 0x1008)); }},
      {"R_STABLE",
       [](Trace& t) {
         t.ar(burst(1)).r(true, 1, false).r(true);
         t.cycles.back().r.data[0] = 1;
       }},
      {"AW_X", unknown(Axi4Channel::aw)},
      {"W_X", unknown(Axi4Channel::w)},
      {"B_X", unknown(Axi4Channel::b)},
      {"AR_X", unknown(Axi4Channel::ar)},
      {"R_X", unknown(Axi4Channel::r)},
      {"AWREADY_MAX_WAIT", [](Trace& t) { t.aw(burst(1), false); }},
      {"WREADY_MAX_WAIT", [](Trace& t) { t.w(true, 0xff, false); }},
      {"BREADY_MAX_WAIT", [](Trace& t) { t.aw(burst(1)).w(true).b(1, false); }},
      {"ARREADY_MAX_WAIT", [](Trace& t) { t.ar(burst(1), false); }},
      {"RREADY_MAX_WAIT", [](Trace& t) { t.ar(burst(1)).r(true, 1, false); }},
      {"AWADDR_BOUNDARY", [](Trace& t) { t.write(burst(2, Type::incr, 0x1ff8)); }},
      {"ARADDR_BOUNDARY", [](Trace& t) { t.read(burst(2, Type::incr, 0x1ffc)); }},
      {"AWADDR_WRAP_ALIGN", [](Trace& t) { t.write(burst(2, Type::wrap, 0x1004)); }},
      {"ARADDR_WRAP_ALIGN", [](Trace& t) { t.read(burst(2, Type::wrap, 0x1001, 1)); }},
      {"AWBURST", [](Trace& t) { t.write(burst(1, Type::reserved)); }},
      {"ARBURST", [](Trace& t) { t.read(burst(1, Type::reserved)); }},
      {"AWLEN_FIXED", [](Trace& t) { t.write(burst(17, Type::fixed)); }},
      {"ARLEN_FIXED", [](Trace& t) { t.read(burst(17, Type::fixed)); }},
      {"AWLEN_WRAP", [](Trace& t) { t.write(burst(3, Type::wrap)); }},
      {"ARLEN_WRAP", [](Trace& t) { t.read(burst(32, Type::wrap)); }},
      {"AWSIZE", [](Trace& t) { t.write(burst(1, Type::incr, 0x1000, 4)); }},
      {"ARSIZE", [](Trace& t) { t.read(burst(1, Type::incr, 0x1000, 7)); }},
      {"AWLOCK_ALIGN", [](Trace& t) { t.write(exclusive(4, 0x1008)); }},
      {"ARLOCK_ALIGN", [](Trace& t) { t.read(exclusive(2, 0x1008)); }},
      {"AWLOCK_LEN", [](Trace& t) { t.write(exclusive(32)); }},
      {"ARLOCK_LEN", [](Trace& t) { t.read(exclusive(3, 0x1008)); }},
      {"WLAST_EARLY", [](Trace& t) { t.aw(burst(2)).w(true).b(); }},
      {"WDATA_NUM", [](Trace& t) { t.aw(burst(1)).w(false).w(true).b(); }},
      {"WSTRB", [](Trace& t) { t.aw(burst(1, Type::incr, 0x1002, 1)).w(true, 0x1c).b(); }},
      {"BRESP_WLAST", [](Trace& t) { t.aw(burst(2)).w(false).b(); }},
      {"BRESP_AW", [](Trace& t) { t.w(true).b(); }},
      {"BID", [](Trace& t) { t.write(burst(1)).b(); }},
      {"BRESP_EXOKAY", [](Trace& t) { t.aw(burst(1)).w(true).b(1, true, kExokay); }},
      {"BRESP_ALL_DONE", [](Trace& t) { t.aw(burst(1)).w(true); }},
      {"RID", [](Trace& t) { t.ar(burst(1)).r(true, 2); }},
      {"RLAST_EARLY", [](Trace& t) { t.ar(burst(2)).r(true).r(true); }},
      {"RDATA_NUM", [](Trace& t) { t.ar(burst(2)).r(false).r(false); }},
      {"RRESP_EXOKAY", [](Trace& t) { t.ar(burst(1)).r(true, 1, true, kExokay); }},
      {"RLAST_ALL_DONE", [](Trace& t) { t.ar(burst(2)).r(false); }},
  };
  return all;
}

TEST(Axi4Checker, EveryRuleIsBrokenAndNamed) {
  for (const Case& each : cases()) {
    Trace trace;
    each.make(trace);
    const auto names = broken_by(trace);
    ASSERT_FALSE(names.empty()) << each.rule;
    EXPECT_EQ(names.front(), each.rule);
  }
}

TEST(Axi4Checker, TheListHasACaseForEveryRuleOfThePins) {
  // The rest needs to know the memory or the design: stress breaks it.
  const std::set<std::string> of_stress = {"RDATA",     "WDATA",     "R_ORDER", "BRESP", "RRESP",
                                           "B_LATENCY", "R_LATENCY", "W_RATE",  "R_RATE"};
  std::set<std::string> names, listed;
  for (const Case& each : cases()) names.insert(each.rule);
  for (const Axi4Rule& rule : axi4_rules()) {
    EXPECT_TRUE(listed.insert(rule.name).second) << rule.name;
    EXPECT_EQ(names.count(rule.name) + of_stress.count(rule.name), 1U) << rule.name;
  }
  EXPECT_EQ(listed.size(), names.size() + of_stress.size());
}

TEST(Axi4Checker, AnAnswerInTheCycleOfItsLastBeatIsTooEarly) {
  Trace trace;
  trace.aw(burst(1)).w(true);
  trace.cycles.back().b = {{true, true}, 1, Axi4Response::okay};
  EXPECT_EQ(broken_by(trace).front(), "BRESP_WLAST");
  Trace read;
  read.ar(burst(1));
  read.cycles.back().r.valid = read.cycles.back().r.ready = read.cycles.back().r.last = true;
  read.cycles.back().r.id = 1;
  EXPECT_EQ(broken_by(read).front(), "RID");
}

TEST(Axi4Checker, SaysWhereWhoAndWhat) {
  std::vector<std::string> texts;
  Axi4Checker checker(kShape, [&](const Axi4Violation& violation) { texts.push_back(to_text(violation)); });
  Trace trace;
  trace.idle().write(burst(2, Axi4BurstType::incr, 0x1ff8, 3, 5));
  for (const Axi4Cycle& each : trace.cycles) checker.cycle(each);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts[0],
            "AWADDR_BOUNDARY in cycle 2, ID 5: no burst crosses a 4 KB boundary; seen: write of 2 x 8 B at "
            "0x1ff8, INCR, ID 5");
  EXPECT_EQ(checker.cycles(), 5U);
  EXPECT_TRUE(checker.idle());
}

}  // namespace
}  // namespace wafertlm
