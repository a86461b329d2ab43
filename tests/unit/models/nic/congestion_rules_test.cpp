// SPDX-License-Identifier: Apache-2.0
// Each scheme alone: what one event does (shared/reference/ethernet.md, section 3).
#include <gtest/gtest.h>

#include <cmath>

#include "models/nic/congestion/presets.h"
#include "models/nic/congestion/schemes.h"
#include "models/nic/congestion/tuning.h"
#include "tests/unit/models/nic/times.h"

namespace wafertlm::nic {
namespace {

constexpr PathParams kPath{12'500'000'000, 12 * kUs, 1000, 1};  // 100 Gb/s, 150,000 bytes
constexpr double kLine = 12.5e9, kBdp = 150e3;

AckEvent ack_at(TimePs now, TimePs rtt, std::uint64_t acknowledged, std::uint64_t sent, bool marked = false,
                std::uint64_t bytes = 1000) {
  AckEvent ack;
  ack.now_ps = now;
  ack.rtt_ps = rtt;
  ack.acked_bytes = bytes;
  ack.acknowledged = acknowledged;
  ack.sent = sent;
  ack.marked = marked;
  return ack;
}

void run_timers(CongestionControl& control, TimePs until) {
  while (control.timer_ps() <= until) control.on_timer(control.timer_ps());
}

TEST(NoControl, SendsAtTheLine) {
  const auto control = make_scheme(NoControlParams{}, kPath);
  EXPECT_EQ(control->rate_bytes_per_s(), kLine);
  EXPECT_TRUE(control->may_send(std::uint64_t{1} << 50, 1000));
  EXPECT_EQ(control->timer_ps(), kNever);
}

TEST(Tuning, ReplacesWhatASchemeHasAndNamesTheRest) {
  Tuning tuning;
  tuning.increase_timer_ps = 300 * kUs;
  tuning.g = .25;
  tuning.least_bytes_per_s = 7;
  std::vector<const void*> unused;
  const auto dcqcn = std::get<DcqcnParams>(tuned(DcqcnParams{}, tuning, unused));
  EXPECT_TRUE(unused.empty());
  EXPECT_EQ(dcqcn.increase_timer_ps, 300 * kUs);
  EXPECT_EQ(dcqcn.g, .25);
  EXPECT_EQ(dcqcn.least_bytes_per_s, 7);
  EXPECT_EQ(dcqcn.additive_bytes_per_s, DcqcnParams().additive_bytes_per_s);
  const auto timely = std::get<TimelyParams>(tuned(TimelyParams{}, tuning, unused));
  EXPECT_EQ(timely.least_bytes_per_s, 7);
  EXPECT_EQ(unused, (std::vector<const void*>{&tuning.increase_timer_ps, &tuning.g}));
  for (const SchemePreset& preset : scheme_presets()) {
    unused.clear();
    tuned(preset.params, Tuning(), unused);
    EXPECT_TRUE(unused.empty()) << preset.name;
  }
}

/// The paper's increments are for 40 Gb/s: as parts of the line a flow of 400 Gb/s takes the same course.
TEST(Tuning, RatesGrowWithTheLine) {
  PathParams fast = kPath;
  fast.bytes_per_s *= 10;
  SchemeParams scaled = DcqcnParams{};
  ASSERT_TRUE(scale_rates_from(scaled, kPath.bytes_per_s));
  const auto as_it_is = make_scheme(DcqcnParams{}, kPath), ten_times = make_scheme(scaled, fast),
             unscaled = make_scheme(DcqcnParams{}, fast);
  for (auto* control : {as_it_is.get(), ten_times.get(), unscaled.get()}) {
    for (const TimePs at : {0, 60, 200}) {
      run_timers(*control, at * kUs);
      control->on_cnp(at * kUs);
    }
    run_timers(*control, 20'000 * kUs);
  }
  EXPECT_DOUBLE_EQ(ten_times->rate_bytes_per_s(), 10 * as_it_is->rate_bytes_per_s());
  EXPECT_LT(unscaled->rate_bytes_per_s(), 0.99 * ten_times->rate_bytes_per_s());
  SchemeParams hpcc = HpccParams{};
  EXPECT_FALSE(scale_rates_from(hpcc, 1));
}

TEST(Dcqcn, OneCnpHalvesAndFiveStagesRecover) {
  DcqcnParams params;
  params.byte_counter = 0;
  Dcqcn control(params, kPath);
  EXPECT_TRUE(control.is_as_new());
  control.on_cnp(0);
  EXPECT_FALSE(control.is_as_new());
  EXPECT_DOUBLE_EQ(control.rate_bytes_per_s() / kLine, .5);
  EXPECT_DOUBLE_EQ(control.alpha(), 1);
  double expected = .5;
  for (int stage = 1; stage <= 5; ++stage) {
    const TimePs at = TimePs(stage) * 55 * kUs;
    run_timers(control, at - 1);
    EXPECT_DOUBLE_EQ(control.rate_bytes_per_s() / kLine, expected) << stage;
    run_timers(control, at);
    expected = (1 + expected) / 2;
    EXPECT_DOUBLE_EQ(control.rate_bytes_per_s() / kLine, expected) << stage;
  }
  EXPECT_DOUBLE_EQ(expected, .984375);
}

TEST(Dcqcn, AlphaDecaysWithoutCnpsAndGrowsWithThem) {
  Dcqcn control({}, kPath);
  control.on_cnp(0);
  run_timers(control, 3 * 55 * kUs);
  const double decayed = std::pow(255.0 / 256, 3);
  EXPECT_DOUBLE_EQ(control.alpha(), decayed);
  const double rate = control.rate_bytes_per_s();
  control.on_cnp(3 * 55 * kUs + 1);
  EXPECT_DOUBLE_EQ(control.rate_bytes_per_s(), rate * (1 - decayed / 2));
  EXPECT_DOUBLE_EQ(control.target_bytes_per_s(), rate);
  EXPECT_DOUBLE_EQ(control.alpha(), decayed * 255 / 256 + 1.0 / 256);
  EXPECT_EQ(control.timer_ps(), 4 * 55 * kUs + 1);
}

/// Stages by bytes and by time: additive when one has passed F, i · R_HAI when both have.
TEST(Dcqcn, TheTargetGrowsByStages) {
  DcqcnParams params;
  params.byte_counter = 1'000'000;
  params.fast_recovery = 2;
  params.additive_bytes_per_s = 1e6;
  params.hyper_bytes_per_s = 1e7;
  Dcqcn control(params, kPath);
  control.on_cnp(0);
  control.on_cnp(1);  // target: half the line
  double target = control.target_bytes_per_s();
  control.on_sent(2'000'000, 2);
  EXPECT_EQ(control.target_bytes_per_s(), target);  // byte stages 1 and 2
  control.on_sent(999'999, 2);
  EXPECT_EQ(control.target_bytes_per_s(), target);
  control.on_sent(1, 2);
  EXPECT_EQ(control.target_bytes_per_s(), target += 1e6);  // stage 3
  run_timers(control, 1 + 2 * 55 * kUs);
  EXPECT_EQ(control.target_bytes_per_s(), target += 2e6);  // time stages 1 and 2 while bytes are at 3
  run_timers(control, 1 + 3 * 55 * kUs);
  EXPECT_EQ(control.target_bytes_per_s(), target += 1e7);  // both at 3: 1 · R_HAI
  run_timers(control, 1 + 4 * 55 * kUs);
  EXPECT_EQ(control.target_bytes_per_s(), target += 1e7);
  control.on_sent(1'000'000, 2);
  EXPECT_EQ(control.target_bytes_per_s(), target += 2e7);  // both at 4
}

/// ConnectX and ns-3: the rate falls once per interval, α follows its own timer.
TEST(Dcqcn, FirmwareDecreasesOncePerInterval) {
  DcqcnParams params;
  params.decrease_interval_ps = 4 * kUs;
  params.alpha_timer_ps = kUs;
  params.alpha_grows_by_timer = true;
  params.increase_timer_ps = 300 * kUs;
  params.byte_counter = 0;
  params.fast_recovery = 1;
  params.additive_bytes_per_s = 1e6;
  params.hyper_bytes_per_s = 1e7;
  Dcqcn control(params, kPath);
  for (TimePs now = 0; now < 4 * kUs; now += kUs / 2) {
    run_timers(control, now);
    control.on_cnp(now);
  }
  EXPECT_DOUBLE_EQ(control.rate_bytes_per_s(), kLine / 2);
  run_timers(control, 4 * kUs);
  EXPECT_DOUBLE_EQ(control.rate_bytes_per_s(), kLine / 4);  // α stayed 1: CNPs in every interval
  run_timers(control, 8 * kUs);                             // none has come since
  EXPECT_DOUBLE_EQ(control.rate_bytes_per_s(), kLine / 4);
  EXPECT_LT(control.alpha(), 1);
  const double target = control.target_bytes_per_s();
  run_timers(control, 304 * kUs);
  EXPECT_EQ(control.target_bytes_per_s(), target);
  run_timers(control, 604 * kUs);
  EXPECT_EQ(control.target_bytes_per_s(), target + 1e6);
  run_timers(control, 904 * kUs);
  EXPECT_EQ(control.target_bytes_per_s(), target + 1.1e7);
}

TEST(Dcqcn, ALineThatIsReachedNeedsNoTimer) {
  DcqcnParams params;
  params.additive_bytes_per_s = 1e9;
  Dcqcn control(params, kPath);
  control.on_cnp(0);
  for (TimePs now = 0; now < 10'000 * kUs; now += 55 * kUs) run_timers(control, now);
  EXPECT_EQ(control.rate_bytes_per_s(), kLine);
  run_timers(control, kUs * 1'000'000);
  control.on_sent(1'000'000'000, 0);
  EXPECT_EQ(control.rate_bytes_per_s(), kLine);
}

TEST(Dctcp, AlphaFollowsTheShareAndTheWindowFallsByHalfOfIt) {
  DctcpParams params;
  params.initial_alpha = 0;
  Dctcp control(params, kPath);
  EXPECT_DOUBLE_EQ(control.window_bytes(), kBdp);
  control.on_ack(ack_at(1, 12 * kUs, 1000, 150'000));  // the first round ends, unmarked
  EXPECT_EQ(control.alpha(), 0);
  EXPECT_DOUBLE_EQ(control.window_bytes(), kBdp + 1000 * 1000 / kBdp);
  for (std::uint64_t i = 2; i <= 150; ++i) control.on_ack(ack_at(1, 12 * kUs, i * 1000, 150'000 + i * 1000));
  EXPECT_NEAR(control.window_bytes(), kBdp + 1000, 5);  // a packet in a round trip
  // A round with 30 of 150 packets marked.
  for (std::uint64_t i = 151; i <= 300; ++i) control.on_ack(ack_at(1, 12 * kUs, i * 1000, 300'000, i > 270));
  const double before = control.window_bytes();
  EXPECT_EQ(control.alpha(), 0);  // the round that began at 150 ends with the next ACK
  control.on_ack(ack_at(1, 12 * kUs, 301'000, 451'000, true));
  EXPECT_NEAR(control.alpha(), 31.0 / 149 / 16, 1e-3);
  EXPECT_DOUBLE_EQ(control.window_bytes(), before * (1 - control.alpha() / 2));
  const double cut = control.window_bytes();
  control.on_ack(ack_at(1, 12 * kUs, 302'000, 452'000, true));  // once per round trip
  EXPECT_GE(control.window_bytes(), cut);
}

TEST(Timely, BranchesByRttAndGradient) {
  TimelyParams params;
  Timely control(params, kPath);
  control.on_rtt(1000 * kUs);  // above Thigh: 1 − .8 (1 − 500/1000)
  EXPECT_DOUBLE_EQ(control.rate_bytes_per_s(), .6 * kLine);
  control.on_rtt(49 * kUs);
  EXPECT_DOUBLE_EQ(control.rate_bytes_per_s(), .6 * kLine + 1.25e6);
  Timely fresh(params, kPath);
  fresh.on_rtt(1000 * kUs);
  double rate = fresh.rate_bytes_per_s();
  for (int i = 1; i <= 7; ++i) {
    fresh.on_rtt((300 - TimePs(i)) * kUs);
    rate += (i >= 5 ? 5 : 1) * 1.25e6;
    EXPECT_DOUBLE_EQ(fresh.rate_bytes_per_s(), rate) << i;
  }
  Timely rises(params, kPath);
  rises.on_rtt(100 * kUs);
  rises.on_rtt(104 * kUs);  // gradient .875 · 4 / 20
  EXPECT_DOUBLE_EQ(rises.gradient(), .175);
  EXPECT_DOUBLE_EQ(rises.rate_bytes_per_s(), kLine * (1 - .8 * .175));
}

TEST(Timely, TakesARoundTripPerSegment) {
  Timely control({}, kPath);
  for (int i = 1; i < 16; ++i) control.on_ack(ack_at(1, 1000 * kUs, 0, 0));
  EXPECT_EQ(control.rate_bytes_per_s(), kLine);
  control.on_ack(ack_at(1, 1000 * kUs, 0, 0));
  EXPECT_DOUBLE_EQ(control.rate_bytes_per_s(), .6 * kLine);
}

TEST(Timely, PatchedFollowsTheDistance) {
  TimelyParams params;
  params.patched = true;
  Timely control(params, kPath);
  control.on_rtt(60 * kUs);  // gradient 0: half of each; (60 − 50) / 50
  EXPECT_DOUBLE_EQ(control.rate_bytes_per_s(), 1.25e6 / 2 + kLine * (1 - .8 * .5 * .2));
}

HopTelemetry hop(std::uint64_t queue, std::uint64_t sent, TimePs at) {
  return {queue, sent, at, 12'500'000'000};
}

TEST(Hpcc, AQueueOfHalfABdpOnAFullLine) {
  HpccParams params;
  params.additive_bytes = 0;
  Hpcc control(params, kPath);
  AckEvent ack = ack_at(0, 12 * kUs, 1000, 150'000);
  HopTelemetry first = hop(75'000, 0, 0), second = hop(75'000, 150'000, 12 * kUs);
  ack.hops = &first;
  ack.hop_count = 1;
  control.on_ack(ack);
  EXPECT_DOUBLE_EQ(control.window_bytes(), kBdp);
  ack.hops = &second;
  control.on_ack(ack);
  EXPECT_DOUBLE_EQ(control.utilisation(), 1.5);
  EXPECT_NEAR(control.window_bytes() / kBdp, .6333, 4e-5);
  // Within the round trip the reference stays: another ACK of the same state does not cut again.
  HopTelemetry third = hop(75'000, 300'000, 24 * kUs);
  ack.hops = &third;
  control.on_ack(ack);
  EXPECT_NEAR(control.window_bytes() / kBdp, .6333 * .6333, 1e-4);  // Wc was replaced by the first one …
  HopTelemetry fourth = hop(75'000, 450'000, 36 * kUs);
  ack.hops = &fourth;
  control.on_ack(ack);
  EXPECT_NEAR(control.window_bytes() / kBdp, .6333 * .6333, 1e-4);  // … and not since: 1000 <= 150,000
}

TEST(Hpcc, HalfAnIntervalCountsHalf) {
  Hpcc control({}, kPath);
  AckEvent ack = ack_at(0, 12 * kUs, 1000, 150'000);
  ack.hop_count = 1;
  HopTelemetry first = hop(0, 0, 0), second = hop(1000, 25'000, 6 * kUs);  // min(q) 0; a third of the line
  ack.hops = &first;
  control.on_ack(ack);
  ack.hops = &second;
  control.on_ack(ack);
  EXPECT_NEAR(control.utilisation(), .5 * 1 + .5 / 3, 1e-12);
}

TEST(Hpcc, GrowsInStagesBelowEta) {
  HpccParams params;
  params.max_stage = 2;
  Hpcc control(params, kPath);
  std::uint64_t bytes = 0;
  TimePs at = 0;
  std::vector<HopTelemetry> hops(1);
  const auto round = [&](std::uint64_t sent) {
    hops[0] = hop(0, bytes += sent, at += 12 * kUs);
    AckEvent ack = ack_at(at, 12 * kUs, bytes + 1000, bytes + 1000);
    ack.hops = hops.data();
    ack.hop_count = 1;
    control.on_ack(ack);
    return control.window_bytes();
  };
  round(0);
  const double low = round(300'000);  // U = 2: the window halves
  EXPECT_NEAR(low, .95 / 2 * kBdp + 80, 1e-6);
  EXPECT_NEAR(round(75'000), low + 80, 1e-6);
  EXPECT_NEAR(round(75'000), low + 160, 1e-6);
  EXPECT_NEAR(round(75'000), (low + 160) * .95 / .5 + 80, 1e-6);  // after two stages by η/U
}

TEST(Swift, TargetAndDecrease) {
  SwiftParams params;
  Swift control(params, kPath);
  const double base = 20.0 * kUs;
  EXPECT_NEAR(control.target_ps(), base * (1 + 1 / 6.55), 1);  // 150 packets: no flow term
  double window = control.window_bytes();
  control.on_ack(ack_at(0, 12 * kUs, 1000, 0));
  EXPECT_DOUBLE_EQ(control.window_bytes(), window += 1000 * 1000 / kBdp);
  const double target = control.target_ps();
  control.on_ack(ack_at(100 * kUs, 30 * kUs, 2000, 0));
  EXPECT_DOUBLE_EQ(control.window_bytes(), window *= 1 - .8 * (1 - target / (30.0 * kUs)));
  control.on_ack(ack_at(129 * kUs, 30 * kUs, 3000, 0));  // within the round trip
  EXPECT_DOUBLE_EQ(control.window_bytes(), window);
  control.on_ack(ack_at(1200 * kUs, 1000 * kUs, 4000, 0));
  EXPECT_NEAR(control.window_bytes(), window * .5, 1e-6);
}

TEST(Swift, SmallWindowsRaiseTheTargetAndPaceBelowAPacket) {
  SwiftParams params;
  Swift control(params, kPath);
  TimePs now = 0;
  for (int i = 0; i < 12; ++i) control.on_loss({now += 100 * kUs, false});
  EXPECT_NEAR(control.window_bytes(), kBdp / 4096, 1e-6);
  EXPECT_NEAR(control.rate_bytes_per_s(), kBdp / 4096 / 12e-6, 1);
  EXPECT_NEAR(control.target_ps(), 20e6 * (1 + 1 / 6.55) + 100e6, 1);  // the whole range
}

TEST(PowerTcp, PowerOfAPortIsCurrentTimesVoltage) {
  PowerTcp control({}, kPath);
  AckEvent ack = ack_at(0, 12 * kUs, 1000, 150'000);
  ack.hop_count = 1;
  HopTelemetry first = hop(0, 0, 0), second = hop(30'000, 150'000, 12 * kUs);
  ack.hops = &first;
  control.on_ack(ack);
  ack.hops = &second;
  control.on_ack(ack);
  EXPECT_NEAR(control.power(), (1 + .2) * 1.2, 1e-12);
  EXPECT_NEAR(control.window_bytes(), .9 * (kBdp / 1.44 + kBdp / 10) + .1 * kBdp, 1e-6);
}

TEST(Nscc, FourCases) {
  NsccParams params;
  params.delay_ewma = 1;
  params.eta_packets = 0;
  const double a = kBdp / 150e3;
  const TimePs target = 9 * kUs, base = 12 * kUs;
  {
    Nscc control(params, kPath);
    EXPECT_DOUBLE_EQ(control.window_bytes(), 1.5 * kBdp);
    EXPECT_DOUBLE_EQ(control.target_ps(), double(target));
    control.on_ack(ack_at(base, base + 2 * target, 1000, 0, true));  // average twice the target
    EXPECT_NEAR(control.window_bytes(), .6 * 1.5 * kBdp, 1e-6);
    double window = control.window_bytes();
    control.on_ack(ack_at(base + 1, base + 2 * target, 2000, 0, true));  // once per round trip
    EXPECT_DOUBLE_EQ(control.window_bytes(), window);
    control.on_ack(ack_at(base + 2, base + target, 3000, 0));  // no mark, long
    EXPECT_DOUBLE_EQ(control.window_bytes(), window + 5 * 1000 * a * 1000 / window);
    window = control.window_bytes();
    control.on_ack(ack_at(base + 3, base + 3 * kUs, 4000, 0));  // no mark, 6 µs below the target
    EXPECT_DOUBLE_EQ(control.window_bytes(), window + 4 * 1000 * a * .5 * 1000 / window);
    window = control.window_bytes();
    control.on_ack(ack_at(base + 4, base + 3 * kUs, 5000, 0, true));  // marked, short: another path
    EXPECT_DOUBLE_EQ(control.window_bytes(), window);
    control.on_ack(ack_at(3 * base, base + 100 * target, 6000, 0, true));
    EXPECT_DOUBLE_EQ(control.window_bytes(), window * .5);
  }
}

TEST(Nscc, ALossShrinksToWhatCameThrough) {
  NsccParams params;
  Nscc control(params, kPath);
  for (std::uint64_t i = 1; i <= 20; ++i) control.on_ack(ack_at(1, 12 * kUs, i * 1000, 10));
  const double window = control.window_bytes();
  control.on_loss({100 * kUs, true});  // 20,000 of 225,000: below an eighth
  EXPECT_DOUBLE_EQ(control.window_bytes(), 20'000);
  EXPECT_LT(control.window_bytes(), window);
  control.on_loss({101 * kUs, true});  // not again at once
  EXPECT_DOUBLE_EQ(control.window_bytes(), 20'000);
}

TEST(ReceiverDriven, SendsABdpAndThenWhatIsPulled) {
  ReceiverDriven control({}, kPath);
  for (int i = 0; i < 150; ++i) {
    ASSERT_TRUE(control.may_send(0, 1000));
    control.on_sent(1000, 0);
  }
  EXPECT_FALSE(control.may_send(0, 1));
  control.on_pull(1000, 0);
  EXPECT_TRUE(control.may_send(1'000'000, 1000));
  EXPECT_FALSE(control.may_send(0, 1001));
  EXPECT_FALSE(control.is_as_new());
  control.on_all_acknowledged();  // and so again
  EXPECT_TRUE(control.is_as_new());
  EXPECT_TRUE(control.may_send(0, 150'000));
  EXPECT_FALSE(control.may_send(0, 150'001));
}

TEST(PullPacer, TakesSendersInTurnAtTheLine) {
  PullPacer pacer(12'500'000'000);
  EXPECT_EQ(pacer.next_ps(), kNever);
  for (const std::uint32_t sender : {1U, 2U, 2U, 3U, 2U}) pacer.owe(sender);
  std::vector<std::uint32_t> order;
  TimePs now = 7;
  while (!pacer.is_empty()) {
    if (!order.empty()) {
      EXPECT_EQ(pacer.next_ps(), now + 334'240);
    }
    now = std::max(now, pacer.next_ps());
    order.push_back(pacer.pull(4178, now));
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 3, 2, 2}));
  pacer.owe(1);
  pacer.owe(2);
  pacer.forget(1);
  EXPECT_EQ(pacer.pull(84, now), 2U);
  EXPECT_TRUE(pacer.is_empty());
}

TEST(Schemes, SayTheirNamesAndNeeds) {
  EXPECT_STREQ(needs_of(NoControlParams{}).name, "none");
  EXPECT_TRUE(needs_of(HpccParams{}).telemetry && needs_of(PowerTcpParams{}).telemetry);
  EXPECT_TRUE(needs_of(DctcpParams{}).marks && needs_of(NsccParams{}).marks && needs_of(DcqcnParams{}).cnps);
  EXPECT_EQ(needs_of(DcqcnParams{}).cnp_interval_ps, 50 * kUs);
  EXPECT_TRUE(needs_of(ReceiverDrivenParams{}).pulls);
  EXPECT_FALSE(needs_of(SwiftParams{}).telemetry || needs_of(TimelyParams{}).marks);
  const PathParams path{};
  for (const SchemePreset& each : scheme_presets()) {
    const SchemeNeeds needs = needs_of(each.params);
    EXPECT_EQ(make_scheme(each.params, path)->is_as_new(), !needs.remembers) << each.name;
  }
}

}  // namespace
}  // namespace wafertlm::nic
