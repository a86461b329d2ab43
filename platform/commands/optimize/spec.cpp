// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <stdexcept>

#include "platform/commands/libra/inputs.h"
#include "platform/describe/document.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"
#include "platform/text/suggest.h"

namespace wafertlm::optimize {
namespace {

using namespace config;

constexpr double kLargest = 1e15;

std::shared_ptr<const Struct<VariableSpec>> variable_type() {
  using V = VariableSpec;
  auto type = std::make_shared<Struct<V>>("variable");
  type->required("variable", &V::name, text(),
                 "Its name; in 'set' {name}, {name/2} or {name*2} stand for its value")
      .optional("key", &V::key, or_none<std::string>(text(), ""),
                "What it is the value of: wafer.fabric.link_bandwidth; not with {name} in 'set'")
      .optional("unit", &V::unit, or_none<std::string>(text(), ""), "Of the key's number: GB/s")
      .optional("axis", &V::axis, or_none<std::string>(text(), ""), "Of the study, in place of a key")
      .optional("from", &V::from, number(-kLargest, kLargest), "Least value")
      .optional("to", &V::to, number(-kLargest, kLargest), "Greatest value")
      .optional("step", &V::step, number(0, kLargest),
                "Only from + n steps, for instance whole links; 0: any")
      .optional("values", &V::values, list_of<std::string>(text(), 0, 1000),
                "In place of numbers: one of these")
      .optional("price", &V::price, number(0, kLargest), "What one unit of it costs");
  return type;
}

std::shared_ptr<const Struct<LibraModelSpec>> libra_model_type() {
  using L = LibraModelSpec;
  auto type = std::make_shared<Struct<L>>("libra_model");
  type->required("network", &L::network, file_path("a network file"), "LIBRA's network file")
      .required("workload", &L::workload, file_path("a workload file"), "In ASTRA-sim 1.0's text form")
      .required("communicator", &L::communicator, file_path("a communicator file"),
                "LIBRA's communicator file")
      .required("dimensions", &L::dimensions, list_of<std::string>(word(), 1, 16),
                "For each dimension the variable that is its bandwidth in GB/s");
  return type;
}

void check_variables(const OptimizeSpec& spec, const Check& check) {
  if (spec.variables.empty()) check.fail({&spec.variables}, "none given; say what may vary");
  for (const VariableSpec& each : spec.variables) {
    if (each.is_number() && !(each.from < each.to))
      check.fail({&each.to, &each.from}, "a variable needs 'from' below 'to', or 'values'");
    if (!each.is_number() && (each.to != 0 || each.from != 0 || each.step != 0 || each.price != 0))
      check.fail({&each.from, &each.to, &each.step, &each.price}, "has no effect beside 'values'");
    const bool stands = std::any_of(spec.set.begin(), spec.set.end(),
                                    [&](const std::string& text) { return each.stands_in(text); });
    if (!stands && each.key.empty() && each.axis.empty())
      check.fail({&each.name}, "changes nothing: give its '{}', or {{{}}} in '{}'", check.path(&each.key),
                 each.name, check.path(&spec.set));
    if (!each.unit.empty() && !each.is_number()) check.fail({&each.unit}, "has no effect beside 'values'");
    if (!each.unit.empty() && each.key.empty() && each.axis.empty())
      check.fail({&each.unit}, "has no effect without '{}'", check.path(&each.key));
    for (const VariableSpec& other : spec.variables)
      if (&other != &each && other.name == each.name)
        check.fail({&each.name}, "a second variable {}; names must differ", quoted(each.name));
  }
  try {
    std::size_t budgets = 0;
    for (const std::string& text : spec.constraints)
      if (spec.is_budget(spec.constraint(text))) ++budgets;
    if (budgets > 1) check.fail({&spec.constraints}, "two budgets over all variables; leave one out");
    for (const libra::LinearConstraint& each : spec.rest())
      if (each.sense == libra::LinearConstraint::Sense::equal)
        check.fail({&spec.constraints},
                   "'{}' can be met only if it goes over all variables with positive factors, and none has "
                   "steps; write <= or >=",
                   each.text);
  } catch (const ConfigError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    check.fail({&spec.constraints}, error.what());
  }
}

void check_goals(const OptimizeSpec& spec, const Check& check) {
  if (spec.goals.size() > 2) check.fail({&spec.goals}, "one goal, or two for a Pareto front");
  if (spec.experiment.empty() == spec.study.empty())
    check.fail({&spec.name}, "give '{}' or '{}', one of them", check.path(&spec.experiment),
               check.path(&spec.study));
  if (spec.libra && spec.workloads.size() > 1)
    check.fail({&spec.libra}, "LIBRA's model is of one workload, and there are {}", spec.workloads.size());
  if (spec.explain && !spec.libra)
    check.fail({&spec.explain}, "has no effect without '{}', whose model is explained",
               check.path(&spec.libra));
  if (spec.libra)
    for (const std::string& name : spec.libra->dimensions)
      if (std::none_of(spec.variables.begin(), spec.variables.end(),
                       [&](const VariableSpec& each) { return each.name == name && each.is_number(); }))
        check.fail({&spec.libra->dimensions}, "there is no variable {}", quoted(name));
}

std::shared_ptr<const Struct<OptimizeSpec>> optimize_type() {
  using O = OptimizeSpec;
  static const auto type = [] {
    auto made = std::make_shared<Struct<O>>("optimize");
    const auto texts = list_of<std::string>(text(), 0, 1000);
    made->required("optimize", &O::name, text(), "Name of what is optimised")
        .optional("experiment", &O::experiment,
                  or_none<std::string>(file_path("an experiment", "experiments"), ""),
                  "What is run, relative to this file")
        .optional("study", &O::study, or_none<std::string>(file_path("a study", "studies"), ""),
                  "In place of an experiment: its axes are variables")
        .optional("variables", &O::variables, list_of<VariableSpec>(variable_type(), 1, 16),
                  "What may vary; of a study also its axes")
        .optional("set", &O::set, texts, "Keys to change; {variable} is its value")
        .optional("coarse", &O::coarse, texts,
                  "Keys to change besides for runs that cost little: larger packets, fewer layers")
        .optional("constraints", &O::constraints, texts, "\"inner + outer = 400\", \"inner >= outer\"")
        .optional("goals", &O::goals,
                  list_of<Goal>(one_of<Goal>({"time", "cost", "time_cost", "energy"}), 1, 2),
                  "What is to be least; two: a Pareto front")
        .optional("workloads", &O::workloads,
                  list_of<std::string>(file_path("a workload", "workloads"), 0, 100),
                  "Every candidate runs each of them; the time is the mean of each one's in parts of that at "
                  "the reference")
        .optional("over", &O::over, or_none<std::string>(text(), ""),
                  "An axis of the study whose values every candidate runs, in place of a variable")
        .optional("costs", &O::costs, or_none<std::string>(file_path("a table of costs", "costs"), ""),
                  "Prices and powers of the platform (configs/costs)")
        .optional("power_at_most", &O::most_power, number(0, kLargest),
                  "W of the platform, by 'costs'; 0: no limit")
        .optional("method", &O::method, one_of<Method>({"automatic", "kriging", "direct"}),
                  "automatic: cutting planes under a budget, else kriging with expected improvement; direct: "
                  "DIRECT-L, then Sbplx")
        .optional("seed", &O::seed, integer<std::uint64_t>(0, 1'000'000'000), "Of kriging's first points")
        .optional("host_seconds", &O::host_seconds, number(0, 1e9),
                  "By the clock, after which no more candidates are begun; 0: no limit")
        .optional("fixed_price", &O::fixed_price, number(0, kLargest), "What costs besides the variables")
        .optional("cost_at_most", &O::most_cost, number(0, kLargest), "A limit; 0: none")
        .optional("libra", &O::libra, maybe<LibraModelSpec>(libra_model_type()),
                  "LIBRA's model of the same as a first fidelity: the search starts at its optimum")
        .optional("predictions", &O::predictions, boolean(),
                  "Before runs: iterations in which collectives take what is predicted, without contention; "
                  "coarse_evaluations of them")
        .optional(
            "explain", &O::explain, boolean(),
            "At the optimum: how much of the difference to LIBRA's model is latency, chunks, algorithms, "
            "contention; and Themis on and off")
        .optional("evaluations", &O::evaluations, integer<std::uint32_t>(1, 100'000), "Simulations at most")
        .optional("coarse_evaluations", &O::coarse_evaluations, integer<std::uint32_t>(1, 100'000),
                  "Cheap runs at most, before the others")
        .optional("falls_with_bandwidth", &O::falls_with_bandwidth, boolean(),
                  "With a budget: time falls with every variable, as with bandwidths (cutting planes)")
        .check(check_variables)
        .check(check_goals);
    return made;
  }();
  return type;
}

/// Axes of the study that no variable widens and that are not gone over: variables with the axis' values.
void add_axes(Node& root, const StudySpec& study) {
  const Node* const over = root.find("over");
  Node* variables = root.find("variables");
  if (variables == nullptr) variables = &root.add("variables", Node::list({}));
  for (const AxisSpec& axis : study.axes) {
    const bool is_there =
        std::any_of(variables->items.begin(), variables->items.end(), [&](const Node& variable) {
          const Node* const of = variable.find("axis");
          return of != nullptr && of->text == axis.name;
        });
    const bool is_fixed = values_of(axis).size() == 1;  // it varies nothing
    if (is_there || is_fixed || (over != nullptr && over->text == axis.name)) continue;
    std::vector<Node> names;
    for (const AxisValueSpec& value : values_of(axis)) names.push_back(Node::string(value.name, root.place));
    Node list = Node::list(std::move(names)), variable;
    list.place = root.place;
    variable.place = root.place;
    variable.add("variable", Node::string(axis.name, root.place));
    variable.add("axis", Node::string(axis.name, root.place));
    variable.add("values", std::move(list));
    variables->items.push_back(std::move(variable));
  }
}

/// What the axis itself says, before what the value says.
AxisValueSpec with_axis(const AxisSpec& axis, AxisValueSpec value) {
  value.arguments.insert(value.arguments.begin(), axis.arguments.begin(), axis.arguments.end());
  value.overrides.insert(value.overrides.begin(), axis.overrides.begin(), axis.overrides.end());
  return value;
}

const AxisSpec& axis_named(const StudySpec& study, const std::string& name) {
  std::vector<std::string> names;
  for (const AxisSpec& axis : study.axes) {
    if (axis.name == name) return axis;
    names.push_back(axis.name);
  }
  throw std::invalid_argument(
      fmt::format("the study has no axis {}{}", quoted(name), suggestion(name, names, "axes")));
}

void take_study(OptimizeSpec& spec, const StudySpec& study) {
  if (study.command != "run")
    throw std::invalid_argument(
        fmt::format("{}: its cells are `wafertlm {}`; only runs of experiments can be optimised", spec.study,
                    study.command));
  spec.base = {{}, study.file, study.arguments, {}};
  spec.last_overrides = study.overrides;
  spec.except = study.except;
  for (VariableSpec& variable : spec.variables) {
    if (variable.axis.empty()) continue;
    const AxisSpec& axis = axis_named(study, variable.axis);
    if (variable.is_number()) {
      if (axis.overrides.empty() && axis.arguments.empty())
        throw std::invalid_argument(fmt::format(
            "the axis {} cannot be a range: it has no 'set' with {{}} for the value", quoted(axis.name)));
      variable.adds = {with_axis(axis, {})};
      continue;
    }
    const std::vector<AxisValueSpec> values = values_of(axis);
    for (const std::string& name : variable.values) {
      const auto found = std::find_if(values.begin(), values.end(),
                                      [&](const AxisValueSpec& value) { return value.name == name; });
      if (found == values.end())
        throw std::invalid_argument(
            fmt::format("the axis {} of the study has no value {}", quoted(axis.name), quoted(name)));
      variable.adds.push_back(with_axis(axis, *found));
    }
  }
  for (const AxisSpec& axis : study.axes) {
    const bool varies = std::any_of(spec.variables.begin(), spec.variables.end(),
                                    [&](const VariableSpec& each) { return each.axis == axis.name; });
    if (varies || axis.name == spec.over) continue;
    const AxisValueSpec only = values_of(axis).front();
    add_to(spec.base, with_axis(axis, only), only.name);
  }
  if (spec.over.empty()) return;
  const AxisSpec& axis = axis_named(study, spec.over);
  for (const AxisValueSpec& value : values_of(axis)) spec.cases.push_back(with_axis(axis, value));
}

}  // namespace

OptimizeSpec load_optimize(const std::string& path) { return load_optimize(load_document(path)); }

FileKind optimize_file_kind() {
  return {optimize_type().get(), "optimize", "what of an experiment or a study may vary, and the goal",
          [](const CheckRequest& request, std::ostream& out) {
            const OptimizeSpec spec = load_optimize(request.file);
            out << check_line("optimize",
                              fmt::format("{}: {}", spec.name, counted(spec.variables.size(), "variable")));
          }};
}

OptimizeSpec load_optimize(Node root) {
  if (root.find("optimize") == nullptr)
    throw ConfigError(root.place,
                      "expected an experiment, a study, or a file with the top-level key 'optimize', which "
                      "names one of them and what of it may vary (platform/commands/optimize/README.md)");
  std::optional<StudySpec> study;
  if (const Node* const named = root.find("study"); named != nullptr) {
    study = load_study(named_file(named->place, named->text, "studies"));
    add_axes(root, *study);
  }
  Origins origins;
  OptimizeSpec spec = optimize_type()->read(Reader(root, "", origins));
  spec.origins = std::move(origins);
  if (study) {
    take_study(spec, *study);
  } else {
    if (!spec.over.empty()) throw std::invalid_argument("'over' names an axis of a study; there is none");
    spec.base = {{}, spec.experiment, {}, {}};
  }
  if (!spec.workloads.empty() && !spec.cases.empty())
    throw std::invalid_argument("give 'over' or 'workloads', not both");
  for (const std::string& file : spec.workloads)
    spec.cases.push_back({std::filesystem::path(file).stem().string(), "", {}, {"workload=" + file}});
  if (!spec.costs.empty()) spec.last_overrides.push_back("costs=" + spec.costs);
  return spec;
}

}  // namespace wafertlm::optimize
