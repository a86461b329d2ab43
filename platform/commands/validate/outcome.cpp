// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/outcome.h"

#include <algorithm>
#include <cmath>

namespace wafertlm::validate {
namespace {

namespace schema = results::schema;
using results::Json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

/// The smallest value that a part of them does not exceed (nearest rank).
std::optional<double> quantile(std::vector<double> values, double part) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}
std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

std::optional<double> Outcome::error() const {
  if (!answer || !row.is_value) return std::nullopt;
  return answer->simulated / row.value - 1;
}

std::vector<GroupStatistics> statistics_of(const std::vector<Outcome>& outcomes) {
  std::vector<GroupStatistics> groups;
  for (const Outcome& each : outcomes)
    if (std::none_of(groups.begin(), groups.end(),
                     [&](const GroupStatistics& group) { return group.name == each.group; }))
      groups.push_back({each.group, 0, 0, {}, {}, {}, "", {}});
  for (GroupStatistics& group : groups) {
    std::vector<double> errors, closed_form;
    for (const Outcome& each : outcomes) {
      if (each.group != group.name) continue;
      ++group.rows;
      const std::optional<double> error = each.error();
      if (!error) continue;
      ++group.said;
      if (errors.empty() || std::abs(*error) > *std::max_element(errors.begin(), errors.end()))
        group.worst_row = each.row.id;
      errors.push_back(std::abs(*error));
      if (each.answer->closed_form)
        closed_form.push_back(std::abs(*each.answer->closed_form / each.row.value - 1));
    }
    group.median = median(errors);
    group.p90 = quantile(errors, 0.9);
    group.worst = quantile(errors, 1);
    group.closed_form_median = median(closed_form);
  }
  return groups;
}

const Table<Outcome>& outcomes_table() {
  static const Table<Outcome> table([](Table<Outcome>& t) {
    using R = Outcome;
    const auto number = schema::or_null(schema::number(), "Of a row that cannot be said null");
    t.column("id", "row", shown::text(), [](const R& of) { return of.row.id; });
    t.add("group", schema::text(), &R::group);
    t.column("system", "system", shown::text(), [](const R& of) { return of.row.system; });
    t.add("ranks", schema::text(), [](const R& of) { return of.row.ranks; });
    t.column("operation", "operation", shown::text(), [](const R& of) { return of.row.operation; });
    t.column("size", "size", shown::text(), [](const R& of) { return of.row.size.substr(0, 24); });
    t.add("measured", number, [](const R& of) { return of.row.is_value ? Json(of.row.value) : Json(); });
    t.cell("measured", shown::number("{:.4g}"),
           [](const R& of) { return of.row.is_value ? Json(of.row.value) : Json(of.row.measured); });
    t.add("simulated", number, [](const R& of) { return of.answer ? Json(of.answer->simulated) : Json(); });
    t.cell("simulated", shown::number("{:.4g}"),
           [](const R& of) { return of.answer ? Json(of.answer->simulated) : Json("-"); });
    t.column("unit", "unit", shown::text(), [](const R& of) { return of.row.unit; });
    t.add("error", schema::or_null(Json{{"type", "number"}}, "Simulated over measured, less 1"),
          [](const R& of) { return or_null(of.error()); });
    t.cell("error", shown::percent(1), [](const R& of) {
      const auto error = of.error();
      return error ? Json(*error) : Json("-");
    });
    t.add("closed_form", schema::or_null(schema::number(), "By vendors' constants alone"),
          [](const R& of) { return of.answer ? or_null(of.answer->closed_form) : Json(); });
    t.add("how", schema::or_null(schema::text(), "Preset, algorithm, what was simulated"),
          [](const R& of) { return of.answer ? text_or_null(of.answer->how) : Json(); });
    t.add("calibrated_by", schema::or_null(schema::text(), "Rows whose values went in"),
          [](const R& of) { return of.answer ? text_or_null(of.answer->calibrated_by) : Json(); });
    t.add_if([](const R& of) { return !of.reason.empty(); }, "reason", schema::text("Why it cannot be said"),
             &R::reason);
    t.cell("how", shown::text(), [](const R& of) {
      if (!of.answer) return Json("cannot be said: " + of.reason);
      const std::string by = of.answer->calibrated_by;
      return Json(of.answer->how + (by.empty() ? "" : "; calibrated by " + by));
    });
    t.add("source", schema::text(), [](const R& of) { return of.row.source; });
  });
  return table;
}

const Table<GroupStatistics>& groups_table() {
  static const Table<GroupStatistics> table([](Table<GroupStatistics>& t) {
    using R = GroupStatistics;
    const auto error = [](const char* what) { return schema::or_null(schema::number(), what); };
    const auto percent = [](std::optional<double> R::*member) {
      return [member](const R& of) { return of.*member ? Json(*(of.*member)) : Json("-"); };
    };
    t.column("name", "group", shown::text(), &R::name);
    t.column("rows", "rows", shown::whole(), &R::rows);
    t.column("said", "said", shown::whole(), &R::said);
    t.add("median", error("Absolute error of those that are said"),
          [](const R& of) { return or_null(of.median); });
    t.add("p90", error("The same, nearest rank"), [](const R& of) { return or_null(of.p90); });
    t.add("worst", error("The same"), [](const R& of) { return or_null(of.worst); });
    t.add("worst_row", schema::text("Its id"), &R::worst_row);
    t.add("closed_form_median", error("Of the closed form"),
          [](const R& of) { return or_null(of.closed_form_median); });
    t.cell("median", shown::percent(1), percent(&R::median));
    t.cell("p90", shown::percent(1), percent(&R::p90));
    t.cell("worst", shown::percent(1), percent(&R::worst));
    t.cell("of row", shown::text(), &R::worst_row);
    t.cell("closed form", shown::percent(1), percent(&R::closed_form_median));
  });
  return table;
}

}  // namespace wafertlm::validate
