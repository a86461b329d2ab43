// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/rtl_views.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "models/rtl/rtl_view.h"
#include "platform/describe/fields.h"
#include "platform/host/built_without.h"
#include "platform/machine/rtl/configurations.h"
#include "platform/machine/rtl/model_facts.h"
#include "platform/machine/rtl/named_design.h"
#include "platform/machine/rtl/packet_names.h"
#include "platform/machine/rtl/rtl_waves.h"
#include "platform/text/aligned.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

std::string with_name(const std::string& file, const std::string& name) {
  fs::path path(file);
  return (path.parent_path() / (path.stem().string() + "_" + name + path.extension().string())).string();
}

/// As links are called in results: "router5", where the module is router_5.
std::string name_of(Fabric& fabric, std::size_t n) {
  for (const FabricLink& link : fabric.links())
    if (link.from == n) return link.name.substr(0, link.name.find("->"));
  return fabric.switch_module(n).basename();
}

/// What the links behind the outputs of a switch are called.
std::map<std::uint32_t, std::string> links_from(Fabric& fabric, std::size_t n) {
  std::map<std::uint32_t, std::string> links;
  for (const FabricLink& link : fabric.links())
    if (link.from == n) links[static_cast<std::uint32_t>(link.output)] = link.name;
  return links;
}

std::string names_of(Fabric& fabric) {
  constexpr std::size_t kMaxNames = 60;
  std::string names;
  for (std::size_t n = 0; n < std::min(fabric.switches(), kMaxNames); ++n)
    names += (n == 0 ? "" : ", ") + name_of(fabric, n);
  if (fabric.switches() > kMaxNames) names += fmt::format(" and {} more", fabric.switches() - kMaxNames);
  return names;
}

/// Of a comparison; none: times are not judged.
std::optional<std::uint32_t> tolerance_of(const config::RtlSpec& spec) {
  const std::optional<std::uint64_t> cycles = spec.tolerance.value_or(kRtlTolerance);
  return cycles ? std::optional<std::uint32_t>(static_cast<std::uint32_t>(*cycles)) : std::nullopt;
}

/// A file without a name, that ends with the program however it ends.
class NamelessFile {
 public:
  NamelessFile() {
    std::string name = (fs::temp_directory_path() / "wafertlm_rtl_XXXXXX").string();
    descriptor_ = mkstemp(name.data());
    if (descriptor_ < 0)
      throw std::runtime_error(name + " cannot be made: " + std::generic_category().message(errno));
    unlink(name.c_str());
  }
  ~NamelessFile() { close(descriptor_); }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  /// Can be opened as long as this is there.
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

const char* to_string(RtlViewMode mode) {
  return mode == RtlViewMode::tlm ? "tlm" : mode == RtlViewMode::rtl ? "rtl" : "both";
}

struct RtlViews::View {
  std::size_t number = 0;  // of the switch
  std::optional<RtlDesign> design;
  std::unique_ptr<RtlModel> model,
      again;  // the second one makes the waveforms: modules cannot be made after the start
  std::unique_ptr<RtlView> view;
  TimePs window_ps = 0;
  std::optional<NamelessFile> temporary;  // a recording
  std::vector<std::string> written;
  RtlNames names;
};

RtlViews::RtlViews(const config::FabricSpec& spec, Fabric& fabric, Scheduler& scheduler, PacketPool& packets,
                   const ClassTable& classes)
    : spec_(spec), fabric_(fabric) {
  std::map<std::size_t, std::size_t> named_by;  // switch to entry
  for (std::size_t k = 0; k < spec.rtl.size(); ++k) {
    const config::RtlSpec& each = spec.rtl[k];
    try {
      const std::vector<std::size_t> found = switches_of(each);
      for (const std::size_t n : found) {
        const auto [earlier, is_new] = named_by.emplace(n, k);
        if (!is_new)
          throw std::invalid_argument(fmt::format(
              "switch: '{}' names {}, which wafer.fabric.rtl[{}] names with '{}', too; one of them "
              "must leave it out",
              each.switches, name_of(fabric, n), earlier->second, spec.rtl[earlier->second].switches));
        add_view(each, n, found.size() != 1, scheduler, packets, classes);
      }
    } catch (const std::invalid_argument& why) {
      throw std::invalid_argument(fmt::format("wafer.fabric.rtl[{}]: {}", k, why.what()));
    }
  }
}

std::vector<std::size_t> RtlViews::switches_of(const config::RtlSpec& spec) const {
  std::vector<std::size_t> found;
  for (std::size_t n = 0; n < fabric_.switches(); ++n)
    if (fnmatch(spec.switches.c_str(), name_of(fabric_, n).c_str(), 0) == 0) found.push_back(n);
  if (found.empty())
    throw std::invalid_argument("there is no switch '" + spec.switches + "'; there are " + names_of(fabric_));
  return found;
}

/// @param is_one_of_many each has a recording of its own
void RtlViews::add_view(const config::RtlSpec& spec, std::size_t number, bool is_one_of_many,
                        Scheduler& scheduler, PacketPool& packets, const ClassTable& classes) {
  SwitchModule& at = fabric_.switch_module(number);
  const std::string name = name_of(fabric_, number);
  auto made = std::make_unique<View>();
  made->number = number;
  RtlViewParams params;
  params.mode = spec.view;
  params.name = name;
  if (spec.design) {
    params.design = &made->design.emplace(named_rtl_design(*spec.design));
    params.configuration = rtl_configuration(*params.design);
  }
  params.flit_bytes =
      params.design ? params.design->flit_bytes() : static_cast<std::uint32_t>(spec.flit_bytes);
  params.outputs = at.output_params();
  params.channels = classes.virtual_channels();
  params.flow_branches = RtlEntry::kMessage;
  params.tolerance = tolerance_of(spec);
  params.model = [this, number] { return rtl_model_facts(fabric_, number, spec_); };
  params.clock.hz = spec.clock_hz.value_or(params.outputs.front().bytes_per_s / params.flit_bytes);
  if (spec.record) {
    params.recording = is_one_of_many ? with_name(*spec.record, name) : *spec.record;
  } else if (params.mode != RtlViewMode::tlm) {
    // For the waveforms.
    params.recording = made->temporary.emplace().path();
  }
  made->window_ps = spec.window_ps;
  if (params.mode != RtlViewMode::tlm) {
    if (!params.design->make)
      throw BuiltWithout("this program has no code of the RTL design '" + params.design->name +
                         "': ./build.sh release wafertlm makes one that has");
    made->model = params.design->make("rtl_" + name);
    made->again = params.design->make("rtl_again_" + name);
  }
  made->view =
      std::make_unique<RtlView>(at, scheduler, packets, classes, made->model.get(), std::move(params));
  views_.push_back(std::move(made));
}

RtlViews::~RtlViews() = default;

void RtlViews::require_rest() const {
  for (const auto& each : views_) each->view->require_rest();
}

void RtlViews::run(const std::function<void()>& simulation, const std::string& folder) {
  try {
    simulation();
  } catch (const RtlRuleBroken& error) {
    finish(folder);
    std::string text = error.what();
    for (const auto& each : views_)
      if (!each->written.empty()) text += "\n  " + rtl_waves_text(each->written);
    throw RtlRuleBroken(text);
  }
}

void RtlViews::finish(const std::string& folder, const std::string& shown) {
  for (const auto& each : views_) {
    each->view->finish();
    const RtlScoreboard* const board = each->view->scoreboard();
    if (!board) continue;
    const RtlViewParams& params = each->view->params();
    each->names = rtl_names_of(params.recording, *board, links_from(fabric_, each->number));
    if (board->passed()) continue;
    const RtlWaveWindow window = rtl_window_around(board->first_divergence()->at_ps, each->window_ps);
    const std::string file = "rtl_" + each->view->switch_name() + ".vcd";
    each->written = write_rtl_waves({params.recording, params.design, params.configuration, each->again.get(),
                                     window.from_ps, window.to_ps, (fs::path(folder) / file).string(),
                                     (fs::path(shown.empty() ? folder : shown) / file).string(), nullptr,
                                     board->first_divergence()->at_ps});
  }
}

nlohmann::ordered_json to_json(const RtlScoreboard& board, const RtlNames& names,
                               const std::vector<RtlProperty>& properties) {
  nlohmann::ordered_json json = {
      {"equal", board.passed()},
      {"data_equal", board.data_passed()},
      {"verdict", board.verdict(names_of_differing(properties))},
      {"packets_compared", board.compared()},
      {"data_compared", board.compared_data()},
      {"tlm_mean_latency_s", board.mean_model_latency_ps() / 1e12},
      {"rtl_mean_latency_s", board.mean_rtl_latency_ps() / 1e12},
      {"largest_difference_s", static_cast<double>(board.largest_difference_ps()) / 1e12},
      {"largest_tail_difference_s", static_cast<double>(board.largest_tail_difference_ps()) / 1e12},
      {"tlm_throughput_bytes_per_s", board.model_bytes_per_s()},
      {"rtl_throughput_bytes_per_s", board.rtl_bytes_per_s()},
      {"worst_window_throughput_ratio", board.worst_throughput_ratio()},
      {"throughput_windows", board.throughput_windows()},
      {"latency_difference_cycles", nlohmann::ordered_json::array()}};
  for (const auto& [cycles, packets] : board.latency_histogram())
    json["latency_difference_cycles"].push_back({{"cycles", cycles}, {"packets", packets}});
  for (const auto kind : {RtlDivergenceKind::data, RtlDivergenceKind::time, RtlDivergenceKind::missing,
                          RtlDivergenceKind::unexpected, RtlDivergenceKind::protocol})
    json["divergences"][wafertlm::to_string(kind)] = board.divergences(kind);
  if (const auto tolerance = board.options().tolerance)
    json["tolerance_cycles"] = *tolerance;
  else
    json["tolerance_cycles"] = nullptr;
  json["first_divergence"] = nullptr;
  if (const auto& first = board.first_divergence()) {
    const bool is_of_packet = first->flow != RtlDivergence::kNoPacket;
    json["first_divergence"] = {
        {"kind", wafertlm::to_string(first->kind)},
        {"at_s", static_cast<double>(first->at_ps) / 1e12},
        {"at_ps", first->at_ps},
        {"flow", is_of_packet ? first->flow : 0},
        {"sequence", first->sequence},
        {"port", fmt::format("{} {}", first->at_input ? "input" : "output", first->output)},
        {"output", first->output},
        {"link", first->at_input ? "" : names.output(first->output)},
        {"packet", is_of_packet ? names.packet(first->flow, first->sequence) : ""},
        {"expected", first->expected},
        {"got", first->got}};
  }
  return json;
}

nlohmann::ordered_json to_json(const std::vector<RtlProperty>& properties) {
  auto list = nlohmann::ordered_json::array();
  for (const RtlProperty& each : properties)
    list.push_back({{"property", each.what},
                    {"tlm", each.model},
                    {"rtl", each.rtl},
                    {"differs", each.differs},
                    {"set", each.set}});
  return list;
}

std::string to_text(const std::vector<RtlProperty>& properties) {
  TextRows rows;
  for (const RtlProperty& each : properties)
    rows.push_back(
        {each.what, fmt::format("TLM {}, RTL {}{}{}", each.model, each.rtl, each.differs ? " — DIFFERS" : "",
                                each.set.empty() ? "" : "; equal with " + each.set)});
  return aligned(rows, "l", 2, {24});
}

namespace {

using results::Json;

struct ViewRow {
  const RtlView& view;
  const RtlNames& names;
};

/// Of to_json(), with view both.
Json scoreboard_schema() {
  namespace schema = results::schema;
  const Json of_latency = {{"type", "object"},
                           {"required", {"cycles", "packets"}},
                           {"properties", {{"cycles", {{"type", "integer"}}}, {"packets", schema::count()}}}};
  const Json divergence = {
      {"type", "object"},
      {"required", {"kind", "at_ps", "flow", "sequence", "output", "link", "packet", "expected", "got"}}};
  return {{"description", "With view both"},
          {"type", "object"},
          {"required",
           {"equal", "packets_compared", "latency_difference_cycles", "divergences", "first_divergence"}},
          {"properties",
           {{"equal", schema::boolean()},
            {"latency_difference_cycles",
             schema::list(of_latency, "Head out of the RTL minus head out of the model")},
            {"divergences", schema::map_of(schema::count())},
            {"first_divergence", {{"oneOf", {{{"type", "null"}}, divergence}}}}}}};
}

const results::Fields<ViewRow>& view_fields() {
  static const results::Fields<ViewRow> fields([](results::Fields<ViewRow>& f) {
    namespace schema = results::schema;
    using R = const ViewRow&;
    f.add("switch", schema::text(), [](R row) { return row.view.switch_name(); });
    f.add("view", {{"enum", {"tlm", "rtl", "both"}}},
          [](R row) { return to_string(row.view.params().mode); });
    f.add("design", schema::text("Empty: none"),
          [](R row) { return row.view.params().design ? row.view.params().design->name : ""; });
    f.add("clock_hz", schema::count(), [](R row) { return row.view.params().clock.hz; });
    f.add("packets_in", schema::count(), [](R row) { return row.view.packets(); });
    f.add("cycles", schema::count("In which the clock ran"), [](R row) { return row.view.cycles(); });
    f.add_if([](R row) { return row.view.scoreboard() != nullptr; }, "scoreboard", scoreboard_schema(),
             [](R row) { return to_json(*row.view.scoreboard(), row.names, row.view.properties()); });
  });
  return fields;
}

}  // namespace

nlohmann::ordered_json rtl_view_schema() { return view_fields().schema(); }

nlohmann::ordered_json RtlViews::json() const {
  auto list = Json::array();
  for (const auto& each : views_) {
    list.push_back(view_fields().json({*each->view, each->names}));
    list.back()["properties"] = to_json(each->view->properties());
  }
  return list;
}

double RtlViews::host_s() const {
  double sum_s = 0;
  for (const auto& each : views_) sum_s += each->view->host_s();
  return sum_s;
}

std::string RtlViews::text(double tlm_s, std::uint64_t hops) const {
  std::string text;
  for (const auto& each : views_) {
    const RtlViewParams& params = each->view->params();
    text += fmt::format("\nRTL of {}: view {}{}, clock {} MHz, {} packets in, {} cycles\n",
                        each->view->switch_name(), to_string(params.mode),
                        params.design ? ", design " + params.design->name : "", params.clock.hz / 1'000'000,
                        each->view->packets(), each->view->cycles());
    const std::vector<RtlProperty> properties = each->view->properties();
    text += to_text(properties);
    if (const RtlScoreboard* const board = each->view->scoreboard())
      text += board->report(each->names, names_of_differing(properties));
    if (!each->written.empty())
      text += fmt::format("  waveform                  {0}   (gtkwave {0} {1})\n", each->written[0],
                          each->written[1]);
    if (!params.recording.empty() && !each->temporary)
      text += "  recording                 " + params.recording + "\n";
  }
  std::uint64_t packets = 0;
  for (const auto& each : views_) packets += each->view->cycles() == 0 ? 0 : each->view->packets();
  if (packets != 0 && hops != 0 && tlm_s > 0) {
    const double rtl_us = host_s() / static_cast<double>(packets) * 1e6,
                 tlm_us = tlm_s / static_cast<double>(hops) * 1e6;
    text += fmt::format(
        "  speed                     a packet through the RTL {:.1f} us of this computer, through a switch "
        "of the model {:.2f} us with all around it: 1 to {:.0f}\n",
        rtl_us, tlm_us, rtl_us / tlm_us);
  }
  return text;
}

void RtlViews::require_equal() const {
  for (const auto& each : views_) {
    const RtlScoreboard* const board = each->view->scoreboard();
    if (!board || board->passed()) continue;
    const RtlDivergence& first = *board->first_divergence();
    throw RtlDiffers(
        fmt::format("the RTL of {} differs from the model in {} places, first {}: expected {}, got {}",
                    each->view->switch_name(), board->divergences(),
                    to_text(first, each->view->switch_name(), each->names), first.expected, first.got));
  }
}

}  // namespace wafertlm
