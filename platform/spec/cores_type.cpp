// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "platform/describe/document.h"
#include "platform/describe/override.h"
#include "platform/describe/value_types.h"
#include "platform/spec/cores_spec.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<CoresSpec>> cores_type() {
  using C = CoresSpec;
  using P = cores::CoreParams;
  static const auto type = [] {
    const auto of = [](auto member) { return at(&C::params, member); };
    const auto cycles = integer<cores::Cycle>(0, 1'000'000);
    auto made = std::make_shared<Struct<C>>("cores");
    made->presets_in("cores");
    made->required("cores", &C::name, text(), "Name of the wafer")
        .required("columns", of(&P::columns), integer<std::uint32_t>(1, 10'000),
                  "Cores of a row that programs get")
        .required("rows", of(&P::rows), integer<std::uint32_t>(1, 10'000), "Rows of cores that programs get")
        .required("clock", of(&P::clock_hz), whole_quantity(frequency_dimension(), "1 MHz", "1000 GHz"),
                  "Of cores and routers; a wavelet of 32 bits in each direction, and a hop, in a cycle")
        .required("ramp", of(&P::ramp), integer<cores::Cycle>(0, 1000),
                  "T_R: cycles from a core to its router, or back")
        .required("colours", of(&P::colours), integer<std::uint32_t>(1, 1024),
                  "Static routes that a router knows")
        .required("lanes", of(&P::lanes), integer<std::uint32_t>(1, 1024),
                  "Multiply-adds of 16 bits in a cycle")
        .required("memory", of(&P::memory_bytes), any_size("1 KiB", "1 GiB"), "Of a core")
        .optional("program", of(&P::program_bytes), any_size("0 B", "1 GiB"),
                  "Of a core's memory: code, stack and descriptors")
        .optional("instruction_start", of(&P::instruction_start), cycles,
                  "Cycles of a vector instruction before its elements")
        .optional("function", of(&P::function), cycles,
                  "Cycles of a division, root or exponential of one number")
        .optional("step_overhead", of(&P::step_overhead), cycles,
                  "Cycles of control in a step of a kernel: tasks, descriptors, branches")
        .optional("calibrated_by", &C::calibrated_by, word(),
                  "Row of measurements whose value gave step_overhead")
        .optional("leaves_out", &C::leaves_out, list_of<std::string>(text(), 0, 100),
                  "What the machine has and the model does not")
        .check([](const C& spec, const Check& check) {
          if (spec.params.program_bytes >= spec.params.memory_bytes)
            check.fail({&spec.params.program_bytes}, "leaves no memory for data");
        });
    return made;
  }();
  return type;
}

CoresSpec load_cores(const std::string& path, const std::vector<std::string>& overrides) {
  Node root = load_document(path);
  const Struct<CoresSpec>& type = *cores_type();
  type.load_files(root);
  for (const std::string& text : overrides) apply_override(root, type, text);
  Origins origins;
  return type.read(Reader(root, "", origins));
}

}  // namespace wafertlm::config
