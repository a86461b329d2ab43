// SPDX-License-Identifier: Apache-2.0
#include "platform/run/table_file.h"

#include <fmt/core.h>

#include <memory>
#include <ostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "platform/describe/document.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/struct_type.h"
#include "platform/spec/ranges.h"
#include "platform/text/format.h"
#include "platform/text/quantity.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {
namespace {

using namespace config;
using backends::TunedRow;

struct RowSpec {
  TunedRow row;
  std::string npus;
};

struct TableSpec {
  std::string name, platform;
  std::vector<RowSpec> rows;
};

/// All NPUs that there may be.
constexpr std::uint32_t kMostNpus = 65'536;

TypePtr<std::string> named_algorithm() {
  std::vector<std::string> names;
  for (const Algorithm& each : algorithms()) names.push_back(each.name);
  return one_of(names);
}

std::shared_ptr<const Struct<RowSpec>> row_type() {
  auto type = std::make_shared<Struct<RowSpec>>("tuned_row");
  type->required("type", at(&RowSpec::row, &TunedRow::type), collective_type_type(), "Of the collective")
      .required("npus", &RowSpec::npus, text(), "The group that was measured: 0-4,10")
      .required("size", at(&RowSpec::row, &TunedRow::bytes), any_size("0 B", "1 PB"),
                "Look-ups take the nearest larger size")
      .required("algorithm", at(&RowSpec::row, &TunedRow::algorithm), named_algorithm(), "What is taken")
      .required("backend", at(&RowSpec::row, &TunedRow::backend), word(), "That it belongs to")
      .required("time", at(&RowSpec::row, &TunedRow::time_ps),
                whole_quantity(time_dimension(), "0 ps", "9000000 s"), "As measured")
      .check([](const RowSpec& row, const Check& check) {
        try {
          parse_npus(row.npus, kMostNpus);
        } catch (const std::invalid_argument& error) {
          check.fail({&row.npus}, error.what());
        }
      });
  return type;
}

std::shared_ptr<const Struct<TableSpec>> table_type() {
  static const auto type = [] {
    auto made = std::make_shared<Struct<TableSpec>>("tuning_table");
    made->required("tuning_table", &TableSpec::name, text(), "Name")
        .required("platform", &TableSpec::platform, text(), "Name of the platform that was measured")
        .required("rows", &TableSpec::rows, list_of<RowSpec>(row_type(), 1, 100'000), "What was measured");
    return made;
  }();
  return type;
}

}  // namespace

TypePtr<CollectiveType> collective_type_type() {
  std::vector<std::pair<std::string, CollectiveType>> words;
  for (const CollectiveType type : kCollectiveTypes) words.emplace_back(to_string(type), type);
  return choice(words);
}

backends::TuningTable load_tuning_table(const std::string& path) {
  const Node root = load_document(path, "tuning_table", "what `wafertlm tune --out` writes");
  Origins origins;
  const TableSpec spec = table_type()->read(Reader(root, "", origins));
  std::vector<TunedRow> rows;
  for (const RowSpec& each : spec.rows) {
    rows.push_back(each.row);
    rows.back().npus = parse_npus(each.npus, kMostNpus);
  }
  try {
    return backends::TuningTable(std::move(rows));
  } catch (const std::invalid_argument& error) {
    throw ConfigError(root.find("rows")->place, error.what());
  }
}

FileKind tuning_table_file_kind() {
  return {table_type().get(), "tune", "which algorithm a collective takes, as `wafertlm tune` measured it",
          [](const CheckRequest& request, std::ostream& out) {
            out << check_line("table", counted(load_tuning_table(request.file).rows().size(), "row"));
          }};
}

std::string tuning_table_yaml(const std::string& name, const std::string& platform,
                              const backends::TuningTable& table) {
  const auto quote = [](const std::string& of) { return nlohmann::json(of).dump(); };
  std::string made = fmt::format(
      "# Written by `wafertlm tune`. A platform takes it with collectives.algorithm: THIS_FILE.yaml\n"
      "tuning_table: {}\nplatform: {}\nrows:\n",
      quote(name), quote(platform));
  for (const TunedRow& row : table.rows())
    made += fmt::format("  - {{type: {}, npus: \"{}\", size: {}, algorithm: {}, backend: {}, time: {}}}\n",
                        to_string(row.type), backends::group_text(row.npus),
                        format_whole(size_dimension(), row.bytes), row.algorithm, row.backend,
                        format_whole(time_dimension(), row.time_ps));
  return made;
}

}  // namespace wafertlm
