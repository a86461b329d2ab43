// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/pipeline/inputs.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <stdexcept>

#include "platform/commands/pipeline/simulated.h"
#include "platform/describe/document.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/load.h"
#include "platform/text/suggest.h"
#include "workloads/layers/data_parallel.h"

namespace wafertlm::pipelines {
namespace {

constexpr double kLargest = 1e18;
constexpr std::size_t kMostPlaces = 10;
constexpr double kElementBytes = 2;

std::shared_ptr<const config::Struct<Layer>> layer_type() {
  using namespace config;
  auto type = std::make_shared<Struct<Layer>>("pipeline_layer");
  type->required("name", &Layer::name, text(), "Of the layer")
      .required("operations", &Layer::operations, number(0, kLargest), "For one input")
      .optional("bytes", &Layer::bytes, number(0, kLargest), "That it moves to and from memory")
      .optional("output_bytes", &Layer::output_bytes, number(0, 1e15), "That the next layer needs");
  return type;
}

std::shared_ptr<const config::Struct<PlaceSpec>> place_type() {
  using namespace config;
  using P = PlaceSpec;
  auto type = std::make_shared<Struct<P>>("place");
  type->required("name", &P::name, word(), "Of the chiplet or NPU")
      .required("speed", &P::speed, number(1e-6, kLargest), "Operations per second")
      .optional("bandwidth", &P::bandwidth, number(0, kLargest),
                "Bytes per second of its memory; 0: memory never limits")
      .optional("link", &P::link, number(0, kLargest),
                "Bytes per second to the next stage; 0: transfers take no time")
      .optional("npu", &P::npu, maybe(integer<std::uint32_t>(0, 1'000'000)), "Of the platform");
  return type;
}

std::shared_ptr<const config::Struct<KindSpec>> kind_type() {
  using namespace config;
  using K = KindSpec;
  auto type = std::make_shared<Struct<K>>("npu_kind");
  type->required("name", &K::name, word(), "As the map says it")
      .required("speed", &K::speed, number(1e-6, kLargest), "Operations per second")
      .optional("bandwidth", &K::bandwidth, number(0, kLargest),
                "Bytes per second of its memory; 0: memory never limits");
  return type;
}

void check_chain(const PipelineSpec& spec, const config::Check& check) {
  const int given = !spec.model.empty() + !spec.model_file.empty() + !spec.layers.empty();
  if (given != 1)
    check.fail({&spec.layers, &spec.model_file, &spec.model},
               "give either 'layers' or 'model' or 'model_file'");
  double operations = 0;
  for (const Layer& each : spec.layers) operations += each.operations;
  if (!spec.layers.empty() && operations == 0)
    check.fail({&spec.layers}, "one layer at least must have operations");
}

void check_places(const PipelineSpec& spec, const config::Check& check) {
  const bool has_platform = !spec.platform_file.empty();
  if (spec.places.empty() == spec.map.empty())
    check.fail({&spec.places, &spec.map}, "give either 'places' or 'kinds' with a 'map'");
  if (spec.map.empty() != spec.kinds.empty())
    check.fail({&spec.kinds, &spec.map}, "'kinds' and 'map' need each other");
  if (!spec.map.empty() && !has_platform) check.fail({&spec.map}, "has no effect without 'platform'");
  std::set<std::uint32_t> npus;
  for (const PlaceSpec& each : spec.places) {
    if (has_platform && each.link != 0)
      check.fail({&each.link}, "has no effect with 'platform', whose links are simulated; leave it out");
    if (!has_platform && each.npu) check.fail({&each.npu}, "has no effect without 'platform'");
    if (each.npu.has_value() != spec.places.front().npu.has_value())
      check.fail({&each.npu, &spec.places}, "give the 'npu' of all places, or of none");
    if (each.npu && !npus.insert(*each.npu).second)
      check.fail({&each.npu}, "NPU {} has a place already", *each.npu);
  }
}

void check_map(const PipelineSpec& spec, const config::Check& check) {
  std::vector<std::string> words{PipelineSpec::kNoStage};
  std::set<std::string> used;
  for (const KindSpec& each : spec.kinds) words.push_back(each.name);
  std::size_t places = 0;
  for (const auto& row : spec.map)
    for (const std::string& word : row) {
      if (std::find(words.begin(), words.end(), word) == words.end())
        check.fail({&word, &spec.map}, "there is no kind '{}'{}", word,
                   config::suggestion(word, words, "there are"));
      used.insert(word);
      if (word != PipelineSpec::kNoStage) ++places;
    }
  if (!spec.map.empty() && (places == 0 || places > kMostPlaces))
    check.fail({&spec.map},
               "has {} NPUs that can take a stage; 1 to {} can be searched. Write '{}' for others", places,
               kMostPlaces, PipelineSpec::kNoStage);
  for (const KindSpec& each : spec.kinds)
    if (used.count(each.name) == 0)
      check.fail({&each.name}, "'map' has no NPU of kind '{}'; leave it out", each.name);
}

std::shared_ptr<const config::Struct<PipelineSpec>> pipeline_type() {
  using namespace config;
  using P = PipelineSpec;
  static const auto type = [] {
    auto made = std::make_shared<Struct<P>>("pipeline_file");
    made->required("pipeline", &P::name, text(), "Name")
        .optional("model", &P::model, or_none<std::string>(one_of({"resnet50"}), ""),
                  "A built-in chain in place of layers")
        .optional("model_file", &P::model_file, file_path("a model file", "workloads/models"),
                  "A model (configs/workloads/models) in place of layers")
        .optional("layers", &P::layers, list_of<Layer>(layer_type(), 1, 1000), "In the order of the chain")
        .optional("places", &P::places, list_of<PlaceSpec>(place_type(), 1, kMostPlaces),
                  "Each runs one stage at most")
        .optional("kinds", &P::kinds, list_of<KindSpec>(kind_type(), 1, kMostPlaces), "NPUs that are alike")
        .optional("map", &P::map, list_of(list_of(word(), 1, 1000), 1, 1000),
                  "The kind of each NPU, row by row; none: it takes no stage")
        .optional("platform", &P::platform_file, file_path("a platform file", "platforms"),
                  "Schedules are measured by simulating them on it")
        .check(check_chain)
        .check(check_places)
        .check(check_map);
    return made;
  }();
  return type;
}

/// What does not fit the platform. @throws config::ConfigError
void require_fit(const PipelineSpec& spec, const config::Node& root) {
  const auto fail = [&](const char* key, const std::string& message) {
    throw config::ConfigError(root.find(key)->place, std::string(key) + ": " + message);
  };
  const config::WaferSpec& wafer = spec.platform->wafer;
  const PlacementGrid grid = fabric_kind(wafer).grid(wafer);
  for (const auto& row : spec.map)
    if (spec.map.size() != grid.height || row.size() != grid.width)
      fail("map", fmt::format("{} has {} rows of {} NPUs; the map needs a word for each", spec.platform->name,
                              grid.height, grid.width));
  for (const NpuId npu : spec.npus())
    if (index_of(npu) >= wafer.npu_count())
      fail("places", fmt::format("NPU {} is not on {}, which has {} NPUs", index_of(npu), spec.platform->name,
                                 wafer.npu_count()));
}

std::vector<Layer> built_in_resnet50() {
  std::vector<Layer> chain;
  for (const wafertlm::layers::Layer& each : wafertlm::layers::resnet50())
    chain.push_back({each.name, static_cast<double>(each.forward_operations),
                     kElementBytes * static_cast<double>(each.parameters), 0});
  return chain;
}

std::vector<Layer> layers_of(const model::Model& model) {
  std::vector<Layer> chain;
  model::for_each_layer(model, [&](const model::Layer& each, bool) {
    const auto elements = static_cast<double>(each.parameters()) + static_cast<double>(each.input_elements) +
                          static_cast<double>(each.output_elements);
    chain.push_back({each.name, static_cast<double>(model::forward_operations(each)),
                     kElementBytes * elements, kElementBytes * static_cast<double>(each.output_elements)});
  });
  return chain;
}

}  // namespace

std::vector<std::string> PipelineSpec::kind_names() const {
  std::vector<std::string> names;
  for (const auto& row : map)
    for (const std::string& word : row)
      if (word != kNoStage) names.push_back(word);
  return names;
}

Placement PipelineSpec::npus() const {
  Placement npus;
  for (std::size_t i = 0; i < places.size(); ++i)
    npus.push_back(static_cast<NpuId>(places[i].npu.value_or(static_cast<std::uint32_t>(i))));
  std::uint32_t npu = 0;
  for (const auto& row : map)
    for (const std::string& word : row) {
      if (word != kNoStage) npus.push_back(static_cast<NpuId>(npu));
      ++npu;
    }
  return npus;
}

Problem PipelineSpec::problem() const {
  Problem made;
  made.layers = !layers.empty() ? layers
                : model.empty() ? layers_of(config::build_model(config::load_model(model_file)))
                                : built_in_resnet50();
  made.places.assign(places.begin(), places.end());
  const Placement all = npus();
  for (const std::string& word : kind_names())
    for (const KindSpec& kind : kinds)
      if (kind.name == word)
        made.places.push_back(
            {fmt::format("npu{}", index_of(all[made.places.size()])), kind.speed, kind.bandwidth, 0});
  if (platform && all.size() > 1) {
    const double rate = transfer_rate(*platform, all[0], all[1]);
    for (Place& place : made.places) place.link = rate;
  }
  return made;
}

PipelineSpec load_pipeline(const std::string& path, const std::vector<std::string>& overrides) {
  const config::Node root = config::load_document(path, "pipeline", "configs/studies/pipeline_small.yaml");
  config::Origins origins;
  PipelineSpec spec = pipeline_type()->read(config::Reader(root, "", origins));
  if (spec.platform_file.empty()) {
    if (!overrides.empty())
      throw std::invalid_argument("--set has no effect: " + path + " names no 'platform'");
    return spec;
  }
  spec.platform = config::load_platform(spec.platform_file, overrides);
  require_fit(spec, root);
  return spec;
}

config::FileKind pipeline_file_kind() {
  return {pipeline_type().get(), "pipeline", "layers, and places that differ in speed",
          [](const config::CheckRequest& request, std::ostream& out) {
            out << config::check_line("pipeline", load_pipeline(request.file).name);
          }};
}

}  // namespace wafertlm::pipelines
