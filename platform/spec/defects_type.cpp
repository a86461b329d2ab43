// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "platform/defects/sampled_wafer.h"
#include "platform/describe/value_types.h"
#include "platform/spec/defects_spec.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/ranges.h"
#include "tlm/input/file.h"

namespace wafertlm::config {
namespace {

constexpr std::uint32_t kMostNpus = 65'536;
constexpr const char* kExpected = "a link such as 5-6 (both directions) or 5->6 (one)";

class LinkNameType final : public TypeOf<LinkName> {
 public:
  LinkName read(const Reader& in) const override {
    const std::string& text = in.scalar(kExpected);
    const std::size_t dash = text.find('-');
    if (dash == std::string::npos) in.fail_type(kExpected);
    LinkName link;
    link.one_way = text.compare(dash, 2, "->") == 0;
    link.from = number(text.substr(0, dash), in);
    link.to = number(text.substr(dash + (link.one_way ? 2 : 1)), in);
    return link;
  }
  Node write(const LinkName& link) const override {
    return Node::string(
        fmt::format("{}{}{}", index_of(link.from), link.one_way ? "->" : "-", index_of(link.to)));
  }
  Json schema(SchemaStyle, SchemaDefs&) const override {
    return {{"type", "string"}, {"pattern", "^[0-9]+->?[0-9]+$"}};
  }

 private:
  static NpuId number(const std::string& text, const Reader& in) {
    std::uint32_t value = 0;
    if (!is_number(text, value) || value >= kMostNpus) in.fail_type(kExpected);
    return static_cast<NpuId>(value);
  }
};

/// A wafer map: lines `part,number` such as `npu,3`, `router,7`, `link,5-6`; '#' begins a comment.
Node read_map(const std::string& path, const std::string& as_typed) {
  constexpr std::array<std::pair<std::string_view, const char*>, 3> kKinds{
      {{"npu", "npus"}, {"router", "routers"}, {"link", "links"}}};
  std::ifstream file = open_input(path);
  std::array<std::vector<Node>, kKinds.size()> parts;
  std::string line;
  for (int number = 1; next_line(file, line); ++number) {
    line.erase(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty() || (number == 1 && line == "kind,part")) continue;
    const std::size_t comma = line.find(',');
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& each) {
      return each.first == std::string_view(line).substr(0, comma);
    });
    if (comma == std::string::npos || kind == kKinds.end())
      throw ConfigError(
          {as_typed, number, 1},
          fmt::format("expected a part such as 'npu,3', 'router,7' or 'link,5-6', got '{}'", line));
    const auto column = static_cast<int>(comma) + 2;
    parts[static_cast<std::size_t>(kind - kKinds.begin())].push_back(
        Node::scalar(line.substr(comma + 1), {as_typed, number, column}));
  }
  Node map = Node::map({});
  for (std::size_t kind = 0; kind < parts.size(); ++kind)
    if (!parts[kind].empty()) map.add(kKinds[kind].second, Node::list(std::move(parts[kind])));
  return map;
}

/// Lists, or the name of a wafer map.
class DefectsType final : public Like<DefectsSpec> {
 public:
  explicit DefectsType(std::shared_ptr<const Struct<DefectsSpec>> lists) : Like(std::move(lists)) {}
  Json schema(SchemaStyle style, SchemaDefs& defs) const override {
    return {{"anyOf",
             {{{"type", "string"}, {"description", "Path of a wafer map (CSV), relative to this file"}},
              Like::schema(style, defs)}}};
  }
  void load_files(Node& value) const override {
    if (value.kind != Node::Kind::scalar) return Like::load_files(value);
    const std::string path = (std::filesystem::path(value.place.folder()) / value.text).string();
    try {
      value = read_map(path, path);
    } catch (const std::invalid_argument& error) {
      throw ConfigError(value.place, error.what());
    }
  }
};

std::shared_ptr<const Struct<DrawnDefects>> drawn_type() {
  auto type = std::make_shared<Struct<DrawnDefects>>("drawn_defects");
  type->required("yield", &DrawnDefects::yield,
                 std::make_shared<const FileOr<wafer_yield::YieldSpec>>(wafer_yield::yield_type()),
                 "Parts and how defects fall: the name of a yield file, or its keys")
      .optional("wafer", &DrawnDefects::wafer, integer<std::uint64_t>(0, 1'000'000'000),
                "Number of the wafer drawn, the same as of `wafertlm yield`");
  return type;
}

template <class T>
void add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

DefectsSpec DefectsSpec::complete() const {
  DefectsSpec all = *this;
  if (!drawn) return all;
  const wafer_yield::Sampler sampler(drawn->yield);
  for (const wafer_yield::Part* const part : sampler.wafer(drawn->wafer).dead) {
    const auto cell = static_cast<NpuId>(part->cell);
    switch (part->kind) {
      case wafer_yield::PartKind::npu:
        add_once(all.npus, cell);
        break;
      case wafer_yield::PartKind::router:
        add_once(all.routers, cell);
        break;
      case wafer_yield::PartKind::link:
        all.links.push_back({cell, static_cast<NpuId>(part->end), false});
    }
  }
  return all;
}

TypePtr<DefectsSpec> defects_type() {
  const auto npu = integer<NpuId>(0, kMostNpus - 1);
  auto type = std::make_shared<Struct<DefectsSpec>>("defects");
  type->optional("npus", &DefectsSpec::npus, list_of(npu, 0, kMostNpus),
                 "NPUs that do not work; their routers pass on")
      .optional("routers", &DefectsSpec::routers, list_of(npu, 0, kMostNpus),
                "Routers that do not work, by the number of their NPU, which does not take part either")
      .optional("links", &DefectsSpec::links,
                list_of<LinkName>(std::make_shared<LinkNameType>(), 0, std::size_t{2} * kMostNpus),
                "Links that do not work, as numbers of two neighbours: \"5-6\" in both directions, \"5->6\" "
                "in one")
      .optional("drawn", &DefectsSpec::drawn, maybe<DrawnDefects>(drawn_type()),
                "Those of a wafer that a yield model draws, beside the lists");
  return std::make_shared<DefectsType>(std::move(type));
}

}  // namespace wafertlm::config
