// SPDX-License-Identifier: Apache-2.0
// `wafertlm model cores`: a wafer at the grain of its cores.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platform/commands/model/cores/grid_runs.h"
#include "platform/commands/model/cores/grid_text.h"
#include "platform/commands/model/model_commands.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/presets.h"

namespace wafertlm {
namespace {

using namespace core_runs;
using Type = cores::GridCollectiveType;

/// Of tensors: products of three are counted in 63 bits.
constexpr std::uint32_t kMostOfASide = 1'000'000;

struct Options {
  std::string file, cores, size, type = "all_reduce", algorithm, pass = "decode";
  std::uint32_t wavelets = 1, layers = 1;
  std::uint64_t hidden = 0, mlp = 0, tokens = 0, vocabulary = 0;
  std::vector<std::string> overrides;
  bool whole = false, json = false;
};

/// "720x720", "4096x4096x4096". @throws std::invalid_argument with the option's name.
std::vector<std::uint64_t> sides(const std::string& option, const std::string& text, std::size_t least,
                                 std::size_t most) {
  std::vector<std::uint64_t> numbers;
  const char *at = text.data(), *const end = at + text.size();
  bool good = true;
  while (good) {
    std::uint64_t number = 0;
    const auto [behind, error] = std::from_chars(at, end, number);
    good = error == std::errc() && number > 0 && number <= kMostOfASide;
    numbers.push_back(number);
    if (behind == end) break;
    good &= *behind == 'x';
    at = behind + 1;
  }
  if (good && numbers.size() >= least && numbers.size() <= most) return numbers;
  throw std::invalid_argument(fmt::format("{}: '{}' is not {} whole numbers from 1 to {} with an x between",
                                          option, text, least == most ? "two" : "two or three",
                                          kMostOfASide));
}

struct GridSize {
  std::uint32_t columns, rows;
};

GridSize grid_of(const Options& options) {
  const auto numbers = sides("--cores", options.cores, 2, 2);
  return {static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1])};
}

Type type_of(const std::string& word) {
  if (word == "reduce") return Type::reduce;
  return word == "broadcast" ? Type::broadcast : Type::all_reduce;
}

int run_collective_command(const Options& options) {
  const config::CoresSpec wafer = config::load_cores(options.file, options.overrides);
  const GridSize grid = grid_of(options);
  const cores::GridCollective what{type_of(options.type), grid.columns, grid.rows, options.wavelets};
  CollectiveReport report{
      wafer.name, options.type, grid.columns, grid.rows, options.wavelets, wafer.params.clock_hz, {}};
  std::vector<std::string> names{options.algorithm};
  if (options.algorithm.empty()) {
    names.clear();
    for (const cores::GridAlgorithm& each : cores::grid_algorithms())
      if (each.does(what.type)) names.emplace_back(each.name);
  }
  for (const std::string& name : names)
    report.algorithms.push_back(collective_time(what, name, wafer, options.whole));
  std::stable_sort(report.algorithms.begin(), report.algorithms.end(),
                   [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  fmt::print("{}", options.json ? json_text(collective_fields().json(report)) : text_of(report));
  return 0;
}

int print_kernel(const Options& options, const KernelReport& report) {
  fmt::print("{}", options.json ? json_text(kernel_fields().json(report)) : text_of(report));
  return 0;
}

int run_product(const Options& options) {
  const config::CoresSpec wafer = config::load_cores(options.file, options.overrides);
  const GridSize grid = grid_of(options);
  const auto size = sides("--shape", options.size, 2, 3);
  const cores::Rectangle on{wafer.params, grid.columns, grid.rows};
  const cores::Kernel kernel =
      size.size() == 2 ? gemv_kernel(on, size[0], size[1]) : gemm_kernel(on, size[0], size[1], size[2]);
  KernelReport report{wafer.name, size.size() == 2 ? "GEMV " + options.size : "GEMM " + options.size,
                      grid.columns, grid.rows, kernel_time(kernel, wafer, grid.columns, grid.rows)};
  return print_kernel(options, report);
}

int run_training(const Options& options, const config::CoresSpec& wafer, const cores::DecoderShape& shape) {
  const TrainingTime time = training_time(shape, options.tokens, wafer);
  KernelReport report{
      wafer.name,
      fmt::format("training, a layer forward, once more and back, {} tokens of a row", time.tokens_per_row),
      wafer.params.columns, wafer.params.rows, time.layer};
  report.sample_s = time.sample_s;
  return print_kernel(options, report);
}

int run_decoder(const Options& options) {
  const config::CoresSpec wafer = config::load_cores(options.file, options.overrides);
  const cores::DecoderShape shape{options.layers, options.hidden, options.mlp, options.vocabulary};
  const bool trains = options.pass == "training";
  if (trains != options.cores.empty())
    throw std::invalid_argument(trains ? "--cores: training takes the whole wafer" : "--cores is missing");
  if (options.vocabulary > 0 && !trains)
    throw std::invalid_argument("--vocabulary has no effect without --pass training");
  if (trains) return run_training(options, wafer, shape);
  const GridSize grid = grid_of(options);
  const bool prefill = options.pass == "prefill";
  KernelReport report{wafer.name,
                      fmt::format("{} of {} layers, {} tokens", options.pass, shape.layers, options.tokens),
                      grid.columns, grid.rows,
                      decoder_time(prefill ? DecoderPass::prefill : DecoderPass::decode, shape,
                                   options.tokens, wafer, grid.columns, grid.rows)};
  report.tokens = prefill ? options.tokens : 1;
  report.layers = shape.layers;
  return print_kernel(options, report);
}

CLI::Option* add_common(CLI::App& command, Options& options) {
  add_file(command, "WAFER", options.file, "The wafer of cores: wse1, wse2, wse3", "cores", "FILE.yaml");
  add_set_option(command, options.overrides, [] { return config::cores_type()->all_paths(); });
  return command.add_option("--cores", options.cores, "Rectangle of them, columns x rows: 512x1, 720x720")
      ->type_name("CxR");
}

}  // namespace

std::function<int()> add_cores_command(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("cores", "A wafer of cores: collectives, products and decoders on it");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  wafertlm model cores collective wse2 --cores 512x1 --wavelets 64           # all algorithms, with "
      "published formulas\n"
      "  wafertlm model cores collective wse2 --cores 600x600 --algorithm k_tree --whole\n"
      "  wafertlm model cores product wse2 --cores 720x720 --shape 16384x16384       # GEMV\n"
      "  wafertlm model cores decoder wse2 --cores 420x420 --d-model 4096 --d-ff 14336 --n-layers 32 "
      "--tokens "
      "4096");
  CLI::App* collective = command->add_subcommand(
      "collective", "A reduction or broadcast along rows of cores, or of a rectangle");
  add_common(*collective, *options)->required();
  add_shared_option(*collective, "--type", options->type, "reduce, broadcast or all_reduce")
      ->check(CLI::IsMember({"reduce", "broadcast", "all_reduce"}))
      ->capture_default_str();
  collective->add_option("--wavelets", options->wavelets, "Of each core, 32 bits each")
      ->check(CLI::Range(1U, 1U << 28U))
      ->type_name("N")
      ->capture_default_str();
  add_shared_option(*collective, "--algorithm", options->algorithm, "all of them if not given");
  collective->add_flag("--whole", options->whole, "Simulate every core, not one row and one column");
  add_json_flag(*collective, options->json, [] { return collective_fields().schema(); });

  CLI::App* product =
      command->add_subcommand("product", "A product of matrices of 16 bits, its tiles over the cores");
  add_common(*product, *options)->required();
  product
      ->add_option("--shape", options->size,
                   "ROWSxCOLUMNS of a matrix times a vector, or MxKxN of two matrices")
      ->required()
      ->type_name("SHAPE");
  add_json_flag(*product, options->json, [] { return kernel_fields().schema(); });

  CLI::App* decoder =
      command->add_subcommand("decoder", "All layers of a decoder for a prompt, or for the next token");
  add_common(*decoder, *options);
  decoder
      ->add_option("--pass", options->pass,
                   "prefill: all tokens of a prompt. decode: the token behind them. training: with streamed "
                   "weights, on "
                   "all cores")
      ->check(CLI::IsMember({"prefill", "decode", "training"}))
      ->capture_default_str();
  const auto count = [&](const char* name, auto& value, const char* meaning) {
    decoder->add_option(name, value, meaning)
        ->required()
        ->check(CLI::Range(1U, kMostOfASide))
        ->type_name("N");
  };
  count("--d-model", options->hidden, "Elements of the hidden state");
  count("--d-ff", options->mlp, "Elements between up and down");
  count("--n-layers", options->layers, "Layers");
  count("--tokens", options->tokens, "Of the prompt, before the next one, or of a sample");
  decoder->add_option("--vocabulary", options->vocabulary, "Of the head, in training")
      ->check(CLI::Range(1U, kMostOfASide))
      ->type_name("N");
  add_json_flag(*decoder, options->json, [] { return kernel_fields().schema(); });
  return [=] {
    if (*collective) return run_collective_command(*options);
    return *product ? run_product(*options) : run_decoder(*options);
  };
}

}  // namespace wafertlm
