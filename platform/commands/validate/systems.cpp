// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/systems.h"

#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <regex>

#include "platform/commands/validate/row_text.h"
#include "platform/describe/document.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/host/presets.h"
#include "platform/machine/machine.h"
#include "platform/spec/load.h"

namespace wafertlm::validate {
namespace {

std::shared_ptr<const config::Struct<SystemsSpec>> systems_type() {
  using namespace config;
  static const auto type = [] {
    auto system = std::make_shared<Struct<MeasuredSystem>>("measured_system");
    using M = MeasuredSystem;
    system->required("system", &M::name, text(), "What it is called")
        .required("pattern", &M::pattern, text(),
                  "Regular expression of a row's system, else of its topology facts, whatever the case")
        .required("accelerator", &M::accelerator, file_path("an accelerator", "accelerators"), "A device")
        .optional("server", &M::server, file_path("a platform", "platforms"),
                  "A server; left out: none is there")
        .optional("cluster", &M::cluster, file_path("a platform", "platforms"),
                  "Servers; left out: none is there")
        .optional("kind", &M::kind, one_of<M::Kind>({"gpu", "tpu"}), "How its programs are made")
        .optional("gpus", &M::gpus, integer<std::uint32_t>(1, 65'536), "Devices of a server, or of a slice")
        .optional("domain", &M::domain, integer<std::uint32_t>(0, 65'536),
                  "Chips that the server's links join at most; 0: those of a server")
        .optional("nic", &M::nic_bytes_per_s, or_none<std::uint64_t>(any_bandwidth(), 0),
                  "Of a chip's network interface where a row does not say it")
        .optional("devices", &M::devices, integer<std::uint32_t>(1, 64), "Of a chip")
        .optional("pcie", &M::pcie, integer<std::uint32_t>(0, 9),
                  "Generation of its 16 lanes to the host; 0: not known")
        .optional(
            "attention_forward", &M::attention_forward, fraction(1),
            "Part of the BF16 peak that kernels of causal attention sustain; 0: as products of matrices")
        .optional("attention_backward", &M::attention_backward, fraction(1), "The same backward")
        .optional("matrix_unit", &M::matrix_unit, integer<std::uint32_t>(1, 1024),
                  "Rows of a systolic array, which an attention's head fills or not");
    auto intercept = std::make_shared<Struct<Intercept>>("measured_intercept");
    intercept->required("system", &Intercept::system, text(), "As rows write it")
        .required("library", &Intercept::library, text(), "NCCL, MSCCL++, RCCL")
        .required("launch_cost", &Intercept::launch_cost_ps, any_time(),
                  "Host, launch and start of the kernel: npu.endpoint.launch_cost")
        .required("row", &Intercept::row, text(), "The open row that says it");
    auto made = std::make_shared<Struct<SystemsSpec>>("validation");
    made->presets_in("validation");
    made->required("validation", &SystemsSpec::name, text(), "Name of the table")
        .required("systems", &SystemsSpec::systems, list_of<MeasuredSystem>(system, 1, 1000),
                  "What rows may name; the first that matches counts")
        .optional("intercepts", &SystemsSpec::intercepts, list_of<Intercept>(intercept, 0, 1000),
                  "The software's part of small messages");
    return made;
  }();
  return type;
}

SystemsSpec load_systems(const std::string& path) {
  const config::Node root = config::load_document(path, "validation", "configs/validation/systems.yaml");
  config::Origins origins;
  return systems_type()->read(config::Reader(root, "", origins));
}

}  // namespace

config::FileKind systems_file_kind() {
  return {systems_type().get(), "validate", "systems that tables of measurements name",
          [](const config::CheckRequest& request, std::ostream& out) {
            out << config::check_line("systems", load_systems(request.file).name);
          }};
}

const SystemsSpec& measured_systems() {
  static const SystemsSpec spec =
      load_systems((required_configs_folder({"validation"}) / "validation" / "systems.yaml").string());
  return spec;
}

const MeasuredSystem* known_system(const ValidationRow& row) {
  for (const std::string* const text : {&row.system, &row.topology})
    for (const MeasuredSystem& system : measured_systems().systems)
      if (says(*text, system.pattern)) return &system;
  return nullptr;
}

const MeasuredSystem& system_of(const ValidationRow& row) {
  if (const MeasuredSystem* const found = known_system(row)) return *found;
  throw CannotSay("no preset of this system");
}

std::string preset_name(const std::string& path) { return std::filesystem::path(path).stem().string(); }

config::NpuSpec accelerator_of(const MeasuredSystem& system) { return config::load_npu(system.accelerator); }

double server_bytes_per_s(const MeasuredSystem& system) {
  if (system.server.empty()) throw CannotSay("no preset of a server of this system");
  static std::map<std::string, double> known;
  const auto found = known.find(system.server);
  if (found != known.end()) return found->second;
  const FabricTraits fabric = platform_traits(config::load_platform(system.server));
  const auto rate = static_cast<double>(fabric.topology->dimensions().npu_bytes_per_s());
  return known.emplace(system.server, rate).first->second;
}

std::optional<double> nic_rate(const std::string& text, std::uint32_t gpus) {
  static const std::regex rate(
      R"((?:(\d+)\s*x\s*)?([\d.]+)\s*(Gb/s|GB/s|Gbps)[^,;]*?\bper\s+(?:(\d+)-GPU\b|(node|server|tray|GPU)))",
      std::regex::icase);
  static const std::regex many(R"((\d+)\s*x\s*([\d.]+)\s*(Gb/s|GB/s|Gbps)\s*(?:EFA|NDR|HDR|IB|RoCE|CX))",
                               std::regex::icase);
  constexpr std::uint32_t kTrayGpus = 4, kServerGpus = 8;
  // What stays inside a server is no network.
  const std::string network = std::regex_replace(
      text, std::regex(R"([^,;:+]*(NVLink|NVSwitch|xGMI|Infinity Fabric)[^,;:+]*)", std::regex::icase), "");
  std::smatch match;
  double among = gpus > kServerGpus ? kTrayGpus : gpus;  // a rack's nodes are trays
  if (std::regex_search(network, match, rate)) {
    const std::string of = lower(match[5]);
    if (match[4].matched)
      among = std::stod(match[4]);
    else if (of == "gpu" || of == "tray")
      among = of == "gpu" ? 1 : kTrayGpus;
  } else if (!std::regex_search(network, match, many)) {
    return std::nullopt;
  }
  const double count = match[1].matched ? std::stod(match[1]) : 1;
  return count * std::stod(match[2]) * *rate_unit(match[3]) / among;
}

const Intercept* intercept_of(const ValidationRow& row, const std::string& library) {
  for (const Intercept& each : measured_systems().intercepts)
    if (each.system == row.system && each.library == library) return &each;
  return nullptr;
}

}  // namespace wafertlm::validate
