// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/axi4/stress/memory_stress.h"

#include <algorithm>
#include <ctime>
#include <list>
#include <utility>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kPatience = 5000;  // cycles without a handshake

bool overlap(const Axi4Burst& a, const Axi4Burst& b) {
  const auto x = a.range(), y = b.range();
  return x[0] < y[1] && y[0] < x[1];
}

/// Plays bursts into a memory and compares.
class MemoryPlay {
 public:
  MemoryPlay(const RtlDesign& design, RtlModel& model, RtlModel* twin, const Axi4Play& play)
      : shape_(axi4_shape(design)),
        most_(play.most_under_way),
        bench_(design, model, [this](const Axi4Violation& violation) { fail(violation); }),
        master_([this](Axi4Transaction&& over) { done(std::move(over)); }, play.stalls) {
    if (twin) bench_.set_twin(*twin);
  }

  Axi4PlayResult run(const std::vector<Axi4Transaction>& transactions) {
    bench_.reset();
    play(transactions);
    play(read_back());
    if (!result_.failure) bench_.finish();
    result_.cycles = bench_.cycles();
    return result_;
  }

 private:
  void play(const std::vector<Axi4Transaction>& transactions) {
    auto next = transactions.begin();
    std::uint64_t last_move = bench_.cycles();
    while (!result_.failure && (next != transactions.end() || master_.under_way() != 0)) {
      while (next != transactions.end() && under_way_.size() < most_ && may_go(*next)) issue(*next++);
      const Axi4Cycle& pins = bench_.cycle(master_);
      const bool moves = std::any_of(kAxi4Channels.begin(), kAxi4Channels.end(),
                                     [&](Axi4Channel channel) { return pins.handshake(channel).done(); });
      if (moves) last_move = bench_.cycles();
      if (bench_.cycles() - last_move > kPatience) return bench_.finish();
    }
  }
  bool may_go(const Axi4Transaction& next) const {
    return std::none_of(under_way_.begin(), under_way_.end(), [&](const Axi4Transaction& each) {
      return (each.write || next.write) && overlap(each.burst, next.burst);
    });
  }
  void issue(const Axi4Transaction& next) {
    if (next.write) reference_.write(next, shape_.data_bytes);
    under_way_.push_back(next);
    under_way_.back().tag = ++issued_;
    ++result_.transactions;
    result_.beats += next.burst.beats;
    master_.issue(under_way_.back());
  }
  void done(Axi4Transaction&& over) {
    const auto found = std::find_if(under_way_.begin(), under_way_.end(),
                                    [&](const Axi4Transaction& each) { return each.tag == over.tag; });
    under_way_.erase(found);
    const Axi4Channel channel = over.write ? Axi4Channel::b : Axi4Channel::r;
    const std::string what = to_text(over.burst, over.write);
    if (over.response >= Axi4Response::slverr)
      fail({&axi4_rule(Axi4Check::okay, channel), bench_.cycles(), over.burst.id,
            say(over.response == Axi4Response::slverr ? "SLVERR" : "DECERR", " for the ", what)});
    if (over.write) return;
    const auto wrong = reference_.compare(over.burst, over.data, shape_.data_bytes);
    if (!wrong) return;
    const bool is_of_another = master_.younger_read(over.burst.id, [&](const Axi4Transaction& younger) {
      return younger.burst.beats == over.burst.beats &&
             !reference_.compare(younger.burst, over.data, shape_.data_bytes);
    });
    fail({&axi4_rule(is_of_another ? Axi4Check::order : Axi4Check::data, Axi4Channel::r), bench_.cycles(),
          over.burst.id, say(what, ": ", *wrong)});
  }
  /// Of all that was written.
  std::vector<Axi4Transaction> read_back() const {
    std::vector<Axi4Transaction> reads;
    Axi4Draws draws(1);
    const std::uint32_t line_bytes = shape_.data_bytes;
    for (const std::uint64_t line : reference_.lines(line_bytes)) {
      if (!reads.empty() && line % kAxi4Boundary != 0 && reads.back().burst.range()[1] == line) {
        ++reads.back().burst.beats;
        continue;
      }
      reads.push_back(plain_transaction(shape_, false, line, 1, draws));
      reads.back().burst.id = static_cast<std::uint32_t>(reads.size() % (std::size_t{1} << shape_.id_bits));
    }
    return reads;
  }
  void fail(const Axi4Violation& violation) {
    if (!result_.failure) result_.failure = violation;
  }

  const Axi4Shape shape_;
  const std::size_t most_;
  Axi4Bench bench_;
  Axi4Master master_;
  Axi4Reference reference_;
  std::list<Axi4Transaction> under_way_;
  std::uint64_t issued_ = 0;
  Axi4PlayResult result_;
};

/// Bursts alone, which take LATENCY cycles, and many that leave no cycle out.
std::optional<Axi4Violation> time_alone(const RtlDesign& design, RtlModel& model) {
  const Axi4Shape shape = axi4_shape(design);
  std::optional<Axi4Violation> failure;
  std::vector<Axi4Transaction> over;
  Axi4Bench bench(design, model, [&](const Axi4Violation& violation) {
    if (!failure) failure = violation;
  });
  Axi4Master master([&](Axi4Transaction&& each) { over.push_back(std::move(each)); });
  Axi4Draws draws(1);
  bench.reset();
  const auto run = [&](bool write, std::uint32_t bursts, std::uint32_t beats) {
    over.clear();
    for (std::uint32_t n = 0; n < bursts; ++n)
      master.issue(plain_transaction(shape, write, n * kAxi4Boundary, beats, draws));
    for (std::uint64_t left = kPatience; left != 0 && !failure && master.under_way() != 0; --left)
      bench.cycle(master);
    if (over.size() < bursts) bench.finish();
    return !failure;
  };
  const auto require = [&](bool holds, Axi4Check check, Axi4Channel channel, const std::string& seen) {
    if (!holds && !failure) failure = Axi4Violation{&axi4_rule(check, channel), bench.cycles(), 0, seen};
  };
  for (const bool write : {true, false}) {
    const Axi4Channel answer = write ? Axi4Channel::b : Axi4Channel::r;
    for (const std::uint32_t beats : {1U, 4U}) {
      if (!run(write, 1, beats)) return failure;
      const std::uint64_t took = over[0].done - over[0].started;
      require(took == design.latency + beats - 1, Axi4Check::latency, answer,
              say(to_text(over[0].burst, write), " took ", took, " cycles"));
    }
    const auto beats =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(256, kAxi4Boundary / shape.data_bytes));
    if (!run(write, 16, beats)) return failure;
    const std::uint64_t took = over.back().done - over.front().started, least = 16 * beats + design.latency;
    require(took <= least + least / 20 + 4, Axi4Check::rate, write ? Axi4Channel::w : Axi4Channel::r,
            say(16 * beats, " beats in ", took, " cycles"));
  }
  return failure;
}

Axi4Play random_play(const Axi4Shape& shape, std::uint32_t transactions, std::uint64_t seed) {
  Axi4Draws draws(seed ^ 0x5eed);
  Axi4Play play;
  play.transactions = random_transactions(shape, transactions, seed);
  if (draws(4) != 0) play.stalls = Axi4Stalls(seed);
  constexpr std::size_t kMost[] = {1, 4, 16, 64};
  play.most_under_way = kMost[draws(4)];
  return play;
}

/// Leaves out what the failure does not need: halves, quarters, … single bursts.
void shrink(Axi4Play& play, std::uint32_t plays, const std::function<bool(const Axi4Play&)>& fails) {
  for (std::size_t part = play.transactions.size() / 2; part != 0; part /= 2)
    for (std::size_t from = 0; from < play.transactions.size() && plays != 0;) {
      Axi4Play smaller = play;
      const auto first = smaller.transactions.begin() + static_cast<std::ptrdiff_t>(from);
      const auto count = std::min(part, smaller.transactions.size() - from);
      smaller.transactions.erase(first, first + static_cast<std::ptrdiff_t>(count));
      --plays;
      if (fails(smaller))
        play = std::move(smaller);
      else
        from += part;
    }
}

}  // namespace

Axi4PlayResult play_axi4(const RtlDesign& design, RtlModel& model, RtlModel* twin, const Axi4Play& play) {
  return MemoryPlay(design, model, twin, play).run(play.transactions);
}

Axi4StressResult stress_axi4_memory(const RtlDesign& design, RtlModel& model, RtlModel* twin,
                                    const Axi4StressOptions& options, const Axi4Progress& progress) {
  const std::clock_t begin = std::clock();
  const auto seconds = [&] { return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC; };
  const Axi4Shape shape = axi4_shape(design);
  Axi4StressResult result;
  if (design.latency != 0) {
    result.failure = time_alone(design, model);
    if (!result.passed()) result.stimulus = {"bursts alone"};
  }
  constexpr std::uint32_t kOneWithTwin = 4;  // it takes twice as long
  for (std::uint32_t i = 0; result.passed() && (options.cases == 0 || i < options.cases); ++i) {
    if (options.seconds != 0 && seconds() > options.seconds) break;
    Axi4Play play = random_play(shape, options.transactions, options.seed + i);
    RtlModel* const beside = i % kOneWithTwin == 0 ? twin : nullptr;
    const Axi4PlayResult played = play_axi4(design, model, beside, play);
    ++result.cases;
    result.transactions += played.transactions;
    result.beats += played.beats;
    result.cycles += played.cycles;
    if (progress) progress(result);
    if (!played.failure) continue;
    result.failed_seed = options.seed + i;
    shrink(play, options.shrink_plays, [&](const Axi4Play& smaller) {
      return play_axi4(design, model, beside, smaller).failure.has_value();
    });
    const Axi4PlayResult again = play_axi4(design, model, beside, play);
    result.failure = again.failure ? again.failure : played.failure;
    for (const Axi4Transaction& each : play.transactions)
      result.stimulus.push_back(to_text(each.burst, each.write));
  }
  return result;
}

}  // namespace wafertlm
