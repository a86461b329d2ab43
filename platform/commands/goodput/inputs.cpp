// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <ostream>

#include "platform/commands/goodput/long_run.h"
#include "platform/describe/document.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/override.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"

namespace wafertlm::goodput {
namespace {

using namespace config;

TypePtr<std::uint64_t> duration(const char* least = "0 ps") {
  return whole_quantity(time_dimension(), least, "1000000 s");
}

std::shared_ptr<const Struct<PartSpec>> part_type() {
  using P = PartSpec;
  auto made = std::make_shared<Struct<P>>("goodput_part");
  made->required("part", &P::part, text(), "Name")
      .required("count", &P::count, integer<std::uint64_t>(1, 1'000'000'000), "How many there are")
      .optional("fit", &P::fit, or_none(number(1e-6, 1e12), 0.0), "Failures of one in 1e9 hours")
      .optional("mtbf_hours", &P::mtbf_hours, or_none(number(1e-3, 1e15), 0.0), "Between failures of one")
      .optional("failures", &P::failures, or_none(integer<std::uint64_t>(1, 1'000'000'000), std::uint64_t{0}),
                "Of all of them, seen in observed_days")
      .check([](const P& spec, const Check& check) {
        if ((spec.fit > 0) + (spec.mtbf_hours > 0) + (spec.failures > 0) != 1)
          check.fail({&spec.part, &spec.fit, &spec.mtbf_hours, &spec.failures},
                     "give one of 'fit', 'mtbf_hours' and 'failures'");
      });
  return made;
}

std::shared_ptr<const Struct<RetrySpec>> retry_type() {
  auto made = std::make_shared<Struct<RetrySpec>>("goodput_retry");
  made->required("transient", &RetrySpec::transient, number(0, 1), "Part of failures that it mends")
      .required("time", &RetrySpec::time_ps, duration(), "Until it is known whether it did");
  return made;
}

std::shared_ptr<const Struct<ShrinkSpec>> shrink_type() {
  using S = ShrinkSpec;
  auto made = std::make_shared<Struct<S>>("goodput_shrink");
  made->required("groups", &S::groups, integer<std::uint32_t>(2, 1'000'000), "Data-parallel groups")
      .required("reconfigure", &S::reconfigure_ps, duration(), "To leave one out, and to take it in again")
      .required("repair_hours", &S::repair_hours, number(0, 100'000), "Until a dead part is there again");
  return made;
}

std::shared_ptr<const Struct<SpareSpec>> spare_type() {
  using S = SpareSpec;
  auto made = std::make_shared<Struct<S>>("goodput_spares");
  made->required("count", &S::count, integer<std::uint32_t>(1, 1'000'000), "Parts that wait")
      .required("swap", &S::swap_ps, duration(), "Until one has the dead part's place: instead of 'replace'")
      .required("repair_hours", &S::repair_hours, number(0, 100'000), "Until a dead part is a spare");
  return made;
}

void check_run(const LongRun& spec, const Check& check) {
  for (const PartSpec& part : spec.parts)
    if (part.failures > 0 && spec.observed_days == 0)
      check.fail({&part.failures}, "needs 'observed_days', in which they were seen");
  const bool has_bytes = spec.checkpoint_bytes > 0, has_bandwidth = spec.checkpoint_bandwidth > 0;
  if (has_bytes != has_bandwidth)
    check.fail({&spec.checkpoint_bytes, &spec.checkpoint_bandwidth},
               "'checkpoint_bytes' and 'checkpoint_bandwidth' go together");
  if (has_bytes == (spec.checkpoint_ps > 0))
    check.fail({&spec.checkpoint_ps, &spec.checkpoint_bytes},
               "give either 'checkpoint_time' or 'checkpoint_bytes' and 'checkpoint_bandwidth'");
  // Beyond this nothing is left of a segment, and Young's and Daly's intervals mean nothing.
  if (spec.checkpoint_s() >= spec.mtbf_s() / 2)
    check.fail({&spec.checkpoint_ps, &spec.checkpoint_bytes},
               "a checkpoint takes {:.4g} s, which is not below half the time between failures, {:.4g} s",
               spec.checkpoint_s(), spec.mtbf_s());
  if (spec.restart_s() >= 10 * spec.mtbf_s())
    check.fail({&spec.detect_ps, &spec.replace_ps, &spec.reload_ps},
               "a restart takes {:.4g} s: more than ten times the time between failures, {:.4g} s",
               spec.restart_s(), spec.mtbf_s());
  if (spec.run_s() / spec.mtbf_s() * spec.seeds > 1e9)
    check.fail({&spec.run_days, &spec.seeds}, "'run_days' and 'seeds' have more than 1e9 failures together");
}

std::shared_ptr<const Struct<LongRun>> run_type() {
  using R = LongRun;
  static const auto type = [] {
    const auto some = or_none(duration("1 ns"), std::uint64_t{0});
    auto made = std::make_shared<Struct<R>>("goodput");
    made->required("goodput", &R::name, text(), "Name")
        .required("run_days", &R::run_days, number(0.001, 100'000), "How long it runs, by the clock")
        .required("parts", &R::parts, list_of<PartSpec>(part_type(), 1, 1000), "That can fail")
        .optional("observed_days", &R::observed_days, or_none(number(0.001, 100'000), 0.0),
                  "In which 'failures' of parts were seen")
        .optional("checkpoint_bytes", &R::checkpoint_bytes,
                  or_none(any_size("1 B", "1000 PB"), std::uint64_t{0}), "Written to I/O or remote memory")
        .optional("checkpoint_bandwidth", &R::checkpoint_bandwidth,
                  or_none(any_bandwidth(), std::uint64_t{0}), "Of I/O or remote memory, of the whole job")
        .optional("checkpoint_time", &R::checkpoint_ps, some, "In place of bytes and bandwidth")
        .optional("detect", &R::detect_ps, duration(), "Until a failure is found")
        .optional("replace", &R::replace_ps, duration(),
                  "Until the job is there again: another part, processes, communicators")
        .optional("reload", &R::reload_ps, some, "Of the checkpoint; left out: as long as writing it")
        .optional("interval", &R::interval_ps, some, "Work between checkpoints; left out: Daly's")
        .optional("retry", &R::retry, maybe<RetrySpec>(retry_type()), "Policy: repeat the step first")
        .optional("shrink", &R::shrink, maybe<ShrinkSpec>(shrink_type()),
                  "Policy: leave the dead part's data-parallel group out")
        .optional("spares", &R::spares, maybe<SpareSpec>(spare_type()), "Policy: parts that wait")
        .optional("seeds", &R::seeds, integer<std::uint32_t>(2, 100'000), "Runs that are simulated")
        .optional("seed", &R::seed, integer<std::uint64_t>(0, 1'000'000'000'000), "Of the random numbers")
        .presets_in("goodput")
        .check(check_run);
    return made;
  }();
  return type;
}

}  // namespace

LongRun load_long_run(const std::string& path, const std::vector<std::string>& overrides) {
  Node root = load_document(path, "goodput", "configs/goodput/llama3_405b.yaml");
  for (const std::string& text : overrides) apply_override(root, *run_type(), text);
  Origins origins;
  return run_type()->read(Reader(root, "", origins));
}

FileKind goodput_file_kind() {
  return {run_type().get(), "goodput", "a long run, its parts' failures and checkpoints",
          [](const CheckRequest& request, std::ostream& out) {
            out << check_line("goodput", load_long_run(request.file).name);
          }};
}

}  // namespace wafertlm::goodput
