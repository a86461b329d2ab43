// SPDX-License-Identifier: Apache-2.0
#include "platform/results/cost.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <stdexcept>

#include "platform/describe/document.h"
#include "platform/describe/fields.h"
#include "platform/spec/descriptions.h"
#include "platform/text/aligned.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm::cost {
namespace {

constexpr double kGiga = 1e9;

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
  return config::cost_type()->read(config::Reader(root, "", origins));
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
  cost.table = table.name;
  const double npus = cost.npus,
               gigabytes = npus * static_cast<double>(platform.npu.hbm.capacity_bytes) / kGiga;
  cost.parts.push_back({"NPUs", npus, npus * table.npu, npus * table.npu_power});
  cost.parts.push_back({"memory, GB", gigabytes, gigabytes * table.memory, gigabytes * table.memory_power});
  if (platform.remote_memory) {
    const double more = static_cast<double>(platform.remote_memory->capacity_bytes) / kGiga;
    cost.parts.push_back({"remote memory, GB", more, more * table.expanded, more * table.expanded_power});
  } else if (table.expanded != 0 || table.expanded_power != 0) {
    throw std::invalid_argument(fmt::format("expanded_memory of {} has no effect: {} has no remote memory",
                                            table.name, platform.name));
  }
  if (table.wafer != 0) {  // the bad ones are paid, too
    const double wafers = platform.wafer.outer ? platform.wafer.outer->wafers : 1;
    cost.parts.push_back({"wafers", wafers, wafers * table.wafer / table.wafer_yield, 0});
  }
  std::vector<double> rates(table.links.size(), 0);
  for (const Link& link : links)
    rates[row_of(link.name, table)] += static_cast<double>(link.bytes_per_s) / kGiga;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const config::LinkPriceSpec& row = table.links[i];
    if (rates[i] == 0 && row.price == 0 && row.power == 0) continue;
    if (rates[i] == 0)
      throw std::invalid_argument(
          fmt::format("the row {} of {} fits no link of {} that those before it leave", row.links, table.name,
                      platform.name));
    cost.parts.push_back(
        {"links " + row.links + ", GB/s", rates[i], rates[i] * row.price, rates[i] * row.power});
  }
  return cost;
}

PlatformCost cost_of(const config::ExperimentSpec& experiment, const Fabric& fabric) {
  return cost_of(experiment.platform, links_of(fabric), *experiment.costs);
}

std::string cost_text(const PlatformCost& cost) {
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  TextRows rows{{"", "amount", "price, $", "power, W"}};
  for (const PlatformCost::Part& part : cost.parts)
    rows.push_back({part.name, number(part.amount), number(part.price), number(part.power)});
  rows.push_back({"per NPU", "", number(cost.price() / cost.npus), number(cost.power() / cost.npus)});
  rows.push_back({"in all", "", number(cost.price()), number(cost.power())});
  return fmt::format("cost      {}\n{}", cost.table, aligned(rows, "lr", 10));
}

nlohmann::ordered_json cost_json(const std::optional<PlatformCost>& cost) {
  using Json = nlohmann::ordered_json;
  Json parts = Json::array();
  if (!cost)
    return {{"table", nullptr},         {"price", nullptr},           {"power_w", nullptr},
            {"price_per_npu", nullptr}, {"power_per_npu_w", nullptr}, {"parts", std::move(parts)}};
  const double npus = cost->npus;
  for (const PlatformCost::Part& part : cost->parts)
    parts.push_back(
        {{"part", part.name}, {"amount", part.amount}, {"price", part.price}, {"power_w", part.power}});
  return {{"table", cost->table},
          {"price", cost->price()},
          {"power_w", cost->power()},
          {"price_per_npu", cost->price() / npus},
          {"power_per_npu_w", cost->power() / npus},
          {"parts", std::move(parts)}};
}

nlohmann::ordered_json cost_schema() {
  namespace schema = results::schema;
  const auto or_null = [](const char* description) { return schema::or_null(schema::number(), description); };
  return schema::object(
      {{"table", schema::or_null(schema::text(), "Its name; null: the experiment has no costs")},
       {"price", or_null("$ of the platform")},
       {"power_w", or_null("W of the platform")},
       {"price_per_npu", or_null("$")},
       {"power_per_npu_w", or_null("W")},
       {"parts", schema::list(schema::object({{"part", schema::text("NPUs, memory, links of a pattern")},
                                              {"amount", schema::number("NPUs, GB or GB/s")},
                                              {"price", schema::number()},
                                              {"power_w", schema::number()}},
                                             "What it is made of"))}},
      "By the table `costs` of the experiment");
}

}  // namespace wafertlm::cost
