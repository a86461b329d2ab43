// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/model/cores/grid_text.h"

#include <fmt/format.h>

#include "platform/describe/table.h"
#include "platform/text/format.h"

namespace wafertlm::core_runs {
namespace {

using results::Fields;
using results::Json;
namespace schema = results::schema;

const Table<CollectiveTime>& algorithms_table() {
  static const Table<CollectiveTime> table([](Table<CollectiveTime>& t) {
    using R = CollectiveTime;
    t.column("algorithm", "algorithm", shown::text(), &R::algorithm);
    t.column("cycles", "cycles", shown::whole(), &R::cycles);
    t.add("published_cycles", schema::or_null(schema::number(), "Closed form of Luczynski et al., HPDC 2024"),
          [](const R& of) { return of.published ? Json(*of.published) : Json(nullptr); });
    t.cell("published", shown::text(), [](const R& of) {
      return of.published ? fmt::format("{:.10g}", *of.published) : std::string("-");
    });
    t.cell("difference", shown::text(), [](const R& of) {
      return of.published && *of.published > 0
                 ? fmt::format("{:+.2f} %", 100 * (static_cast<double>(of.cycles) / *of.published - 1))
                 : std::string("-");
    });
    t.column("least_cycles", "bound", shown::whole(), &R::least);
    t.column("busiest_link_wavelets", "busiest link", shown::whole(), &R::busiest_link);
    t.column("simulated_cores", "simulated cores", shown::whole(), &R::simulated);
    t.column("what", "", shown::text(), &R::what);
  });
  return table;
}

const Table<cores::PhaseTime>& phases_table() {
  static const Table<cores::PhaseTime> table([](Table<cores::PhaseTime>& t) {
    using R = cores::PhaseTime;
    t.column("phase", "phase", shown::text(), &R::name);
    t.column("cycles", "cycles", shown::whole(), &R::cycles);
    t.column("least_cycles", "bound", shown::whole(), &R::least);
  });
  return table;
}

TimePs time_ps(double seconds) { return static_cast<TimePs>(seconds * 1e12 + 0.5); }

double tokens_per_s(const KernelReport& of) { return static_cast<double>(of.tokens) / of.time.seconds; }

}  // namespace

const Fields<CollectiveReport>& collective_fields() {
  static const Fields<CollectiveReport> fields([](Fields<CollectiveReport>& f) {
    using R = CollectiveReport;
    f.add("wafer", schema::text(), &R::wafer);
    f.add("type", schema::text(), &R::type);
    f.add("columns", schema::count(), &R::columns);
    f.add("rows", schema::count(), &R::rows);
    f.add("wavelets", schema::count("Of each core, 32 bits each"), &R::wavelets);
    f.add("clock_hz", schema::count(), &R::clock_hz);
    f.add_list("algorithms", algorithms_table(), &R::algorithms);
  });
  return fields;
}

std::string text_of(const CollectiveReport& report) {
  std::string text = fmt::format(
      "{}: {} of {} x {} cores, {} each, cycles of {:.4g} GHz\n", report.wafer, report.type, report.columns,
      report.rows, counted(report.wavelets, "wavelet"), static_cast<double>(report.clock_hz) * 1e-9);
  return text + algorithms_table().text(report.algorithms);
}

const Fields<KernelReport>& kernel_fields() {
  static const Fields<KernelReport> fields([](Fields<KernelReport>& f) {
    using R = KernelReport;
    const auto decodes = [](const R& of) { return of.tokens != 0; };
    f.add("wafer", schema::text(), &R::wafer);
    f.add("what", schema::text(), &R::what);
    f.add("columns", schema::count(), &R::columns);
    f.add("rows", schema::count(), &R::rows);
    f.add("cycles", schema::count(), [](const R& of) { return of.time.cycles; });
    f.add("least_cycles", schema::count(), [](const R& of) { return of.time.least; });
    f.add("time_s", schema::seconds(), [](const R& of) { return of.time.seconds; });
    f.add("of_peak", schema::fraction("Multiply-adds over what the lanes of the rectangle can"),
          [](const R& of) { return of.time.of_peak; });
    f.add("core_bytes", schema::count("That a core holds of one layer, or of the product"),
          [](const R& of) { return of.time.core_bytes; });
    f.add("levelled_cycles", schema::count("By which a core was set later than it was, at most"),
          [](const R& of) { return of.time.levelled; });
    f.add_if(decodes, "tokens_per_s", schema::number(), tokens_per_s);
    f.add_if(decodes, "layers_held", schema::count("Layers that the wafer has room for"),
             [](const R& of) { return of.time.layers_held; });
    f.add_if([](const R& of) { return of.sample_s > 0; }, "sample_s",
             schema::seconds("All layers and the head"), &R::sample_s);
    f.add_list("phases", phases_table(), [](const R& of) { return of.time.phases; });
  });
  return fields;
}

std::string text_of(const KernelReport& report) {
  const KernelTime& time = report.time;
  std::string text = fmt::format(
      "{}: {} on {} x {} cores\n  {} cycles, {}; {:.2f} % of the multiply-adds that they could do\n",
      report.wafer, report.what, report.columns, report.rows, time.cycles, format_time(time_ps(time.seconds)),
      100 * time.of_peak);
  if (report.tokens != 0) {
    text += fmt::format("  {:.1f} tokens/s of one request\n", tokens_per_s(report));
    text += time.layers_held < report.layers
                ? fmt::format("  the wafer has room for {} of {} layers; the time is that of all\n",
                              time.layers_held, report.layers)
                : "";
  }
  if (report.sample_s > 0)
    text += fmt::format("  {} a sample, all layers and the head\n", format_time(time_ps(report.sample_s)));
  text += fmt::format("  a core holds {} of {}\n", format_bytes(time.core_bytes),
                      report.tokens != 0 ? "a layer" : "it");
  if (time.levelled > 0)
    text += fmt::format("  times of cores levelled by at most {} cycles\n", time.levelled);
  return text + phases_table().text(time.phases);
}

}  // namespace wafertlm::core_runs
