// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/precision/inputs.h"

#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <stdexcept>
#include <utility>

#include "platform/describe/document.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "workloads/models/networks.h"
#include "workloads/models/transformer.h"

namespace wafertlm::precision {
namespace {

using namespace config;

/// GPT-2 small (Radford et al. 2019): 124,439,808 parameters.
model::Model gpt2_small() {
  model::TransformerSpec spec;
  spec.name = "GPT-2 small";
  spec.layers = 12;
  spec.hidden = 768;
  spec.heads = 12;
  spec.sequence = 1024;
  spec.vocabulary = 50257;
  return model::transformer(spec);
}

const std::vector<std::pair<std::string, model::Model (*)()>>& built_in_nets() {
  static const std::vector<std::pair<std::string, model::Model (*)()>> nets{
      {"mobilenet_v2", model::mobilenet_v2},
      {"vgg19", model::vgg19},
      {"densenet121", model::densenet121},
      {"gpt2_small", gpt2_small}};
  return nets;
}

TypePtr<NumberFormat> number_format() {
  std::vector<std::pair<std::string, NumberFormat>> words;
  for (const NumberFormat each : kFormats) words.emplace_back(to_string(each), each);
  return choice(words);
}

std::shared_ptr<const Struct<MachineSpec>> machine_type() {
  using M = MachineSpec;
  auto peaks = std::make_shared<Struct<decltype(M::peaks)>>("peaks");
  for (const NumberFormat each : kFormats)
    peaks->optional(
        to_string(each), [index = static_cast<std::size_t>(each)](auto& of) -> auto& { return of[index]; },
        or_none(any_compute_rate(), 0.0), "Of matrix products; left out: there is no unit for it");
  auto type = std::make_shared<Struct<M>>("precision_machine");
  type->required("peaks", &M::peaks, peaks, "Operations per second by the format of a product")
      .required("vector_rate", &M::vector_rate, any_compute_rate(),
                "Of operations that are no matrix product: scaling, the optimizer")
      .required("memory_bandwidth", &M::memory_bandwidth, any_bandwidth(), "Of an NPU's memory")
      .optional("ranks", &M::ranks, integer<std::uint32_t>(1, 65'536), "Data parallel")
      .optional("link_bandwidth", &M::link_bandwidth, or_none(any_bandwidth(), std::uint64_t{0}),
                "That a rank sends gradients with")
      .check([](const M& spec, const Check& check) {
        if ((spec.ranks > 1) != (spec.link_bandwidth > 0))
          check.fail({&spec.ranks, &spec.link_bandwidth}, "'ranks' above 1 and 'link_bandwidth' go together");
      });
  return type;
}

void check_setting(const SettingSpec& spec, const Check& check) {
  const Formats& of = spec.formats;
  const NumberFormat all[] = {of.weights, of.activations, of.gradients, of.optimizer, of.wire};
  if (!std::any_of(std::begin(all), std::end(all), has_scale) &&
      (of.scaling.is_dynamic || of.scaling.block != 0))
    check.fail({&of.scaling.is_dynamic, &of.scaling.block}, "only int4, int8 and fp8 have scale factors");
}

std::shared_ptr<const Struct<SettingSpec>> setting_type() {
  using S = SettingSpec;
  const auto of = [](auto member) { return at(&S::formats, member); };
  const auto scaling = [&](auto member) { return at(of(&Formats::scaling), member); };
  auto type = std::make_shared<Struct<S>>("setting");
  type->required("name", &S::name, text(), "Name")
      .optional("weights", of(&Formats::weights), number_format(), "Weights")
      .optional("activations", of(&Formats::activations), number_format(), "Activations")
      .optional("gradients", of(&Formats::gradients), number_format(), "Gradients of both")
      .optional("optimizer", of(&Formats::optimizer), number_format(),
                "Two moments, and a master copy of weights of another format")
      .optional("wire", of(&Formats::wire), number_format(), "Gradients between ranks")
      .optional("scales", scaling(&Scaling::is_dynamic), choice<bool>({{"static", false}, {"dynamic", true}}),
                "Scale factors known before, or from the values of each tensor")
      .optional("block", scaling(&Scaling::block), integer<std::uint64_t>(0, 1'000'000'000),
                "Elements of a scale factor; 0: one for each tensor")
      .check(check_setting);
  return type;
}

void check_precision(const PrecisionSpec& spec, const Check& check) {
  if (std::set<std::string>(spec.models.begin(), spec.models.end()).size() != spec.models.size())
    check.fail({&spec.models}, "a model is named twice");
  const Machine machine = spec.built_machine();
  for (const SettingSpec& setting : spec.settings) {
    const Formats& of = setting.formats;
    if (spec.pass == Pass::inference)
      for (const NumberFormat* each : {&of.gradients, &of.optimizer, &of.wire})
        if (*each != NumberFormat::fp32) check.fail({each}, "has no effect without 'pass: training'");
    std::vector<NumberFormat> products{product_format(of.weights, of.activations),
                                       product_format(of.activations, of.activations)};
    if (spec.pass == Pass::training) {
      products.push_back(product_format(of.weights, of.gradients));
      products.push_back(product_format(of.activations, of.gradients));
    }
    try {
      for (const NumberFormat each : products) peak_of(machine.peaks, each);
    } catch (const std::invalid_argument& error) {
      check.fail({&of.weights, &of.activations, &of.gradients}, error.what());
    }
  }
  if (spec.pass == Pass::inference && spec.machine.ranks != 1)
    check.fail({&spec.machine.ranks}, "has no effect without 'pass: training'");
}

std::shared_ptr<const Struct<PrecisionSpec>> precision_type() {
  using P = PrecisionSpec;
  static const auto type = [] {
    auto made = std::make_shared<Struct<P>>("precision");
    made->required("precision", &P::name, text(), "Name")
        .required("machine", &P::machine, machine_type(), "What computes")
        .optional("pass", &P::pass, one_of<Pass>({"inference", "training"}), "What a step is")
        .optional("batch", &P::batch, integer<std::uint64_t>(1, 1'000'000), "Samples of a step")
        .required("models", &P::models, list_of<std::string>(one_of(model_names()), 1, 16), "Built-in models")
        .required("settings", &P::settings, list_of<SettingSpec>(setting_type(), 1, 100),
                  "Formats; the first is what others are compared with")
        .check(check_precision);
    return made;
  }();
  return type;
}

}  // namespace

Machine PrecisionSpec::built_machine() const {
  Machine made;
  for (const NumberFormat each : kFormats)
    if (const double peak = machine.peaks[static_cast<std::size_t>(each)]; peak > 0) made.peaks[each] = peak;
  made.vector_rate = machine.vector_rate;
  made.memory_bandwidth = static_cast<double>(machine.memory_bandwidth);
  made.ranks = machine.ranks;
  if (machine.link_bandwidth > 0) made.link_bandwidth = static_cast<double>(machine.link_bandwidth);
  return made;
}

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const auto& [name, build] : built_in_nets()) made.push_back(name);
    return made;
  }();
  return names;
}

model::Model model_named(const std::string& name) {
  for (const auto& [each, build] : built_in_nets())
    if (each == name) return build();
  throw std::invalid_argument("there is no model '" + name + "'");
}

PrecisionSpec load_precision(const std::string& path) {
  const Node root = load_document(path, "precision", "configs/studies/precision_inference.yaml");
  Origins origins;
  return precision_type()->read(Reader(root, "", origins));
}

FileKind precision_file_kind() {
  return {precision_type().get(), "precision", "number formats, models and the machine that computes in them",
          [](const CheckRequest& request, std::ostream& out) {
            out << check_line("precision", load_precision(request.file).name);
          }};
}

}  // namespace wafertlm::precision
