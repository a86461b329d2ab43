// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/memory_engine/access_pattern.h"
#include "platform/commands/model/model_commands.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/presets.h"
#include "platform/machine/remote_pool.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/load.h"
#include "platform/spec/remote_memory_spec.h"
#include "platform/text/format.h"
#include "tlm/kernel/units.h"

namespace wafertlm {
namespace {

struct PriceOptions {
  std::uint64_t accesses = 1000;  ///< to whole pages, alone and again under load
  std::uint32_t load_percent = 50;
  std::uint64_t seed = 1;
};

/// Of one way of protection, for a host with a memory engine of its own.
struct Price {
  std::string name;
  TimePs load_ps = 0, store_ps = 0;  ///< of a page, one at a time; mean
  // With as many under way as the engine takes.
  TimePs mean_ps = 0, p99_ps = 0;
  double bytes_per_s = 0;
  double amplification = 0;  ///< bytes on the engine network / bytes that the host asked for
  /// Do the addresses that the provider sees depend on the pages asked for?
  IndependenceTest::Result pattern;
};

using config::MemoryEngineSpec;

/// A host, its engine, the network, the provider and its memory.
class Rung : public sc_core::sc_module, private MemoryRequesterHost {
 public:
  Rung(const sc_core::sc_module_name& name, const config::RemoteMemorySpec& spec, const PriceOptions& options,
       ScratchMemory& scratch, Scheduler& scheduler)
      : sc_module(name),
        host_("host", {kMaxRequestBytes, spec.engine->outstanding}, scratch, scheduler, *this),
        pool_(spec, 1, options.seed, scratch, scheduler, nullptr),
        scheduler_(scheduler),
        options_(options),
        page_bytes_(spec.engine->page_bytes),
        pages_(spec.capacity_bytes / page_bytes_),
        outstanding_(spec.engine->outstanding),
        pattern_(pool_.requester(0).layout(), pages_),
        random_(options.seed) {
    pool_.attach(host_, 0);
    for (std::uint32_t p = 0; p < pool_.providers(); ++p) pool_.provider(p).observe(pattern_, p);
  }

  Price measure(const std::string& what) {
    Price price;
    price.name = what;
    run(1);
    price.load_ps = mean(times_[0]);
    price.store_ps = mean(times_[1]);
    price.amplification =
        static_cast<double>(pool_.network().bytes()) / static_cast<double>(options_.accesses * page_bytes_);
    price.pattern = pattern_.result();
    const TimePs start = scheduler_.now();
    run(outstanding_);
    std::vector<TimePs> all = times_[0];
    all.insert(all.end(), times_[1].begin(), times_[1].end());
    price.mean_ps = mean(all);
    const std::size_t rank = (all.size() * 99 + 99) / 100 - 1;
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank), all.end());
    price.p99_ps = all[rank];
    price.bytes_per_s = static_cast<double>(options_.accesses * page_bytes_) / seconds(last_end_ps_ - start);
    return price;
  }

 private:
  struct Access {
    TimePs start_ps;
    bool write;
  };
  static TimePs mean(const std::vector<TimePs>& times) {
    if (times.empty()) return 0;
    Uint128 sum = 0;
    for (const TimePs time : times) sum += time;
    return static_cast<TimePs>(sum / times.size());
  }
  void run(std::uint64_t at_a_time) {
    accesses_.clear();
    times_[0].clear();
    times_[1].clear();
    for (std::uint64_t i = 0; i < std::min(at_a_time, options_.accesses); ++i) start_next();
    scheduler_.run();
  }
  void start_next() {
    const std::uint64_t page =
        random_() % (random_() % 2 == 0 ? pages_ : std::max<std::uint64_t>(1, pages_ / 16));
    const bool write = random_() % 100 >= options_.load_percent;
    pattern_.begin(page);
    accesses_.push_back({scheduler_.now(), write});
    host_.start(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND, page * page_bytes_, page_bytes_,
                accesses_.size() - 1);
  }
  void memory_done(std::uint64_t token, bool ok) override {
    if (!ok) throw std::runtime_error("a granted page access has failed");
    const Access& access = accesses_[token];
    last_end_ps_ = scheduler_.now();
    times_[access.write].push_back(last_end_ps_ - access.start_ps);
    if (accesses_.size() < options_.accesses) start_next();
  }

  MemoryRequester host_;
  RemotePool pool_;
  Scheduler& scheduler_;
  const PriceOptions options_;
  const std::uint64_t page_bytes_, pages_, outstanding_;
  AccessPattern pattern_;
  std::mt19937_64 random_;
  std::vector<Access> accesses_;
  std::vector<TimePs> times_[2];
  TimePs last_end_ps_ = 0;
};

struct Variant {
  std::string name;
  MemoryEngineSpec engine;
};

std::vector<Variant> variants_of(const MemoryEngineSpec& given) {
  MemoryEngineSpec engine = given;
  engine.functional = false;  // only times are asked for
  engine.faults.clear();
  engine.spare_slots = std::max<std::uint64_t>(engine.spare_slots, engine.outstanding);
  if (engine.cipher_mode == CipherMode::none) engine.cipher_mode = CipherMode::store_and_forward;
  engine.validation = Validation::page;
  engine.integrity = Integrity::mac;
  engine.hiding = Hiding::none;
  MemoryEngineSpec plain = engine;
  plain.cipher_mode = CipherMode::none;
  plain.integrity = Integrity::none;
  MemoryEngineSpec rdma = plain;
  rdma.validation = Validation::region;
  std::vector<Variant> variants = {
      {"plain RDMA", rdma}, {"validated", plain}, {"validated, encrypted, authenticated", engine}};
  const auto add = [&](const std::string& name, auto change) {
    variants.push_back({name, engine});
    change(variants.back().engine);
  };
  add("  with integrity tree", [](MemoryEngineSpec& of) { of.integrity = Integrity::tree; });
  add("  remap_on_evict", [](MemoryEngineSpec& of) { of.hiding = Hiding::remap_on_evict; });
  add("  dummy(" + std::to_string(engine.dummies) + ")",
      [](MemoryEngineSpec& of) { of.hiding = Hiding::dummy; });
  add("  path_oram", [](MemoryEngineSpec& of) { of.hiding = Hiding::path_oram; });
  return variants;
}

/// The ladder: plain RDMA, validated, encrypted and authenticated, with a tree, and each way of hiding. What
/// a rung does not name is as in `spec`, which has engines. Half of the accesses go to a sixteenth of the
/// pages. One elaboration, so once in a process.
/// @throws std::invalid_argument for pages larger than a request.
std::vector<Price> price_of_security(const config::RemoteMemorySpec& given, std::uint32_t npus,
                                     const PriceOptions& options) {
  config::RemoteMemorySpec spec = given;
  if (spec.engine->page_bytes > kMaxRequestBytes)
    throw std::invalid_argument("remote_memory.engine.page: " + format_bytes(spec.engine->page_bytes) +
                                " is more than a request (64 KiB), and the accesses are to whole pages");
  spec.kind = PoolKind::shared;  // what its own group of providers is
  spec.npus_per_node = 0;
  spec.capacity_bytes /= npus;
  spec.capacity_bytes -= spec.capacity_bytes % spec.engine->page_bytes;
  Scheduler scheduler("scheduler");
  const auto scratch = std::make_unique<ScratchMemory>();
  std::vector<std::unique_ptr<Rung>> rungs;
  const std::vector<Variant> variants = variants_of(*given.engine);
  for (const Variant& variant : variants) {
    spec.engine = variant.engine;
    rungs.push_back(std::make_unique<Rung>(("rung_" + std::to_string(rungs.size())).c_str(), spec, options,
                                           *scratch, scheduler));
  }
  std::vector<Price> prices;
  for (std::size_t i = 0; i < variants.size(); ++i) prices.push_back(rungs[i]->measure(variants[i].name));
  return prices;
}

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(Examples:
  wafertlm model memory-engine configs/platforms/mesh_memory_engine.yaml
  wafertlm model memory-engine configs/platforms/mesh_memory_engine.yaml --set remote_memory.engine.cipher=cut_through
  wafertlm model memory-engine configs/platforms/mesh_memory_engine.yaml --loads 100 --accesses 5000 --json price.json
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
  const bool only_json = command.json_file == "-";
  PriceOptions options = command.options;
  options.seed = platform.run.seed;
  const std::vector<Price> prices =
      price_of_security(*platform.remote_memory, platform.wafer.npu_count(), options);
  if (!only_json) print(platform, options, prices);
  if (!command.json_file.empty()) write_json(command.json_file, to_json(platform, options, prices));
  return 0;
}

}  // namespace

std::function<int()> add_memory_engine_command(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  CLI::App* sub = app.add_subcommand("memory-engine", "The price of security of remote memory, per page");
  sub->footer(kExamples);
  add_file(*sub, "PLATFORM", command->platform_file, "Platform file with remote_memory.engine", "platforms");
  add_set_option(*sub, command->overrides, [] { return config::platform_type()->all_paths(); });
  sub->add_option("--accesses", command->options.accesses,
                  "Page accesses, one at a time and again under load")
      ->check(CLI::Range(100, 10'000'000))
      ->capture_default_str();
  sub->add_option("--loads", command->options.load_percent, "Percent of the accesses that are loads")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  add_json_option(*sub, command->json_file);
  return [command] { return run(*command); };
}

}  // namespace wafertlm
