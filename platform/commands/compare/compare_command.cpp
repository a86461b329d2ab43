// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "platform/commands/compare/run_difference.h"
#include "platform/describe/fields.h"
#include "platform/host/files.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_folder.h"
#include "platform/host/output_option.h"
#include "platform/report/read_results.h"
#include "platform/report/report.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"

namespace wafertlm {

namespace fs = std::filesystem;

namespace {

std::string time_of(double seconds_) {
  return format_time(static_cast<TimePs>(std::llround(seconds_ * 1e12)));
}

/// Of an iteration time, relative; 0: it was not sampled.
double half_width_of(const nlohmann::ordered_json& results) {
  const auto width = results.find("iteration_time_half_width_s");
  if (width == results.end() || !is_time_s(*width)) return 0;
  return width->get<double>() / results["iteration_time_s"].get<double>();
}

}  // namespace

std::string compare_table(const std::vector<std::pair<std::string, nlohmann::ordered_json>>& runs) {
  const double first = runs.front().second["iteration_time_s"].get<double>();
  const double first_off = half_width_of(runs.front().second);
  bool is_sampled = false;
  TextRows rows{{"run", "iteration", "speedup", "compute", "share"}};
  for (const auto& [name, results] : runs) {
    const double time = results["iteration_time_s"].get<double>();
    const double compute = results["iterations"].back()["breakdown_s"]["compute"].get<double>();
    rows.push_back({name, time_of(time), fmt::format("{:.3f}", first / time), time_of(compute),
                    fmt::format("{:.2f} %", 100 * compute / time), ""});
    const double off = half_width_of(results);
    const double speedup_off = &results == &runs.front().second ? 0 : off + first_off;
    std::string& note = rows.back().back();
    if (off != 0) note = "iteration ± " + time_of(off * time);
    if (speedup_off != 0)
      note += fmt::format("{}speedup ± {:.3f}", off != 0 ? ", " : "", speedup_off * first / time);
    is_sampled |= off != 0;
  }
  std::string text = aligned(rows, "lrrrrl", 0);
  if (is_sampled) text += "± at 95 %: run.acceleration was sampled there\n";
  return text;
}

namespace {

constexpr const char* kUsualPage = "compare.html";

struct Options {
  std::vector<std::string> runs;
  std::string out, json;
};

/// What is compared, without the page's copies of the results.
nlohmann::ordered_json comparison_json(const NamedResults& runs, const nlohmann::ordered_json& differences) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const double first = runs.front().second["iteration_time_s"].get<double>();
  for (const auto& [name, results] : runs) {
    const double time = results["iteration_time_s"].get<double>();
    list.push_back({{"name", name}, {"iteration_time_s", time}, {"speedup", first / time}});
  }
  return {{"runs", list}, {"differences", differences}};
}

int compare(const Options& options) {
  NamedResults runs;
  std::vector<std::string> folders;
  for (const std::string& path : options.runs) {
    fs::path name = fs::path(path).lexically_normal();
    if (!name.has_filename()) name = name.parent_path();
    folders.push_back((fs::is_directory(path) ? name : name.parent_path()).string());
    if (name.filename() == "results.json") name = name.parent_path();
    runs.emplace_back(name.string(), read_results(path));
  }
  const nlohmann::ordered_json differences = run_differences(runs, folders);
  const std::string page = compare_html(runs, differences);
  // A name that the user did not give may be that of a file of the user's.
  std::optional<OutputFolder> usual;
  if (options.out.empty()) usual.emplace(".", "wafertlm compare", "compare").require_free({kUsualPage});
  const bool only_json =
      !options.json.empty() && write_json(options.json, comparison_json(runs, differences));
  if (!only_json) fmt::print("{}{}", differences_text(differences), compare_table(runs));
  if (usual) {
    usual->write(kUsualPage, page);
    usual->commit();
  } else {
    write_file("--out", options.out, page);
  }
  if (!only_json) fmt::print("Written:\n  {}\n", usual ? kUsualPage : options.out);
  return 0;
}

}  // namespace

std::function<int()> add_compare_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "compare", "What is different between runs, and where the time went; against the first");
  command->add_option("RUNS", options->runs, "Folders that `wafertlm run` has written, or their results.json")
      ->required()
      ->expected(2, 1000)
      ->type_name("DIR");
  add_shared_option(*command, "--out", options->out, std::string("the page; ") + kUsualPage + " if not given")
      ->check(names_output(OutputKind::file));
  add_json_option(*command, options->json, [] {
    namespace schema = results::schema;
    return schema::object({{"runs", schema::list(schema::object({{"name", schema::text()},
                                                                 {"iteration_time_s", schema::seconds()},
                                                                 {"speedup", schema::number()}}))},
                           {"differences", run_differences_schema()}});
  });
  command->footer("Example:\n  wafertlm compare out/mesh out/fred_d --out compare.html");
  return [options] { return compare(*options); };
}

}  // namespace wafertlm
