// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "workloads/trace_model/model_file.h"

namespace wafertlm::trace_model {
namespace {

using WrittenJson = nlohmann::ordered_json;
using chakra::NodeType;

WrittenJson kind_json(const Kind& kind) {
  WrittenJson json = {{"type", chakra::to_string(kind.type)}};
  if (kind.collective) json["collective"] = chakra::to_string(*kind.collective);
  if (kind.cpu) json["cpu"] = true;
  if (kind.delay) json["delay"] = true;
  if (kind.io_stream) json["io_stream"] = true;
  if (kind.unit != 0) json["unit"] = kind.unit;
  if (!kind.traffic_class.empty()) json["traffic"] = kind.traffic_class;
  if (kind.family >= 0) json["family"] = kind.family;
  if (kind.nth != 0) json["nth"] = kind.nth;
  if (kind.type == NodeType::CommSend || kind.type == NodeType::CommRecv) json["peer"] = kind.peer;
  if (kind.lane != 0) json["lane"] = kind.lane;
  if (kind.priority) json["priority"] = *kind.priority;
  if (!kind.dims.empty()) json["dims"] = kind.dims;
  return json;
}

/// Groups of `size` ranks, each `stride` above the one before, that are all ranks; 0: they are not so.
std::uint32_t stride_of(const Family& family, std::uint32_t ranks) {
  const auto size = static_cast<std::uint32_t>(family.front().size());
  if (size < 2 || family.size() * size != ranks || family.front()[1] <= family.front()[0]) return 0;
  const std::uint32_t stride = family.front()[1] - family.front()[0];
  return family == regular_family(ranks, size, stride) ? stride : 0;
}

WrittenJson family_json(const Family& family, std::uint32_t ranks) {
  if (const std::uint32_t stride = stride_of(family, ranks))
    return {{"size", family.front().size()}, {"stride", stride}};
  return {{"ranks", family}};
}

/// [first, last] for neighbours, single numbers else.
WrittenJson ranges_json(const std::vector<std::uint32_t>& ranks) {
  WrittenJson json = WrittenJson::array();
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    json.push_back(last == i ? WrittenJson(ranks[i]) : WrittenJson({ranks[i], ranks[last]}));
    i = last + 1;
  }
  return json;
}

WrittenJson value_json(std::uint64_t value) { return value; }
WrittenJson value_json(const std::vector<MatrixProduct>& products) {
  WrittenJson json = WrittenJson::array();
  for (const MatrixProduct& p : products) json.push_back({p.m, p.n, p.k, p.count});
  return json;
}

template <typename Value>
void add_runs(WrittenJson& json, const char* key, const Runs<Value>& runs) {
  if (runs.empty()) return;
  WrittenJson list = WrittenJson::array();
  for (const auto& [value, times] : runs) list.push_back({value_json(value), times});
  json[key] = std::move(list);
}

WrittenJson slot_json(const Slot& slot) {
  WrittenJson json = {{"kind", slot.kind}};
  if (!slot.after.empty()) {
    WrittenJson& after = json["after"] = WrittenJson::array();
    for (const Reference& each : slot.after)
      after.push_back(each.back == Reference::kOpen ? WrittenJson::array({each.kind})
                                                    : WrittenJson::array({each.kind, each.back}));
  }
  const auto& ps = slot.durations.stretches_ps;
  if (!ps.empty() && (ps.size() > 1 || ps.front() != 0)) json["ps"] = ps;
  if (!slot.durations.spread.empty()) json["spread"] = slot.durations.spread;
  if (!slot.durations.ranks.empty()) json["ranks"] = slot.durations.ranks;
  add_runs(json, "bytes", slot.bytes);
  add_runs(json, "operations", slot.operations);
  add_runs(json, "touched", slot.touched);
  add_runs(json, "products", slot.products);
  return json;
}

void write_steps(const Behaviour& of, const std::vector<Step>& steps, const std::string& indent,
                 std::string& text) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    text += indent;
    if (step.body.empty()) {
      text += slot_json(of.slots[step.slot]).dump();
    } else {
      text += "{\"times\":" + std::to_string(step.times) +
              (step.layers != 0 ? ",\"layers\":" + std::to_string(step.layers) : "") + ",\"of\":[\n";
      write_steps(of, step.body, indent + " ", text);
      text += indent + "]}";
    }
    text += i + 1 < steps.size() ? ",\n" : "\n";
  }
}

template <typename List, typename Line>
void write_list(const char* key, const List& list, const Line& line, std::string& text) {
  text += std::string(" \"") + key + "\": [\n";
  for (std::size_t i = 0; i < list.size(); ++i)
    text += "  " + line(list[i]).dump() + (i + 1 < list.size() ? ",\n" : "\n");
  text += " ],\n";
}

void write_behaviour(const Behaviour& of, std::string& text) {
  text += "  {\"ranks\": " + ranges_json(of.ranks).dump() + ",\n";
  if (!of.pace.empty()) text += "   \"pace\": " + WrittenJson(of.pace).dump() + ",\n";
  text += "   \"steps\": [\n";
  write_steps(of, of.steps, "    ", text);
  text += "   ],\n   \"side_nodes\": [\n";
  for (std::size_t i = 0; i < of.side_slots.size(); ++i)
    text += "    " + slot_json(of.side_slots[i]).dump() + (i + 1 < of.side_slots.size() ? ",\n" : "\n");
  WrittenJson sides = WrittenJson::array();
  for (const SideRun& run : of.sides) sides.push_back({run.skip, run.slot, run.times});
  text += "   ],\n   \"sides\": " + sides.dump() + "}";
}

}  // namespace

std::string to_json(const Model& model) {
  std::string text = "{\n \"trace_model\": 1,\n \"ranks\": " + std::to_string(model.ranks) +
                     ",\n \"bound\": " + WrittenJson(model.bound).dump() +
                     (model.grid_ps == 1 ? "" : ",\n \"grid_ps\": " + std::to_string(model.grid_ps)) +
                     ",\n \"layers\": " + std::to_string(model.layers) +
                     ",\n \"layer_nodes\": " + std::to_string(model.layer_nodes) + ",\n";
  write_list("kinds", model.kinds, kind_json, text);
  write_list(
      "families", model.families, [&](const Family& each) { return family_json(each, model.ranks); }, text);
  text += " \"behaviours\": [\n";
  for (std::size_t i = 0; i < model.behaviours.size(); ++i) {
    write_behaviour(model.behaviours[i], text);
    text += i + 1 < model.behaviours.size() ? ",\n" : "\n";
  }
  return text + " ]\n}\n";
}

}  // namespace wafertlm::trace_model
