// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "platform/collective/collective_report.h"
#include "platform/collective/collective_setup.h"
#include "platform/command/child.h"
#include "platform/command/choices.h"
#include "platform/command/ranges.h"
#include "platform/commands.h"
#include "platform/config/load.h"
#include "platform/system/machine.h"
#include "workloads/collectives/algorithm.h"
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm {
namespace {

struct Options {
  CollectiveOptions what;
  std::string platform, sizes;  // empty: 1 MiB, of a barrier 0
  std::vector<std::string> overrides;
  bool choices = false, json = false;
};

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const CollectiveType type : kCollectiveTypes) names.emplace_back(to_string(type));
  names.insert(names.end(), {"weight_load", "gradient_store"});
  return names;
}

int run(const Options& options) {
  const config::PlatformSpec spec = config::load_platform(options.platform, options.overrides);
  const CollectiveSetup setup(spec, options.what);
  const bool barrier = options.what.type == to_string(CollectiveType::barrier);
  const std::vector<std::uint64_t> sizes = parse_sizes(!options.sizes.empty() ? options.sizes
                                                       : barrier              ? "0B"
                                                                              : "1MiB");
  if (options.choices) {
    print_choices(setup.first_request(), sizes, platform_traits(spec), options.json);
    return 0;
  }
  // Refuses bad input before the first line of the table.
  CollectiveReport report(spec, setup, options.what.type, sizes.front(), options.json);
  for (const std::uint64_t bytes : sizes)
    report.add(run_in_child([&] {
      const CollectiveResult result =
          run_collectives(spec, [&](const FabricTraits& fabric) { return setup.plan(bytes, fabric); });
      return report.rows(bytes, result);
    }));
  report.finish();
  return 0;
}

}  // namespace

std::function<int()> add_collective_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CollectiveOptions& what = options->what;
  CLI::App* command = app.add_subcommand("collective", "Time collectives on an idle wafer, like nccl-tests");
  command->add_option("PLATFORM", options->platform, "Platform file")->required()->type_name("FILE");
  command->add_option("--type", what.type, "What to run")->required()->check(one_of(type_names()));
  command->add_option("--size", options->sizes,
                      "Bytes per rank (the full vector): one, a list, or FROM:TO:FACTOR. Of weight_load and "
                      "gradient_store: all controllers together. Default 1MiB, of a barrier 0B");
  command->add_option("--npus", what.npus, "The group, for instance 0-4,10; all if not given");
  const CLI::Validator named = one_of(algorithm_choices());
  command
      ->add_option("--algorithm", what.algorithm,
                   "Override the platform's choice: a name, an MSCCL program (.xml), or PREFIX or folder of "
                   "Chakra traces that are an algorithm")
      ->check([named](std::string text) { return is_custom_algorithm(text) ? std::string() : named(text); });
  command->add_option("--root", what.root,
                      "Rank (position in the group) of the root of a rooted collective; 0 if not given");
  command->add_flag("--choices", options->choices,
                    "Print what would run at each size, with prediction and bound, and run nothing");
  command->add_option(
      "--class", what.traffic_class,
      "Traffic class; dp if not given. With --parallelism: whose groups communicate, all of "
      "them at once: mp, dp, pp, several (mp,dp), or all: all workers as one group, in class dp");
  command->add_option("--parallelism", what.parallelism, "Groups of 3D parallelism: \"MP(2)-DP(5)-PP(2)\"");
  command
      ->add_option(
          "--placement", what.placement,
          "Which NPU each worker gets: paper (down the columns, MP first, then PP, then DP), "
          "contiguous (MP groups are rectangles), row_major, random, file:PATH (lines with an NPU, or "
          "with a worker and an NPU)")
      ->capture_default_str();
  command->add_option("--seed", what.seed, "Of a random placement; run.seed if not given");
  command->add_option(
      "--late", what.late,
      "NPUs that enter later than the others, for instance 7:10us,12:1us; times count from the "
      "first entry, /predict from the last one");
  command->add_option("--set", options->overrides,
                      "Change a key of the platform: wafer.fabric.link_bandwidth=1TB/s");
  command->add_flag("--json", options->json, "Print JSON instead of the table");
  command->footer(
      "size is the full vector per rank; algbw = size/time; busbw = algbw x 2(p-1)/p for all-reduce, "
      "(p-1)/p\n"
      "for all-gather, reduce-scatter and all-to-all, else 1; predicted: closed form of the algorithm with "
      "nothing shared, or what its busiest link takes; bound: no algorithm can be "
      "faster.\n"
      "With several groups the time is that of the slowest.\n"
      "weight_load: every NPU gets all of size, an equal share of it from each I/O controller;\n"
      "gradient_store: the sum over all NPUs leaves the same way. Their bound is what the busiest link of "
      "the\n"
      "trees takes; busbw = algbw; 'of line' is the part of the controllers' bandwidth that is used.\n"
      "Examples:\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --size 1MiB:1GiB:4\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_gather --npus 0-4 --set "
      "run.functional=true\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --size 64MiB \\\n"
      "      --parallelism \"MP(2)-DP(5)-PP(2)\" --class dp --placement paper\n"
      "  wafertlm collective configs/platforms/wafer_mesh_5x4.yaml --type weight_load --size 288MiB");
  return [options] { return run(*options); };
}

}  // namespace wafertlm
