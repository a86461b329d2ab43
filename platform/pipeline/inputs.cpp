// SPDX-License-Identifier: Apache-2.0
#include "platform/pipeline/inputs.h"

#include <memory>

#include "platform/config/document.h"
#include "platform/config/struct_type.h"
#include "platform/config/value_types.h"
#include "workloads/layers/data_parallel.h"

namespace wafertlm::pipelines {
namespace {

constexpr double kLargest = 1e18;

std::shared_ptr<const config::Struct<Layer>> layer_type() {
  using namespace config;
  auto type = std::make_shared<Struct<Layer>>("layer");
  type->required("name", &Layer::name, text(), "Of the layer")
      .required("operations", &Layer::operations, number(0, kLargest), "For one input")
      .optional("bytes", &Layer::bytes, number(0, kLargest), "That it moves to and from memory")
      .optional("output_bytes", &Layer::output_bytes, number(0, kLargest), "That the next layer needs");
  return type;
}

std::shared_ptr<const config::Struct<Place>> place_type() {
  using namespace config;
  auto type = std::make_shared<Struct<Place>>("place");
  type->required("name", &Place::name, word(), "Of the chiplet or NPU")
      .required("speed", &Place::speed, number(1e-6, kLargest), "Operations per second")
      .optional("bandwidth", &Place::bandwidth, number(0, kLargest),
                "Bytes per second of its memory; 0: memory never limits")
      .optional("link", &Place::link, number(0, kLargest),
                "Bytes per second to the next stage; 0: transfers take no time");
  return type;
}

std::shared_ptr<const config::Struct<PipelineSpec>> pipeline_type() {
  using namespace config;
  using P = PipelineSpec;
  static const auto type = [] {
    auto made = std::make_shared<Struct<P>>("pipeline");
    made->required("pipeline", &P::name, text(), "Name")
        .optional("model", &P::model, one_of({"resnet50"}), "A built-in chain in place of layers")
        .optional("layers", &P::layers, list_of<Layer>(layer_type(), 1, 1000), "In the order of the chain")
        .required("places", &P::places, list_of<Place>(place_type(), 1, 10), "Each runs one stage at most")
        .check([](const P& spec, const Check& check) {
          if (spec.model.empty() == spec.layers.empty())
            check.fail({&spec.layers}, "give either 'layers' or 'model'");
          double operations = 0;
          for (const Layer& each : spec.layers) operations += each.operations;
          if (spec.model.empty() && operations == 0)
            check.fail({&spec.layers}, "one layer at least must have operations");
        });
    return made;
  }();
  return type;
}

}  // namespace

Problem PipelineSpec::problem() const {
  if (model.empty()) return {layers, places};
  Problem made{{}, places};
  for (const wafertlm::layers::Layer& each : wafertlm::layers::resnet50())
    made.layers.push_back({each.name, static_cast<double>(each.forward_operations),  // weights of 2 bytes
                           2.0 * static_cast<double>(each.parameters), 0});
  return made;
}

PipelineSpec load_pipeline(const std::string& path) {
  const config::Node root = config::load_document(path, "pipeline", "configs/studies/pipeline_small.yaml");
  config::Origins origins;
  return pipeline_type()->read(config::Reader(root, "", origins));
}

}  // namespace wafertlm::pipelines
