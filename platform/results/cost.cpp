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

std::optional<double> PlatformCost::price_per_s() const {
  constexpr double kSecondsPerYear = 365.25 * 86400, kJoulesPerKwh = 3.6e6;
  if (!depreciation_years) return std::nullopt;
  return price() / (*depreciation_years * kSecondsPerYear) + power() * electricity / kJoulesPerKwh;
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
  cost.depreciation_years = table.depreciation_years;
  cost.electricity = table.electricity;
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

namespace {

struct CostRow {
  const std::optional<PlatformCost>& cost;
  Output output;
};

const results::Fields<CostRow>& cost_fields() {
  using Json = nlohmann::ordered_json;
  namespace schema = results::schema;
  using R = const CostRow&;
  static const results::Fields<CostRow> fields([](results::Fields<CostRow>& f) {
    const auto add = [&f](const char* name, const char* description, auto value) {
      f.add(name, schema::or_null(schema::number(), description), [value](R row) -> Json {
        if (!row.cost) return nullptr;
        const std::optional<double> found = value(*row.cost, row.output);
        return found ? Json(*found) : Json();
      });
    };
    using C = const PlatformCost&;
    using O = const Output&;
    using Value = std::optional<double>;
    const auto each = [](C cost, O of, Value amount) -> Value {
      if (!amount || !cost.price_per_s()) return std::nullopt;
      return *cost.price_per_s() * of.time_s / *amount;
    };
    f.add("table", schema::or_null(schema::text(), "Its name; null: the experiment has no costs"),
          [](R row) { return row.cost ? Json(row.cost->table) : Json(); });
    add("price", "$ of the platform", [](C cost, O) -> Value { return cost.price(); });
    add("power_w", "W of the platform", [](C cost, O) -> Value { return cost.power(); });
    add("price_per_npu", "$", [](C cost, O) -> Value { return cost.price() / cost.npus; });
    add("power_per_npu_w", "W", [](C cost, O) -> Value { return cost.power() / cost.npus; });
    add("price_per_hour", "$, with depreciation_years: of the platform and its electricity",
        [](C cost, O) -> Value {
          return cost.price_per_s() ? Value(3600 * *cost.price_per_s()) : std::nullopt;
        });
    add("price_per_sample", "$, the same", [each](C cost, O of) { return each(cost, of, of.samples); });
    add("price_per_token", "$, the same", [each](C cost, O of) { return each(cost, of, of.tokens); });
    add("time_per_token_s", "Of the last iteration",
        [](C, O of) -> Value { return of.tokens ? Value(of.time_s / *of.tokens) : std::nullopt; });
    f.add("parts",
          schema::list(schema::object({{"part", schema::text("NPUs, memory, links of a pattern")},
                                       {"amount", schema::number("NPUs, GB or GB/s")},
                                       {"price", schema::number()},
                                       {"power_w", schema::number()}},
                                      "What it is made of")),
          [](R row) {
            Json parts = Json::array();
            if (row.cost)
              for (const PlatformCost::Part& part : row.cost->parts)
                parts.push_back({{"part", part.name},
                                 {"amount", part.amount},
                                 {"price", part.price},
                                 {"power_w", part.power}});
            return parts;
          });
  });
  return fields;
}

}  // namespace

nlohmann::ordered_json cost_json(const std::optional<PlatformCost>& cost, const Output& output) {
  return cost_fields().json({cost, output});
}

nlohmann::ordered_json cost_schema() {
  return cost_fields().schema("By the table `costs` of the experiment");
}

}  // namespace wafertlm::cost
