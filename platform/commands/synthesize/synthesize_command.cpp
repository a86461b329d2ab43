// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/commands/collective/collective_setup.h"
#include "platform/commands/synthesize/algorithm_files.h"
#include "platform/commands/synthesize/synthesis.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/host/validators.h"
#include "platform/machine/machine.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/load.h"
#include "platform/spec/ranges.h"
#include "platform/text/format.h"
#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/cost.h"
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm {
namespace {

struct SynthesizeOptions {
  CollectiveOptions what;
  std::string platform, size = "256MiB", out;
  std::vector<std::string> overrides;
  std::uint32_t chunks = 0;
  bool force = false, json = false;
};

/// Reads it as `--algorithm` would, which proves it, and predicts its time; of the next larger vector that
/// cuts into equal chunks, since traces add in none else.
TimePs read_back_ps(const std::string& name, CollectiveRequest request, std::uint64_t chunks,
                    const FabricTraits& fabric) {
  try {
    request.custom = read_custom_algorithms(name, request.type);
    request.algorithm.clear();
    request.chunks = 1;
    const std::uint64_t least = chunks * sizeof(float);
    request.bytes = (request.bytes + least - 1) / least * least;
    return closed_form_ps(settled(request, fabric), fabric);
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(std::string("what was synthesized is wrong: ") + error.what());
  }
}

int synthesize_to_files(const SynthesizeOptions& options) {
  const config::PlatformSpec spec = config::load_platform(options.platform, options.overrides);
  const CollectiveSetup setup(spec, options.what);
  const FabricTraits fabric = platform_traits(spec);
  const std::vector<std::uint64_t> sizes = parse_sizes(options.size);
  if (sizes.size() != 1 || sizes.front() == 0)
    throw std::invalid_argument("--size " + options.size + ": expected one size above 0");
  CollectiveRequest request = setup.first_request();
  request.bytes = sizes.front();
  request.chunks = options.chunks;
  if (request.group.size() < 2) throw std::invalid_argument("--npus: expected two NPUs or more");
  AlgorithmFiles files(options.out, request.group.size(), options.force);
  const Synthesis made = synthesize(request, fabric);
  const ChunkedProgram chunks = chunked(*made.program);
  nlohmann::ordered_json statistics = statistics_of(made, fabric);
  if (!options.json) fmt::print("{}", statistics_text(statistics));
  TimePs read_back = 0;
  const std::uint64_t bytes = files.write(
      chunks, fmt::format("{} {}", made.request.algorithm, to_string(request.type)),
      [&](const std::string& name) { read_back = read_back_ps(name, made.request, chunks.chunks, fabric); });
  if (options.json) {
    statistics["file"] = files.name();
    statistics["file_bytes"] = bytes;
    statistics["read_back_ps"] = read_back;
    fmt::print("{}\n", statistics.dump(2));
    return 0;
  }
  fmt::print("  {:<9}  every value of every rank; read back it takes {}\n{}: {}\n", "proven",
             format_time(read_back), files.name(), format_bytes(bytes));
  fmt::print("Run it with: wafertlm collective {} --type {} --size {}{} --algorithm {}\n", options.platform,
             to_string(request.type), options.size,
             options.what.npus.empty() ? "" : " --npus " + options.what.npus, files.name());
  return 0;
}

}  // namespace

std::function<int()> add_synthesize_command(CLI::App& app) {
  auto options = std::make_shared<SynthesizeOptions>();
  options->what.algorithm = "packed_trees";
  CLI::App* command = app.add_subcommand(
      "synthesize",
      "Make a collective for a fabric, prove it, and write it as an MSCCL program or as traces");
  add_file(*command, "PLATFORM", options->platform, "Platform file", "platforms");
  add_shared_option(*command, "--type", options->what.type)
      ->required()
      ->check(one_of_names({to_string(CollectiveType::all_reduce), to_string(CollectiveType::all_gather),
                            to_string(CollectiveType::reduce_scatter)}));
  add_shared_option(*command, "--size", options->size,
                    "that trees and chunks are chosen for; it runs with others, too")
      ->capture_default_str();
  add_shared_option(*command, "--npus", options->what.npus, "its order is that of the ranks");
  std::vector<std::string> names = algorithm_choices();
  names.erase(names.begin());  // auto
  add_shared_option(*command, "--algorithm", options->what.algorithm, "what makes it")
      ->check(one_of_names(std::move(names)))
      ->capture_default_str();
  add_shared_option(*command, "--chunks", options->chunks,
                    "of each tree's share; by prediction if not given, as long as the file stays small")
      ->check(CLI::Range(1U, 65'536U));
  add_shared_option(*command, "--out", options->out,
                    "FILE.xml for an MSCCL program, or the PREFIX of Chakra traces PREFIX.<rank>.et")
      ->required()
      ->check(names_output(OutputKind::prefix));
  add_set_option(
      *command, options->overrides, [] { return config::platform_type()->all_paths(); },
      "wafer.fabric.link_bandwidth=1TB/s");
  add_shared_flag(*command, "--force", options->force,
                  "removes ranks of an earlier job that would stand beside the new traces");
  add_json_flag(*command, options->json, statistics_schema);
  command->footer(
      "The file appears when it is read back and proven: every rank gets every value, in three orders of "
      "its\n"
      "threads. Ranks are positions in --npus, and trees fit the links between these NPUs.\n"
      "Examples:\n"
      "  wafertlm synthesize configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --size 256MiB --out "
      "all_reduce.xml\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --size 256MiB "
      "--algorithm "
      "all_reduce.xml\n"
      "  wafertlm synthesize configs/platforms/wafer_mesh_8x8.yaml --type all_gather --npus 0-7 --out "
      "traces/all_gather");
  return [options] { return synthesize_to_files(*options); };
}

}  // namespace wafertlm
