// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/commands/goodput/goodput_study.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/table.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/presets.h"

namespace wafertlm {
namespace {

using namespace goodput;
using results::Fields;
namespace schema = results::schema;

struct GoodputOptions {
  std::string file;
  std::vector<std::string> overrides;
  bool json = false;
};

struct FailingPart {
  goodput::PartSpec spec;
  double rate, share;
};

const Table<FailingPart>& failing_parts_table() {
  static const Table<FailingPart> table([](Table<FailingPart>& t) {
    using R = FailingPart;
    t.column("part", "part", shown::text(), [](const R& of) { return of.spec.part; });
    t.column("count", "count", shown::whole(), [](const R& of) { return of.spec.count; });
    t.column("fit", "FIT of one", shown::number("{:.4g}"),
             [](const R& of) { return of.rate * 3600e9 / static_cast<double>(of.spec.count); });
    t.column("failures_per_day", "a day", shown::number("{:.3f}"),
             [](const R& of) { return of.rate * 86'400; });
    t.column("share", "share", shown::percent(1), &R::share);
  });
  return table;
}

const Table<IntervalRow>& intervals_table() {
  static const Table<IntervalRow> table([](Table<IntervalRow>& t) {
    t.column("rule", "", shown::text(), &IntervalRow::rule);
    t.column("interval_s", "interval, s", shown::number("{:.5g}"), &IntervalRow::interval_s);
    t.column("goodput", "goodput", shown::percent(), &IntervalRow::goodput);
  });
  return table;
}

/// Columns of simulated runs, of rows that have them.
template <class Row>
void add_runs(Table<Row>& t) {
  t.column("goodput", "simulated", shown::percent(), [](const Row& of) { return of.runs.mean; });
  t.column("least", "least", shown::percent(), [](const Row& of) { return of.runs.least; });
  t.column("most", "most", shown::percent(), [](const Row& of) { return of.runs.most; });
  t.add("error", schema::number("Standard error of the mean"), [](const Row& of) { return of.runs.error; });
}

const Table<ScanRow>& scan_table() {
  static const Table<ScanRow> table([](Table<ScanRow>& t) {
    t.column("interval_s", "interval, s", shown::number("{:.5g}"), &ScanRow::interval_s);
    t.column("formula", "formula", shown::percent(), &ScanRow::formula);
    add_runs(t);
  });
  return table;
}

const Table<PolicyRow>& policies_table() {
  static const Table<PolicyRow> table([](Table<PolicyRow>& t) {
    t.column("policy", "policy", shown::text(), [](const PolicyRow& of) { return to_string(of.policy); });
    add_runs(t);
    const auto share = [&](const char* name, const char* heading, double Account::*part) {
      t.column(name, heading, shown::percent(),
               [part](const PolicyRow& of) { return of.runs.account.*part / of.runs.account.total_s(); });
    };
    share("checkpoints", "checkpoints", &Account::checkpoint_s);
    share("lost", "lost", &Account::lost_s);
    share("down", "down", &Account::down_s);
    share("slower", "slower", &Account::slower_s);
  });
  return table;
}

struct GoodputReport {
  LongRun run;
  GoodputStudy study;
  std::vector<FailingPart> parts;
};

const Fields<GoodputReport>& goodput_fields() {
  static const Fields<GoodputReport> fields([](Fields<GoodputReport>& f) {
    using R = GoodputReport;
    f.add("goodput", schema::text(), [](const R& of) { return of.run.name; });
    f.add("run_s", schema::seconds(), [](const R& of) { return of.run.run_s(); });
    f.add("seeds", schema::count(), [](const R& of) { return of.run.seeds; });
    f.add("mtbf_s", schema::seconds("Of the job"), [](const R& of) { return of.study.job.mtbf_s; });
    f.add("checkpoint_s", schema::seconds(), [](const R& of) { return of.study.job.checkpoint_s; });
    f.add("restart_s", schema::seconds(), [](const R& of) { return of.study.job.restart_s; });
    f.add("interval_s", schema::seconds("Of the policies"), [](const R& of) { return of.study.interval_s; });
    f.add("expected", schema::fraction("Goodput at that interval, by formula"),
          [](const R& of) { return of.study.goodput; });
    f.add_list("parts", failing_parts_table(), [](const R& of) { return of.parts; });
    f.add_list("intervals", intervals_table(), [](const R& of) { return of.study.intervals; });
    f.add_list("scan", scan_table(), [](const R& of) { return of.study.scan; });
    f.add_list("policies", policies_table(), [](const R& of) { return of.study.policies; });
  });
  return fields;
}

std::string goodput_text(const GoodputReport& report) {
  const GoodputStudy& study = report.study;
  return fmt::format(
             "{}: {:g} days\nA failure every {:.5g} s ({:.3g} h); checkpoint {:.4g} s, restart {:.4g} "
             "s\nGoodput "
             "{:.2f} % expected with a checkpoint after each {:.5g} s\n\n",
             report.run.name, report.run.run_days, study.job.mtbf_s, study.job.mtbf_s / 3600,
             study.job.checkpoint_s, study.job.restart_s, 100 * study.goodput, study.interval_s) +
         failing_parts_table().text(report.parts) + "\nBest interval\n" +
         intervals_table().text(study.intervals) +
         fmt::format("\nRestart, {} seeds from {}: mean, least, most\n", report.run.seeds, report.run.seed) +
         scan_table().text(study.scan) +
         fmt::format("\nPolicies, a checkpoint after each {:.5g} s\n", study.interval_s) +
         policies_table().text(study.policies) +
         "\nGoodput: work that was not lost over time by the clock. Failures are exponentially distributed "
         "and "
         "come\nduring checkpoints and restarts, too; the same ones for all intervals and policies.\n";
}

int run_goodput(const GoodputOptions& options) {
  GoodputReport report{load_long_run(options.file, options.overrides), {}, {}};
  report.study = goodput_study(report.run);
  for (const goodput::PartSpec& part : report.run.parts) {
    const double rate = report.run.rate(part);
    report.parts.push_back({part, rate, rate * report.study.job.mtbf_s});
  }
  fmt::print("{}", options.json ? goodput_fields().json(report).dump(1) + "\n" : goodput_text(report));
  return 0;
}

}  // namespace

std::function<int()> add_goodput_command(CLI::App& app) {
  auto options = std::make_shared<GoodputOptions>();
  CLI::App* command = app.add_subcommand(
      "goodput", "A long run with failures: checkpoint interval, goodput, what to do after a failure");
  add_file(*command, "FILE", options->file, "Parts, checkpoints and policies", "goodput", "FILE.yaml");
  add_set_option(*command, options->overrides, [] { return goodput_file_kind().type->all_paths(); });
  add_json_flag(*command, options->json, [] { return goodput_fields().schema(); });
  command->footer("Example:\n  wafertlm goodput llama3_405b --set detect=300s");
  return [options] { return run_goodput(*options); };
}

}  // namespace wafertlm
