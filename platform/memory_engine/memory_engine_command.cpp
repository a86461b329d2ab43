// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "platform/command/files.h"
#include "platform/command/format.h"
#include "platform/commands.h"
#include "platform/config/load.h"
#include "platform/memory_engine/price.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(Examples:
  wafertlm memory-engine configs/platforms/mesh_memory_engine.yaml
  wafertlm memory-engine configs/platforms/mesh_memory_engine.yaml --set remote_memory.engine.cipher=cut_through
  wafertlm memory-engine configs/platforms/mesh_memory_engine.yaml --loads 100 --accesses 5000 --json price.json
Each rung of the ladder is measured with one page access at a time (load, store) and again with as many as
remote_memory.engine.outstanding. Half of the accesses go to a sixteenth of the pages. "seen" is a chi-square test
of whether the addresses at the provider depend on the pages that are asked for.)";

struct Command {
  std::string platform_file, json_file;
  std::vector<std::string> overrides;
  PriceOptions options;
};

/// One-sided p-value of a standard normal.
double p_value(const IndependenceTest::Result& result) { return std::erfc(result.z / std::sqrt(2.0)) / 2; }
/// More than one in a thousand: nothing to be seen.
constexpr double kSignificance = 1e-3;
bool is_seen(const Price& price) { return p_value(price.pattern) < kSignificance; }

double microseconds(TimePs time) { return static_cast<double>(time) * 1e-6; }

void print(const config::PlatformSpec& platform, const PriceOptions& options,
           const std::vector<Price>& prices) {
  const config::MemoryEngineSpec& engine = *platform.remote_memory->engine;
  const std::uint64_t pages =
      platform.remote_memory->capacity_bytes / platform.wafer.npu_count() / engine.page_bytes;
  fmt::print("{}: a host with {} pages of {}, {} accesses, {} % loads\n\n", platform.name, pages,
             format_bytes(engine.page_bytes), options.accesses, options.load_percent);
  fmt::print("{:<37}{:>9}{:>9}{:>11}{:>9}{:>9}{:>10}{:>9}\n", "", "load", "store", "loaded", "p99", "GB/s",
             "traffic", "pattern");
  fmt::print("{:<37}{:>9}{:>9}{:>11}{:>9}{:>9}{:>10}{:>9}\n", "", "us", "us", "mean us", "us", "", "x", "");
  for (const Price& price : prices)
    fmt::print("{:<37}{:>9.3f}{:>9.3f}{:>11.3f}{:>9.3f}{:>9.3f}{:>10.3f}{:>9}\n", price.name,
               microseconds(price.load_ps), microseconds(price.store_ps), microseconds(price.mean_ps),
               microseconds(price.p99_ps), price.bytes_per_s / 1e9, price.amplification,
               is_seen(price) ? "seen" : "hidden");
  fmt::print(
      "\nFor context, published figures of other systems (nothing here is fitted to them): one-sided RDMA "
      "page\n"
      "operation 2.9 us, two-sided 3.8 times that; Clio, an FPGA memory node at 100 Gb/s: 2.5 us median, 3.2 "
      "us p99.\n");
}

Json to_json(const config::PlatformSpec& platform, const PriceOptions& options,
             const std::vector<Price>& prices) {
  Json rows = Json::array();
  for (const Price& price : prices)
    rows.push_back({{"name", price.name.substr(price.name.find_first_not_of(' '))},
                    {"load_s", seconds(price.load_ps)},
                    {"store_s", seconds(price.store_ps)},
                    {"loaded_mean_s", seconds(price.mean_ps)},
                    {"loaded_p99_s", seconds(price.p99_ps)},
                    {"bytes_per_s", price.bytes_per_s},
                    {"traffic_amplification", price.amplification},
                    {"chi_square", price.pattern.chi_square},
                    {"degrees_of_freedom", price.pattern.degrees_of_freedom},
                    {"p_value", p_value(price.pattern)},
                    {"pattern_seen", is_seen(price)}});
  return {{"platform", platform.name},
          {"accesses", options.accesses},
          {"load_percent", options.load_percent},
          {"rows", rows},
          {"version", WAFERTLM_VERSION}};
}

int run(const Command& command) {
  const config::PlatformSpec platform = config::load_platform(command.platform_file, command.overrides);
  if (!platform.remote_memory || !platform.remote_memory->engine)
    throw std::invalid_argument(
        command.platform_file +
        ": the platform has no memory engines; add 'engine: {}' to its remote_memory");
  if (!command.json_file.empty()) require_writable_file("--json", command.json_file);
  PriceOptions options = command.options;
  options.seed = platform.run.seed;
  const std::vector<Price> prices =
      price_of_security(*platform.remote_memory, platform.wafer.npu_count(), options);
  print(platform, options, prices);
  if (command.json_file.empty()) return 0;
  std::ofstream file(command.json_file);
  file << to_json(platform, options, prices).dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error("--json " + command.json_file + ": the file cannot be written");
  return 0;
}

}  // namespace

std::function<int()> add_memory_engine_command(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  CLI::App* sub = app.add_subcommand("memory-engine", "The price of security of remote memory, per page");
  sub->footer(kExamples);
  sub->add_option("platform", command->platform_file, "Platform file with remote_memory.engine")
      ->required()
      ->type_name("PLATFORM.yaml");
  sub->add_option("--set", command->overrides, "Change a value of the platform: key=value")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--accesses", command->options.accesses,
                  "Page accesses, one at a time and again under load")
      ->check(CLI::Range(100, 10'000'000))
      ->capture_default_str();
  sub->add_option("--loads", command->options.load_percent, "Percent of the accesses that are loads")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  sub->add_option("--json", command->json_file, "Also write the results here");
  return [command] { return run(*command); };
}

}  // namespace wafertlm
