// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "platform/describe/value_types.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/platform_spec.h"
#include "platform/text/format.h"
#include "platform/text/suggest.h"
#include "tlm/shape/link_graph.h"

namespace wafertlm::config {
namespace {

/// Their tables take the square of it in bytes.
constexpr std::uint32_t kMostRoutersWithDetours = 20'000;

void check_entry(const RunFaultSpec& fault, const Check& check) {
  if (fault.npu && !fault.link.empty())
    check.fail({&fault.npu, &fault.link}, "a fault is of one part: give a link or an npu");
  if (!fault.npu && fault.link.empty())
    check.fail({&fault.at_ps}, "a fault needs a part: link: \"5-6\", or npu: 3");
  if (fault.npu && fault.dies == fault.speed_percent.has_value())
    check.fail({&fault.npu, &fault.speed_percent, &fault.dies},
               "an NPU gets slower (speed_percent: 50) or dies (dies: true): give one of both");
  if (fault.dies && fault.for_ps) check.fail({&*fault.for_ps, &fault.dies}, "an NPU that dies stays dead");
}

/// Of the links between switches, as in results.
std::vector<std::string> link_names(const WaferSpec& wafer) {
  const FabricTraits traits = fabric_kind(wafer).traits(wafer);
  std::vector<std::string> names;
  if (const auto* const of = dynamic_cast<const KnowsLinks*>(traits.topology.get())) {
    const LinkGraph graph = of->link_graph();
    for (std::size_t k = 0; k < graph.links.size(); ++k) names.push_back(graph.link_name(k));
  } else {
    for (std::size_t k = 0; k < traits.topology->links(); ++k) names.push_back(traits.topology->link_name(k));
  }
  return names;
}

/// Around links that die.
void check_reroute(const PlatformSpec& platform, const RunFaultSpec& first, const Check& check) {
  const FabricSpec& fabric = platform.wafer.fabric;
  const FabricAbilities abilities = fabric_kind(platform.wafer).abilities(fabric);
  const std::vector<const void*> culprits{&platform.run.on_fault, &first.link};
  const auto forbid = [&](bool is_so, const std::string& why) {
    if (is_so) check.fail(culprits, "{}; take wait or stop", why);
  };
  forbid(!abilities.reroutes, "only packets of a single mesh go around a link");
  forbid(abilities.dateline_channels,
         "around wafer.defects packets go from the beginning, and around both there are no routes yet");
  forbid(fabric.input_queue != InputQueue::per_output, "detours need wafer.fabric.input_queue: per_output");
  forbid(fabric.is_reliable(), "on a detour packets overtake others, and Go-Back-N needs their order");
  forbid(2 * fabric.virtual_channels > kMaxVcs,
         fmt::format("detours need as many channels again, so at most {} are possible", kMaxVcs / 2));
  forbid(platform.wafer.npu_count() > kMostRoutersWithDetours,
         fmt::format("detours are known of up to {} routers", kMostRoutersWithDetours));
}

void check_faulty_links(const PlatformSpec& platform, const Check& check) {
  const std::vector<RunFaultSpec>& faults = platform.run.faults;
  const auto is_link = [](const RunFaultSpec& fault) { return !fault.link.empty(); };
  const auto first = std::find_if(faults.begin(), faults.end(), is_link);
  if (first == faults.end()) return;
  const FabricSpec& fabric = platform.wafer.fabric;
  const FabricAbilities abilities = fabric_kind(platform.wafer).abilities(fabric);
  if (!abilities.packets)
    check.fail({&first->link, &fabric.kind},
               "rates of links change between packets, and here messages travel whole; take a fabric with "
               "packets (wafer.fabric.transport: packets), or leave the fault out");
  if (fabric.format.by_flit)
    check.fail({&first->link, &fabric.format.by_flit},
               "links of wormhole routers keep their rate; take switching: cut_through");
  if (!fabric.rtl.empty())
    check.fail({&first->link, &fabric.rtl}, "RTL of switches knows no faults; leave one of them out");
  const auto dying = std::find_if(faults.begin(), faults.end(), [&](const RunFaultSpec& fault) {
    return is_link(fault) && fault.is_loss();
  });
  if (platform.run.on_fault == OnFault::reroute && dying != faults.end())
    check_reroute(platform, *dying, check);
  const std::vector<std::string> names = link_names(platform.wafer);
  for (const RunFaultSpec& fault : faults) {
    if (!is_link(fault)) continue;
    const std::vector<std::string> ways = fault.ways();
    if (ways.empty())
      check.fail({&fault.link}, "expected a link such as 5-6 (both directions) or 5->6 (one), got {}",
                 quoted(fault.link));
    for (const std::string& way : ways)
      if (std::find(names.begin(), names.end(), way) == names.end())
        check.fail({&fault.link, &platform.wafer.width, &platform.wafer.height},
                   "there is no link {} that works{}", way, did_you_mean(way, names));
  }
}

void check_faulty_npus(const PlatformSpec& platform, const Check& check) {
  const std::vector<NpuId> failed = platform.wafer.fabric.kind->failed_npus(platform.wafer.fabric);
  for (const RunFaultSpec& fault : platform.run.faults) {
    if (!fault.npu) continue;
    if (index_of(*fault.npu) >= platform.wafer.npu_count())
      check.fail({&*fault.npu, &platform.wafer.width, &platform.wafer.height},
                 "there is no NPU {}; the wafer has NPUs 0 to {}", index_of(*fault.npu),
                 platform.wafer.npu_count() - 1);
    if (std::find(failed.begin(), failed.end(), *fault.npu) != failed.end())
      check.fail({&*fault.npu}, "NPU {} does not work anyway (wafer.defects)", index_of(*fault.npu));
    if (fault.dies && platform.run.on_fault != OnFault::stop)
      check.fail({&fault.dies, &platform.run.on_fault},
                 "nobody takes over what an NPU did that dies: set {} to stop; what a job loses over many "
                 "failures tells `wafertlm goodput`",
                 check.path(&platform.run.on_fault));
  }
}

bool have_part_in_common(const RunFaultSpec& a, const RunFaultSpec& b) {
  if (a.npu || b.npu) return a.npu == b.npu;
  const std::vector<std::string> of_a = a.ways(), of_b = b.ways();
  return std::any_of(of_a.begin(), of_a.end(), [&](const std::string& way) {
    return std::find(of_b.begin(), of_b.end(), way) != of_b.end();
  });
}

}  // namespace

std::vector<std::string> RunFaultSpec::ways() const {
  const std::size_t dash = link.find('-');
  if (dash == std::string::npos) return {};
  const bool one_way = link.compare(dash, 2, "->") == 0;
  const auto end_name = [](const std::string& text) {
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    return (is_number ? "router" : "") + text;
  };
  const std::string from = end_name(link.substr(0, dash)),
                    to = end_name(link.substr(dash + (one_way ? 2 : 1)));
  if (one_way) return {from + "->" + to};
  return {from + "->" + to, to + "->" + from};
}

std::string RunFaultSpec::part() const {
  return npu ? fmt::format("NPU {}", index_of(*npu)) : "link " + link;
}

void check_run_faults(const PlatformSpec& platform, const Check& check) {
  const std::vector<RunFaultSpec>& faults = platform.run.faults;
  check_faulty_links(platform, check);
  check_faulty_npus(platform, check);
  if (platform.run.on_fault != OnFault::wait &&
      std::none_of(faults.begin(), faults.end(), [](const RunFaultSpec& fault) { return fault.is_loss(); }))
    check.fail({&platform.run.on_fault},
               "has no effect without a link that goes down for good (rate_percent: 0, no 'for') or an NPU "
               "that dies in run.faults");
  for (const RunFaultSpec& fault : faults) {
    if (fault.at_ps >= platform.run.watchdog_ps)
      check.fail({&fault.at_ps, &platform.run.watchdog_ps}, "the run is given up before ({}: {})",
                 check.path(&platform.run.watchdog_ps), format_time(platform.run.watchdog_ps));
    for (const RunFaultSpec* before = faults.data(); before != &fault; ++before)
      if (have_part_in_common(*before, fault) && before->at_ps < fault.end_ps() &&
          fault.at_ps < before->end_ps())
        check.fail({&fault.at_ps},
                   "{} has another fault at that time, {}; give the earlier one a 'for' that "
                   "ends before, or leave one out",
                   fault.part(), check.path(before));
  }
}

std::shared_ptr<const Struct<RunFaultSpec>> run_fault_type() {
  using F = RunFaultSpec;
  const auto time = whole_quantity(time_dimension(), "0 ps", "9000000 s");
  auto type = std::make_shared<Struct<F>>("run_fault");
  type->required("at", &F::at_ps, time, "When it happens, in simulated time")
      .optional("for", &F::for_ps, maybe(whole_quantity(time_dimension(), "1 ps", "9000000 s")),
                "How long it lasts; left out: to the end of the run")
      .optional(
          "link", &F::link, or_none<std::string>(text(), ""),
          "The link: \"5-6\" in both directions, \"5->6\" in one; numbers of a mesh's routers, or names "
          "of two switches as in the results' links")
      .required("rate_percent", &F::rate_percent, maybe(integer<std::uint32_t>(0, 100)),
                "What is left of the link's bandwidth for packets that start during the fault; 0: none "
                "starts")
      .when_given(&F::link)
      .optional("npu", &F::npu, maybe(integer<NpuId>(0, 65'535)), "The NPU")
      .optional("speed_percent", &F::speed_percent, maybe(integer<std::uint32_t>(1, 100)),
                "How fast it computes what starts during the fault; 50: half as fast")
      .when_given(&F::npu)
      .optional("dies", &F::dies, boolean(), "It computes nothing any more")
      .when_given(&F::npu)
      .check(check_entry);
  return type;
}

}  // namespace wafertlm::config
