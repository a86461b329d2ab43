// SPDX-License-Identifier: Apache-2.0
#include "platform/cost/cost.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <memory>
#include <stdexcept>

#include "platform/config/document.h"
#include "platform/config/struct_type.h"
#include "platform/config/value_types.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm::cost {
namespace {

constexpr double kGiga = 1e9, kMost = 1e12;

std::shared_ptr<const config::Struct<CostTable>> cost_type() {
  using namespace config;
  using C = CostTable;
  static const auto type = [] {
    auto link = std::make_shared<Struct<LinkPrice>>("link_price");
    link->required("links", &LinkPrice::links, text(),
                   "Names of links: \"*.d0_*\"; the first that fits counts")
        .required("price", &LinkPrice::price, number(0, kMost), "$ per GB/s of one direction")
        .optional("power", &LinkPrice::power, number(0, kMost), "W per GB/s of one direction");
    auto made = std::make_shared<Struct<C>>("costs");
    made->required("costs", &C::name, text(), "Name of the table")
        .optional("npu", &C::npu, number(0, kMost), "$ of an NPU")
        .optional("npu_power", &C::npu_power, number(0, kMost), "W of an NPU")
        .optional("memory", &C::memory, number(0, kMost), "$ per GB of an NPU's memory")
        .optional("memory_power", &C::memory_power, number(0, kMost), "W per GB of an NPU's memory")
        .optional("links", &C::links, list_of<LinkPrice>(link, 0, 1000), "Of links, ports and NICs");
    return made;
  }();
  return type;
}

/// The row for a link. @throws std::invalid_argument.
std::size_t row_of(const std::string& link, const CostTable& table) {
  for (std::size_t i = 0; i < table.links.size(); ++i)
    if (fnmatch(table.links[i].links.c_str(), link.c_str(), 0) == 0) return i;
  throw std::invalid_argument(
      fmt::format("{} has no price for the link {}; add a row to 'links' (price: 0 if it costs nothing)",
                  table.name, link));
}

}  // namespace

double PlatformCost::price() const {
  double sum = 0;
  for (const Part& part : parts) sum += part.price;
  return sum;
}

double PlatformCost::power() const {
  double sum = 0;
  for (const Part& part : parts) sum += part.power;
  return sum;
}

CostTable load_costs(const std::string& path) {
  const config::Node root = config::load_document(path);
  if (root.find("costs") == nullptr)
    throw config::ConfigError(root.place,
                              "expected a table of costs, with the top-level key 'costs' (configs/costs/)");
  config::Origins origins;
  return cost_type()->read(config::Reader(root, "", origins));
}

std::vector<Link> links_of(const Fabric& fabric) {
  std::vector<Link> links;
  for (const FabricLink& link : fabric.links()) links.push_back({link.name, fabric.bytes_per_s(link)});
  return links;
}

PlatformCost cost_of(const config::PlatformSpec& platform, const std::vector<Link>& links,
                     const CostTable& table) {
  PlatformCost cost;
  cost.npus = platform.wafer.npu_count();
  const double npus = cost.npus,
               gigabytes = npus * static_cast<double>(platform.npu.hbm.capacity_bytes) / kGiga;
  cost.parts.push_back({"NPUs", npus, npus * table.npu, npus * table.npu_power});
  cost.parts.push_back({"memory, GB", gigabytes, gigabytes * table.memory, gigabytes * table.memory_power});
  std::vector<double> rates(table.links.size(), 0);
  for (const Link& link : links)
    rates[row_of(link.name, table)] += static_cast<double>(link.bytes_per_s) / kGiga;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const LinkPrice& row = table.links[i];
    if (rates[i] == 0)
      throw std::invalid_argument(
          fmt::format("the row {} of {} fits no link of {} that those before it leave", row.links, table.name,
                      platform.name));
    cost.parts.push_back(
        {"links " + row.links + ", GB/s", rates[i], rates[i] * row.price, rates[i] * row.power});
  }
  return cost;
}

std::string cost_text(const PlatformCost& cost, const CostTable& table) {
  std::string text = fmt::format("cost      {}\n            {:<32}{:>14}{:>16}{:>14}\n", table.name, "",
                                 "amount", "price, $", "power, W");
  for (const PlatformCost::Part& part : cost.parts)
    text += fmt::format("            {:<32}{:>14.6g}{:>16.6g}{:>14.6g}\n", part.name, part.amount, part.price,
                        part.power);
  const double npus = cost.npus;
  text += fmt::format("            {:<32}{:>14}{:>16.6g}{:>14.6g}\n", "per NPU", "", cost.price() / npus,
                      cost.power() / npus);
  return text + fmt::format("            {:<32}{:>14}{:>16.6g}{:>14.6g}\n", "in all", "", cost.price(),
                            cost.power());
}

}  // namespace wafertlm::cost
