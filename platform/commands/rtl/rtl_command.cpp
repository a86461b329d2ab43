// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <systemc>

#include "models/rtl/random_stalls.h"
#include "models/rtl/recording.h"
#include "models/rtl/shadow.h"
#include "platform/commands/rtl/stimulus_files.h"
#include "platform/commands/rtl/stress_command.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/host/validators.h"
#include "platform/machine/rtl/configurations.h"
#include "platform/machine/rtl/named_design.h"
#include "platform/machine/rtl/packet_names.h"
#include "platform/machine/rtl/rtl_views.h"
#include "platform/machine/rtl/rtl_waves.h"
#include "platform/machine/rtl/wave_options.h"
#include "platform/text/aligned.h"
#include "platform/text/quantity.h"

namespace wafertlm {
namespace {

struct Options {
  std::string recording, design, tolerance, window = "100 ns";
  std::string folder;
  std::optional<std::uint64_t> stalls;
  RtlWaveOptions waves;
  bool json = false;
};

int print_designs(bool json) {
  if (json) {
    nlohmann::ordered_json designs = nlohmann::ordered_json::array();
    for (const RtlDesign& design : rtl_designs())
      designs.push_back({{"design", design.name},
                         {"top", design.top},
                         {"protocol", to_string(design.protocol)},
                         {"parameters", design.parameters}});
    print_json({{"designs", designs}});
    return 0;
  }
  if (!rtl_is_built() && rtl_designs().empty())
    fmt::print("none: built without Verilator (apt-get install verilator, then configure and build again)\n");
  TextRows rows;
  for (const RtlDesign& design : rtl_designs()) {
    std::string parameters;
    for (const std::string& each : design.parameters) parameters += " " + each;
    rows.push_back(
        {design.name, fmt::format("{} {},{}", design.top, to_string(design.protocol), parameters)});
  }
  fmt::print("{}", aligned(rows, "l", 0));
  return 0;
}

/// Ports stand still at random while anything is recorded.
std::unique_ptr<RandomStalls> stalls_of(const Options& options) {
  if (!options.stalls) return nullptr;
  RtlRecordingReader recording(options.recording);
  TimePs last_ps = 0;
  for (RtlEvent event; recording.next(event);) last_ps = std::max(last_ps, event.now_ps);
  const TimePs cycle_ps = RtlClock{recording.head().clock_hz}.period_ps();
  return std::make_unique<RandomStalls>(*options.stalls, last_ps / cycle_ps + 1);
}

/// @throws std::invalid_argument
std::optional<std::uint32_t> tolerance_of(const std::string& text) {
  if (text == "none") return {};
  std::istringstream number(text);
  std::uint32_t cycles = 0;
  if (text.empty() || text[0] == '-' || !(number >> cycles) || !number.eof())
    throw std::invalid_argument("--tolerance: a number of cycles, or none; not '" + text + "'");
  return cycles;
}

int replay(const Options& options) {
  RtlRecordingReader recording(options.recording);
  const RtlDesign design = named_rtl_design(options.design);
  RtlScoreboardOptions board;
  board.switch_name = recording.head().switch_name;
  board.tolerance = options.tolerance.empty() ? recording.head().tolerance : tolerance_of(options.tolerance);
  board.cycle_ps = RtlClock{recording.head().clock_hz}.period_ps();
  const TimePs window_ps = config::parse_time(options.window);
  const std::string file = options.waves.file("rtl_" + board.switch_name);
  const auto cycles_shown = options.waves.cycles(RtlClock{recording.head().clock_hz});
  // The second one is for the waveforms.
  const auto model = design.make("rtl"), again = design.make("rtl_again");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::unique_ptr<RandomStalls> stalls = stalls_of(options);
  if (stalls) board.tolerance.reset();
  RtlBenchParams bench = bench_params(recording, design, rtl_configuration(design));
  const std::vector<RtlProperty> properties =
      rtl_properties(recording.head().model, design, bench.clock, bench.rooms);
  bench.stalls = stalls.get();
  RtlShadow shadow(design, *model, std::move(bench), board);
  const std::clock_t begin = std::clock();
  std::uint64_t packets = 0;
  for (RtlEvent event; recording.next(event);) {
    packets += event.kind == RtlEvent::Kind::arrive ? 1 : 0;
    shadow.apply(event);
  }
  shadow.finish();
  const double cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const RtlScoreboard& result = shadow.scoreboard();
  const std::uint64_t cycles = shadow.bench().cycles();
  const RtlNames names = rtl_names_of(options.recording, result);
  if (options.json) {
    nlohmann::ordered_json json = to_json(result, names, properties);
    json["properties"] = to_json(properties);
    json["packets_in"] = packets;
    json["cycles"] = cycles;
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}: {} packets into {} of {}, {} cycles\n{}{}", options.recording, packets, design.name,
               result.options().switch_name, cycles, to_text(properties),
               result.report(names, names_of_differing(properties)));
    fmt::print("  speed                     {:.0f} cycles, {:.0f} packets a second of this computer\n",
               static_cast<double>(cycles) / cpu_s, static_cast<double>(packets) / cpu_s);
  }
  if (result.passed() && !options.waves.always()) return 0;
  const RtlWaveWindow window =
      cycles_shown ? *cycles_shown : rtl_window_around(result.first_divergence()->at_ps, window_ps);
  RtlWaveFiles waves(file);
  write_rtl_waves({options.recording, &design, rtl_configuration(design), again.get(), window.from_ps,
                   window.to_ps, waves.working(), waves.shown(), stalls.get(),
                   result.passed() ? std::nullopt : std::optional<TimePs>(result.first_divergence()->at_ps)});
  fmt::print(stderr, "{}\n", rtl_waves_text(waves.commit()));
  if (result.passed()) return 0;
  throw std::runtime_error(fmt::format("the RTL differs from the model in {} places", result.divergences()));
}

int export_stimulus(const Options& options) {
  const RtlDesign design = named_rtl_design(options.design);
  const RtlExported made =
      export_rtl_stimulus({options.recording, &design, rtl_configuration(design), options.folder});
  if (options.json) {
    print_json({{"recording", options.recording},
                {"design", design.top},
                {"packets_in", made.packets},
                {"packets_out", made.expected},
                {"written", made.files}});
    return 0;
  }
  fmt::print("{}: {} packets in, {} out, for {}\n", options.recording, made.packets, made.expected,
             design.top);
  for (const std::string& file : made.files) fmt::print("  {}\n", file);
  return 0;
}

}  // namespace

std::function<int()> add_rtl_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("rtl", "RTL of switches: designs, and recordings without a wafer");
  command->require_subcommand(1);
  CLI::App* designs = command->add_subcommand("designs", "List the RTL that is part of this program");
  add_json_flag(*designs, options->json);
  CLI::App* play = command->add_subcommand(
      "replay", "Play what a switch saw in a run into its RTL alone, and compare what comes out");
  play->add_option("RECORDING", options->recording, "What wafer.fabric.rtl with 'record' has written")
      ->required()
      ->type_name("FILE");
  add_shared_option(*play, "--design", options->design,
                    "or remote:SOCKET, what a simulator runs that comes to this Unix domain socket "
                    "(models/rtl/remote/wafertlm_rtl.h) within a minute")
      ->required();
  play->add_option(
          "--tolerance", options->tolerance,
          "Cycles by which a head or a tail may be early or late, or none: times are not judged; the "
          "recording's if not given")
      ->type_name("CYCLES");
  play->add_option("--window", options->window, "Of the waveforms around a first divergence")
      ->type_name("TIME");
  play->add_option("--stalls", options->stalls,
                   "Ports stand still at random, and times are not compared; a seed")
      ->type_name("SEED")
      ->check(not_negative())
      ->excludes("--tolerance");
  options->waves.add_to(*play, "rtl_SWITCH");
  add_json_flag(*play, options->json);
  CLI::App* write = command->add_subcommand(
      "export",
      "Write a recording as text and $readmemh files, with a bench in SystemVerilog that plays them");
  write->add_option("RECORDING", options->recording, "As of replay")->required()->type_name("FILE");
  add_shared_option(*write, "--design", options->design, "as of replay")->required();
  add_shared_option(*write, "--out", options->folder, "a folder, new or of an earlier export")
      ->required()
      ->check(names_output(OutputKind::folder));
  add_json_flag(*write, options->json);
  const auto [stress_designs, run_stress] = add_stress_command(*command);
  command->footer(
      "Examples:\n"
      "  wafertlm rtl designs\n"
      "  wafertlm rtl stress fred3_12 --limit 10s\n"
      "  wafertlm rtl stress remote:switch.sock    (in another simulator)\n"
      "  wafertlm run EXPERIMENT.yaml --set 'wafer.fabric.rtl=[{switch: l1_0_2, view: tlm, design: fred3_12, "
      "record: chip.rec}]'\n"
      "  wafertlm rtl replay chip.rec --design fred3_12 --tolerance 5\n"
      "  wafertlm rtl replay chip.rec --design fred3_12 --stalls 1\n"
      "  wafertlm rtl export chip.rec --design fred3_12 -o stimulus");
  const std::vector<std::pair<CLI::App*, std::function<int()>>> commands = {
      {designs, [options] { return print_designs(options->json); }},
      {play, [options] { return replay(*options); }},
      {write, [options] { return export_stimulus(*options); }},
      {stress_designs, run_stress}};
  return [commands] {
    const auto chosen =
        std::find_if(commands.begin(), commands.end(), [](const auto& each) { return each.first->parsed(); });
    return chosen->second();
  };
}

}  // namespace wafertlm
