// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/systems.h"

#include <memory>
#include <ostream>

#include "platform/commands/validate/row_text.h"
#include "platform/describe/document.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/host/presets.h"

namespace wafertlm::validate {
namespace {

std::shared_ptr<const config::Struct<SystemsSpec>> systems_type() {
  using namespace config;
  static const auto type = [] {
    auto system = std::make_shared<Struct<MeasuredSystem>>("measured_system");
    system
        ->required("pattern", &MeasuredSystem::pattern, text(),
                   "Regular expression of the system and the topology facts, whatever the case")
        .required("server", &MeasuredSystem::server, file_path("preset of a server", "platforms"),
                  "Platform of a server")
        .optional("cluster", &MeasuredSystem::cluster, file_path("preset of servers", "platforms"),
                  "Platform of several; left out: none is published")
        .optional("gpus", &MeasuredSystem::gpus, integer<std::uint32_t>(1, 1024), "Of a server")
        .optional("nic", &MeasuredSystem::nic_bytes_per_s, or_none<std::uint64_t>(any_bandwidth(), 0),
                  "Of a GPU's network interface where a row does not say it");
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

const MeasuredSystem& system_of(const ValidationRow& row) {
  for (const MeasuredSystem& system : measured_systems().systems)
    if (says(row.system + "; " + row.topology, system.pattern)) return system;
  throw CannotSay("no preset of this system");
}

const Intercept* intercept_of(const ValidationRow& row, const std::string& library) {
  for (const Intercept& each : measured_systems().intercepts)
    if (each.system == row.system && each.library == library) return &each;
  return nullptr;
}

}  // namespace wafertlm::validate
