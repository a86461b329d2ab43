// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/memory_views.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include <optional>
#include <stdexcept>

#include "models/hbm/hbm.h"
#include "models/hbm/rtl/hbm_shadow.h"
#include "platform/describe/fields.h"
#include "platform/host/built_without.h"
#include "platform/machine/rtl/rtl_views.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

bool is_axi4_slave(RtlProtocol protocol) { return protocol == RtlProtocol::axi4_slave; }

/// What decides times, of the model and of the RTL.
std::vector<RtlProperty> memory_properties(const config::HbmSpec& spec, const RtlDesign& design,
                                           const RtlClock& clock) {
  const double rate = static_cast<double>(design.flit_bytes()) * static_cast<double>(clock.hz);
  const auto bus = [&](const char* what, bool write) {
    const auto model = static_cast<double>(spec.bytes_per_s(write));
    const double least = std::min(model, rate), most = std::max(model, rate);
    return RtlProperty{what, fmt::format("{:.4g} GB/s", model / 1e9), fmt::format("{:.4g} GB/s", rate / 1e9),
                       most > least * 1.001};
  };
  std::vector<RtlProperty> list = {bus("reads", false), bus("writes", true)};
  const TimePs model_ps = spec.timing.latency_ps, rtl_ps = clock.edge_ps(design.latency);
  const TimePs apart_ps = std::max(model_ps, rtl_ps) - std::min(model_ps, rtl_ps);
  if (design.latency != 0)
    list.push_back({"latency", fmt::format("{} ps", model_ps),
                    fmt::format("{} ps (LATENCY={})", rtl_ps, design.latency), apart_ps > clock.period_ps()});
  else
    list.push_back({"latency", fmt::format("{} ps", model_ps), "not known", true});
  const bool shares = !spec.generation.empty();
  list.push_back({"reads and writes", shares ? "share a bus" : "apart", "apart", shares});
  return list;
}

}  // namespace

struct MemoryViews::View {
  View(const config::HbmRtlSpec& of, const RtlDesign& made_of, const RtlClock& clock)
      : spec(of),
        design(made_of),
        model(made_of.make(fmt::format("rtl_hbm_{}", of.npu))),
        rtl(made_of, *model, clock) {}

  const config::HbmRtlSpec& spec;
  const RtlDesign& design;
  std::unique_ptr<RtlModel> model;
  HbmRtl rtl;
  std::optional<HbmShadow> shadow;
  std::string name() const { return fmt::format("hbm_{}", spec.npu); }
  bool is_equal() const { return !rtl.fault() && (!shadow || shadow->beyond() == 0); }
};

MemoryViews::MemoryViews(const config::HbmSpec& spec, const std::vector<std::unique_ptr<Hbm>>& memories)
    : spec_(spec) {
  std::map<std::uint32_t, std::size_t> named_by;  // NPU to entry
  for (std::size_t k = 0; k < spec.rtl.size(); ++k) {
    const config::HbmRtlSpec& each = spec.rtl[k];
    try {
      if (each.npu >= memories.size() || !memories[each.npu])
        throw std::invalid_argument(
            fmt::format("there is no NPU {} with a memory of ours; there are {}", each.npu, memories.size()));
      if (const auto [earlier, is_new] = named_by.emplace(each.npu, k); !is_new)
        throw std::invalid_argument(fmt::format("npu.hbm.rtl[{}] names NPU {}, too; leave one of them out",
                                                earlier->second, each.npu));
      add(each, *memories[each.npu]);
    } catch (const std::invalid_argument& why) {
      throw std::invalid_argument(fmt::format("npu.hbm.rtl[{}]: {}", k, why.what()));
    }
  }
}

void MemoryViews::add(const config::HbmRtlSpec& spec, Hbm& memory) {
  const RtlDesign& design = find_rtl_design(spec.design, rtl_designs(), rtl_is_built(), is_axi4_slave);
  if (!design.configuration.empty())
    throw std::invalid_argument("the RTL design '" + design.name + "' is no memory (CONFIGURATION " +
                                design.configuration + ")");
  if (spec.view == RtlViewMode::tlm) return;
  if (!design.make)
    throw BuiltWithout("this program has no code of the RTL design '" + design.name +
                       "': ./build.sh release wafertlm makes one that has");
  const RtlClock clock{spec.clock_hz.value_or(spec_.bytes_per_s(false) / design.flit_bytes())};
  View& view = *views_.emplace_back(std::make_unique<View>(spec, design, clock));
  if (spec.view == RtlViewMode::rtl) return memory.set_timing(view.rtl);
  memory.set_follower(view.shadow.emplace(view.rtl, spec.tolerance_cycles));
}

MemoryViews::~MemoryViews() = default;

void MemoryViews::finish() {
  for (const auto& each : views_)
    if (each->shadow) each->shadow->finish();
}

nlohmann::ordered_json MemoryViews::json() const {
  auto list = results::Json::array();
  for (const auto& each : views_) {
    results::Json row = {{"memory", each->name()},
                         {"view", wafertlm::to_string(each->spec.view)},
                         {"design", each->design.name},
                         {"clock_hz", each->rtl.clock().hz},
                         {"equal", each->is_equal()},
                         {"accesses", each->rtl.accesses()},
                         {"bursts", each->rtl.bursts()},
                         {"cycles", each->rtl.cycles()},
                         {"bytes_compared", each->rtl.bytes_compared()},
                         {"fault", each->rtl.fault() ? results::Json(each->rtl.fault()->text) : nullptr}};
    if (const auto& shadow = each->shadow) {
      row["times"] = {{"compared", shadow->compared()},
                      {"beyond", shadow->beyond()},
                      {"tolerance_cycles", each->spec.tolerance_cycles},
                      {"tlm_mean_s", shadow->mean_model_ps() / 1e12},
                      {"rtl_mean_s", shadow->mean_rtl_ps() / 1e12},
                      {"difference_cycles", results::Json::array()}};
      for (const auto& [cycles, accesses] : shadow->histogram())
        row["times"]["difference_cycles"].push_back({{"cycles", cycles}, {"accesses", accesses}});
    }
    row["properties"] = results::Json::array();
    for (const RtlProperty& property : memory_properties(spec_, each->design, each->rtl.clock()))
      row["properties"].push_back({{"property", property.what},
                                   {"tlm", property.model},
                                   {"rtl", property.rtl},
                                   {"differs", property.differs}});
    list.push_back(std::move(row));
  }
  return list;
}

nlohmann::ordered_json memory_view_schema() {
  namespace schema = results::schema;
  const auto cycles = schema::object({{"cycles", {{"type", "integer"}}}, {"accesses", schema::count()}});
  const auto property = schema::object({{"property", schema::text()},
                                        {"tlm", schema::text()},
                                        {"rtl", schema::text()},
                                        {"differs", schema::boolean()}});
  return schema::object(
      {{"memory", schema::text()},
       {"view", {{"enum", {"rtl", "both"}}}},
       {"design", schema::text()},
       {"clock_hz", schema::count()},
       {"equal", schema::boolean("Data, rules of the pins, and with both the times")},
       {"accesses", schema::count()},
       {"bursts", schema::count("Of AXI4")},
       {"cycles", schema::count("In which the clock ran")},
       {"bytes_compared", schema::count("Read, with what was written")},
       {"fault", schema::or_null(schema::text(), "The first wrong byte or broken rule")},
       {"times", schema::object({{"compared", schema::count()},
                                 {"beyond", schema::count("Beyond the tolerance")},
                                 {"tolerance_cycles", schema::count()},
                                 {"tlm_mean_s", schema::seconds()},
                                 {"rtl_mean_s", schema::seconds()},
                                 {"difference_cycles", schema::list(cycles, "RTL minus model")}},
                                "With view both")},
       {"properties", schema::list(property, "What decides times")}},
      nullptr, {"times"});
}

std::string MemoryViews::text() const {
  std::string text;
  for (const auto& each : views_) {
    const HbmRtl& rtl = each->rtl;
    text +=
        fmt::format("\nRTL of {}: view {}, design {}, clock {} MHz, {} accesses in {} bursts, {} cycles\n",
                    each->name(), wafertlm::to_string(each->spec.view), each->design.name,
                    rtl.clock().hz / 1'000'000, rtl.accesses(), rtl.bursts(), rtl.cycles());
    text += to_text(memory_properties(spec_, each->design, rtl.clock()));
    TextRows rows;
    if (rtl.accesses() == 0) {
      text +=
          "  nothing was compared: no access came to it (of collectives only with npu.endpoint.memory: "
          "hbm)\n";
      continue;
    }
    rows.push_back({"data", rtl.fault() ? fmt::format("at {} ps {}", rtl.fault()->at_ps, rtl.fault()->text)
                                        : fmt::format("equal, {} B read", rtl.bytes_compared())});
    if (const auto& shadow = each->shadow) {
      rows.push_back({"times", fmt::format("{} of {} accesses beyond {} cycles, mean TLM {}, RTL {}",
                                           shadow->beyond(), shadow->compared(), each->spec.tolerance_cycles,
                                           format_time(static_cast<TimePs>(shadow->mean_model_ps())),
                                           format_time(static_cast<TimePs>(shadow->mean_rtl_ps())))});
      std::string histogram;
      for (const auto& [cycles, accesses] : shadow->histogram())
        histogram += fmt::format("{}{:+}: {}", histogram.empty() ? "" : ", ", cycles, accesses);
      rows.push_back({"RTL later, cycles", histogram});
    }
    text += aligned(rows, "l", 2, {24});
  }
  return text;
}

double MemoryViews::host_s() const {
  double sum_s = 0;
  for (const auto& each : views_) sum_s += each->rtl.host_s();
  return sum_s;
}

void MemoryViews::require_equal() const {
  for (const auto& each : views_) {
    if (each->is_equal()) continue;
    if (const auto& fault = each->rtl.fault())
      throw RtlDiffers(fmt::format("the RTL of {} at {} ps: {}", each->name(), fault->at_ps, fault->text));
    const HbmShadow::Difference& first = *each->shadow->first_beyond();
    throw RtlDiffers(fmt::format(
        "the RTL of {} differs from the model in the time of {} accesses, first the {} of {} B at address {} "
        "that began at {} ps: expected {} ps, got {} ps",
        each->name(), each->shadow->beyond(), first.access.write ? "write" : "read", first.access.bytes,
        first.access.address, first.began_ps, first.model_ps, first.rtl_ps));
  }
}

}  // namespace wafertlm
