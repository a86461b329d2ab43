// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/rtl/stress_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <systemc>

#include "models/rtl/stress/stress.h"
#include "platform/commands/rtl/axi4_stress.h"
#include "platform/describe/fields.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/host/validators.h"
#include "platform/machine/rtl/configurations.h"
#include "platform/machine/rtl/named_design.h"
#include "platform/machine/rtl/rtl_waves.h"
#include "platform/machine/rtl/wave_options.h"

namespace wafertlm {
namespace {

/// What the RTL prints, as of failed assertions, must not get between our results.
class RtlPrintsToStderr {
 public:
  RtlPrintsToStderr() : stdout_(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~RtlPrintsToStderr() {
    std::fflush(stdout);
    dup2(stdout_, STDOUT_FILENO);
    close(stdout_);
  }
  RtlPrintsToStderr(const RtlPrintsToStderr&) = delete;
  RtlPrintsToStderr& operator=(const RtlPrintsToStderr&) = delete;

 private:
  int stdout_;
};

struct StressOptions {
  std::string design, coverage, limit = "60s";
  RtlWaveOptions waves;
  std::vector<std::string> plusargs;
  RtlStressOptions stress;
  std::optional<std::uint32_t> early_credits;
  std::optional<std::uint64_t> long_cycles;
  bool json = false;
};

nlohmann::ordered_json json_of(const RtlStressCoverage& coverage) {
  nlohmann::ordered_json cells = nlohmann::ordered_json::array();
  for (std::size_t kind = 0; kind < coverage.kinds(); ++kind)
    for (std::size_t pressure = 0; pressure < kRtlBackpressures; ++pressure)
      for (std::size_t fill = 0; fill < coverage.fills(); ++fill) {
        const auto of_kind = static_cast<RtlPacketKind>(kind);
        const auto of_pressure = static_cast<RtlBackpressure>(pressure);
        const auto of_fill = static_cast<RtlFill>(fill);
        const RtlStressCoverage::Cell cell = coverage.cell(of_kind, of_pressure, of_fill);
        cells.push_back({{"packet", to_string(of_kind)},
                         {"backpressure", to_string(of_pressure)},
                         {"fill", to_string(of_fill)},
                         {"pairs", cell.pairs},
                         {"packets", cell.packets}});
      }
  return {{"bins", coverage.bins()}, {"reached", coverage.reached()}, {"cells", cells}};
}

/// "output 2, entry 32770, packet 17", as far as it is known.
std::string place_of(const RtlDivergence& failure) {
  if (failure.output == RtlDivergence::kNowhere) return "somewhere";
  std::string text = fmt::format("{} {}", failure.at_input ? "input" : "output", failure.output);
  if (failure.flow != RtlDivergence::kNoPacket)
    text += fmt::format(", entry {}, packet {}", failure.flow, failure.sequence);
  return text;
}

std::string text_of(const RtlDivergence& failure) {
  const bool is_rule = failure.kind == RtlDivergenceKind::protocol;
  return fmt::format("{}: {}{}{}{}", place_of(failure),
                     is_rule ? "rule: " : fmt::format("{}: expected ", to_string(failure.kind)),
                     failure.expected, is_rule ? "; seen: " : ", got ", failure.got);
}

nlohmann::ordered_json stress_schema() {
  namespace schema = results::schema;
  const auto cell = schema::object({{"packet", schema::text()},
                                    {"backpressure", schema::text()},
                                    {"fill", schema::text()},
                                    {"pairs", schema::count()},
                                    {"packets", schema::count()}});
  return schema::object({{"design", schema::text()},
                         {"passed", schema::boolean()},
                         {"cases", schema::count()},
                         {"packets", schema::count()},
                         {"cycles", schema::count()},
                         {"long_cycles", schema::count()},
                         {"wait_cycles", schema::count()},
                         {"longest_wait_cycles", schema::count()},
                         {"most_passed", schema::count()},
                         {"early_credits", schema::count()},
                         {"coverage", schema::object({{"bins", schema::count()},
                                                      {"reached", schema::count()},
                                                      {"cells", schema::list(cell)}})},
                         {"failure", schema::object({{"seed", schema::count()},
                                                     {"what", schema::text()},
                                                     {"place", schema::text()},
                                                     {"repeats", schema::boolean()},
                                                     {"cycle", schema::count()},
                                                     {"packets", schema::count()},
                                                     {"stalls", schema::count()},
                                                     {"plays", schema::count()},
                                                     {"stimulus", schema::text()}})}},
                        nullptr, {"failure"});
}

nlohmann::ordered_json json_of(const RtlStressResult& result, const RtlDesign& design) {
  nlohmann::ordered_json json = {{"design", design.name},
                                 {"passed", result.passed()},
                                 {"cases", result.cases},
                                 {"packets", result.packets},
                                 {"cycles", result.cycles},
                                 {"long_cycles", result.long_cycles},
                                 {"wait_cycles", result.wait_cycles},
                                 {"longest_wait_cycles", result.longest_wait},
                                 {"most_passed", result.most_passed},
                                 {"early_credits", result.most_early},
                                 {"coverage", json_of(result.coverage)}};
  if (!result.passed())
    json["failure"] = {{"seed", result.failed_seed},
                       {"what", text_of(*result.outcome.failure)},
                       {"place", place_of(*result.outcome.failure)},
                       {"repeats", result.repeats},
                       {"cycle", result.outcome.failed_in_cycle},
                       {"packets", result.stimulus.packets.size()},
                       {"stalls", result.stimulus.stalls.size()},
                       {"plays", result.plays},
                       {"stimulus", to_text(result.stimulus, design)}};
  return json;
}

void print(const RtlStressResult& result, const RtlDesign& design, std::uint32_t early_credits,
           double cpu_s) {
  fmt::print("stress of {}: {}\n", design.name, result.passed() ? "nothing found" : "FAILED");
  fmt::print("  cases                     {} and those of alone, rate, turns; one of {} cycles\n",
             result.cases, result.long_cycles);
  fmt::print("  packets out               {}, a head waits {:.2f} cycles on the average, at most {}\n",
             result.packets,
             result.packets == 0
                 ? 0.0
                 : static_cast<double>(result.wait_cycles) / static_cast<double>(result.packets),
             result.longest_wait);
  fmt::print("  turns                     a packet was passed by at most {}\n", result.most_passed);
  fmt::print("  cycles                    {}, {:.0f} a second of this computer\n", result.cycles,
             static_cast<double>(result.cycles) / cpu_s);
  if (design.protocol == RtlProtocol::credit_stream)
    fmt::print("  credits before flits      {} of an input and channel, {} may\n", result.most_early,
               early_credits);
  fmt::print("  bins reached              {} of {}\n", result.coverage.reached(), result.coverage.bins());
  fmt::print("  not judged                times under other loads: `view: both` compares them\n\n{}",
             result.coverage.to_text());
  if (result.passed()) return;
  fmt::print("\n{}\n  in cycle {} of what is left of the case with --seed {}, after {} plays:\n{}",
             text_of(*result.outcome.failure), result.outcome.failed_in_cycle, result.failed_seed,
             result.plays, to_text(result.stimulus, design));
  if (!result.repeats)
    fmt::print("Played again it passes: what failed depends on what the module held before its reset.\n");
}

/// Waveforms of a stimulus, with its packets beside the pins.
class StressWaves final : public RtlPinWatch {
 public:
  StressWaves(const RtlDesign& design, RtlModel& model, const RtlStressParams& params, RtlWaveWindow window)
      : design_(design), model_(model), params_(params), window_(window) {
    params_.watch = this;
  }
  std::vector<std::string> write(RtlStimulus stimulus, const RtlWaveShown& seen, const std::string& path) {
    RtlWaveFiles files(path);
    const std::string file = files.working();
    // What comes before a reset in the middle is not shown: time begins again.
    bool has_begun = false;
    params_.begins = [&] {
      has_begun = true;
      packets_ = PacketWaves(design_.name, design_.ports, params_.clock, window_);
      came_.clear();
      model_.open_waves(file + ".pins", window_);
    };
    play_stimulus(design_, model_, params_, stimulus);
    stimulus.cycles_before_reset = 0;
    if (!has_begun) play_stimulus(design_, model_, params_, stimulus);  // it fails before
    model_.close_waves();
    packets_.end();
    for (const RtlEvent& each : came_) packets_.name(each);
    finish_rtl_waves(file, files.shown(), design_, packets_, seen);
    return files.commit();
  }

 private:
  void head_in(const RtlEvent& packet, TimePs at_ps) override {
    came_.push_back(packet);
    packets_.head_in(packet, at_ps);
  }
  void head_out(std::uint32_t output, const RtlHeader& header, TimePs at_ps) override {
    packets_.head_out(output, header, at_ps);
  }

  const RtlDesign& design_;
  RtlModel& model_;
  RtlStressParams params_;
  RtlWaveWindow window_;
  PacketWaves packets_{design_.name, design_.ports, params_.clock, window_};
  std::vector<RtlEvent> came_;
};

int run(const StressOptions& options) {
  const RtlDesign design = named_rtl_design(options.design, [](RtlProtocol) { return true; });
  if (!is_of_switch(design.protocol)) {
    const RtlStressOptions& from = options.stress;
    return run_axi4_stress(design, {from.seed, from.cases, from.seconds, from.packets, from.shrink_plays},
                           options.json);
  }
  const auto model = design.make("rtl");
  if (!options.coverage.empty() && !model->counts_coverage())
    throw std::invalid_argument("--coverage: the RTL design '" + design.name +
                                "' was built without it; give wafertlm_add_rtl VERILATOR_OPTIONS --coverage");
  model->set_plusargs(options.plusargs);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  RtlStressParams params;
  params.configuration = [&] { return rtl_configuration(design); };
  params.early_credits = options.early_credits.value_or(design.latency);
  const std::string file = options.waves.file("rtl_stress_" + design.name);
  const RtlWaveWindow window =
      options.waves.cycles(params.clock).value_or(RtlWaveWindow{params.clock.period_ps()});
  RtlStressProgress progress;
  if (isatty(STDERR_FILENO) != 0)
    progress = [](const std::string& line) { fmt::print(stderr, "stress: {}\n", line); };
  const std::clock_t begin = std::clock();
  const RtlStressResult result = [&] {
    const RtlPrintsToStderr others;
    RtlStressOptions how = options.stress;
    how.long_cycles = options.long_cycles.value_or(how.cases == 0 ? how.long_cycles : 0);
    return stress(design, *model, params, rtl_flow_rules(design), how, progress);
  }();
  const double cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (options.json)
    fmt::print("{}\n", json_of(result, design).dump(2));
  else
    print(result, design, params.early_credits, cpu_s);
  if (!options.coverage.empty()) {
    model->write_coverage(options.coverage);
    fmt::print(stderr, "coverage {}   (verilator_coverage --annotate DIR {})\n", options.coverage,
               options.coverage);
  }
  if (result.passed()) return 0;
  const RtlPrintsToStderr others;
  const std::uint64_t failed = result.outcome.failed_in_cycle, around = 40;
  const RtlWaveShown seen{params.clock.edge_ps(failed - std::min(failed, around)),
                          params.clock.edge_ps(failed + around), params.clock.edge_ps(failed)};
  const auto files = StressWaves(design, *model, params, window).write(result.stimulus, seen, file);
  fmt::print(stderr, "{}\n", rtl_waves_text(files));
  throw std::runtime_error("stress found a fault in " + design.name);
}

}  // namespace

std::pair<CLI::App*, std::function<int()>> add_stress_command(CLI::App& rtl) {
  auto options = std::make_shared<StressOptions>();
  CLI::App* command = rtl.add_subcommand(
      "stress",
      "Random traffic and random stalls until the RTL fails, and the shortest sequence that does it");
  command->add_option("DESIGN", options->design, "As of replay")->required()->type_name("NAME");
  add_shared_option(*command, "--seed", options->stress.seed, "of the first case; the next ones count on")
      ->check(not_negative())
      ->capture_default_str();
  add_shared_option(*command, "--limit", options->limit,
                    "processor time, a third of it for the long case; 0s: no limit")
      ->capture_default_str();
  command->add_option("--cases", options->stress.cases, "At most so many; 0: no limit")
      ->capture_default_str();
  command
      ->add_option("--long-cycles", options->long_cycles,
                   "At most, of a last case without a reset; 0: none. 1000000 if not given, with --cases 0")
      ->check(not_negative())
      ->type_name("CYCLES");
  command->add_option("--packets", options->stress.packets, "Of a case; with AXI4, transactions")
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  command
      ->add_option("--shrink", options->stress.shrink_plays,
                   "Plays at most that look for a shorter sequence; 0: the failing case as it is")
      ->capture_default_str();
  command
      ->add_option("--early-credits", options->early_credits,
                   "Flits of an input and channel whose credit may come back before they have left by all "
                   "outputs; LATENCY if not given")
      ->type_name("FLITS");
  command->add_option("--plusarg", options->plusargs, "For $test$plusargs and $value$plusargs, without the +")
      ->type_name("NAME=VALUE");
  command
      ->add_option(
          "--coverage", options->coverage,
          "Write lines and toggles that were reached, of a design built with VERILATOR_OPTIONS --coverage")
      ->type_name("FILE")
      ->check(names_output(OutputKind::file));
  options->waves.add_to(*command, "rtl_stress_DESIGN");
  add_json_flag(*command, options->json, [] {
    return nlohmann::ordered_json{{"oneOf", {stress_schema(), axi4_stress_schema()}}};
  });
  command->footer(
      "Examples:\n"
      "  wafertlm rtl stress fred3_12\n"
      "  wafertlm rtl stress fred3_12 --seed 4711 --cases 1    (that case again)");
  return {command, [options] {
            options->stress.seconds = seconds_of("--limit", options->limit);
            return run(*options);
          }};
}

}  // namespace wafertlm
