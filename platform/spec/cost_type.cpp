// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "platform/describe/value_types.h"
#include "platform/spec/cost_spec.h"
#include "platform/spec/descriptions.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<CostSpec>> cost_type() {
  using C = CostSpec;
  static const auto type = [] {
    constexpr double kMostPrice = 1e12;
    const auto price = number(0, kMostPrice);
    auto link = std::make_shared<Struct<LinkPriceSpec>>("link_price");
    link->required("links", &LinkPriceSpec::links, text(),
                   "Names of links: \"*.d0_*\"; the first that fits counts")
        .required("price", &LinkPriceSpec::price, price, "$ per GB/s of one direction")
        .optional("power", &LinkPriceSpec::power, price, "W per GB/s of one direction");
    auto made = std::make_shared<Struct<C>>("costs");
    made->presets_in("costs");
    made->required("costs", &C::name, text(), "Name of the table")
        .optional("npu", &C::npu, price, "$ of an NPU")
        .optional("npu_power", &C::npu_power, price, "W of an NPU")
        .optional("memory", &C::memory, price, "$ per GB of an NPU's memory")
        .optional("memory_power", &C::memory_power, price, "W per GB of an NPU's memory")
        .optional("expanded_memory", &C::expanded, price, "$ per GB of the remote memory")
        .optional("expanded_memory_power", &C::expanded_power, price, "W per GB of the remote memory")
        .optional("wafer", &C::wafer, price, "$ of a processed wafer, good or not")
        .optional("wafer_yield", &C::wafer_yield, number(1e-6, 1), "Part of the wafers that is good")
        .optional("links", &C::links, list_of<LinkPriceSpec>(link, 0, 1000), "Of links, ports and NICs");
    return made;
  }();
  return type;
}

}  // namespace wafertlm::config
