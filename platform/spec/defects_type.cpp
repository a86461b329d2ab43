// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "platform/describe/value_types.h"
#include "platform/spec/defects_spec.h"
#include "platform/spec/descriptions.h"
#include "tlm/input/file.h"

namespace wafertlm::config {
namespace {

constexpr std::uint32_t kMostNpus = 65'536;
constexpr const char* kExpected = "a link such as 5-6 (both directions) or 5->6 (one)";

class LinkNameType final : public TypeOf<LinkName> {
 public:
  LinkName read(const Reader& in) const override {
    const std::string& text = in.scalar(kExpected);
    const std::size_t arrow = text.find("->"), dash = arrow == std::string::npos ? text.find('-') : arrow;
    if (dash == std::string::npos) in.fail_type(kExpected);
    const std::size_t behind = dash + (arrow == std::string::npos ? 1 : 2);
    LinkName link(text.substr(0, dash), text.substr(behind), arrow != std::string::npos);
    if (!is_end(link.from) || !is_end(link.to)) in.fail_type(kExpected);
    if (arrow == std::string::npos && link.to.find('-') != std::string::npos)
      in.fail("which '-' is the link's? Give both directions of a name with '-', such as a-1->b and b->a-1");
    return link;
  }
  Node write(const LinkName& link) const override { return Node::string(link.text()); }
  Json schema(SchemaStyle, SchemaDefs&) const override {
    return {{"type", "string"}, {"pattern", "^[A-Za-z0-9_-]+->?[A-Za-z0-9_-]+$"}};
  }

 private:
  static bool is_end(const std::string& text) {
    return !text.empty() &&
           text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
               std::string::npos;
  }
};

/// A kind of part in a wafer map, and where it goes: a list, or with `percent` a list of structs.
struct MapKind {
  std::string_view kind;
  const char *key, *name, *percent;
};
constexpr std::array<MapKind, 7> kMapKinds{{{"npu", "npus", nullptr, nullptr},
                                            {"router", "routers", nullptr, nullptr},
                                            {"link", "links", nullptr, nullptr},
                                            {"io", "io", nullptr, nullptr},
                                            {"slow_link", "slow_links", "link", "speed_percent"},
                                            {"slow_npu", "slow_npus", "npu", "speed_percent"},
                                            {"hbm", "hbm", "npu", "share_percent"}}};

/// A line of a wafer map, whose columns begin at 1.
Node map_part(const MapKind& kind, const std::string& line, const SourceLocation& place) {
  const auto cell = [&](std::size_t begin, std::size_t end) {
    SourceLocation at = place;
    at.column = static_cast<int>(begin) + 1;
    return Node::scalar(line.substr(begin, end - begin), at);
  };
  const std::size_t first = line.find(','), second = line.find(',', first + 1);
  if ((second == std::string::npos) != (kind.percent == nullptr))
    throw ConfigError(place, fmt::format("expected a line such as '{},3{}', got '{}'", kind.kind,
                                         kind.percent ? ",50', with its percentage" : "", line));
  if (!kind.percent) return cell(first + 1, line.size());
  return Node::map({{kind.name, cell(first + 1, second)}, {kind.percent, cell(second + 1, line.size())}});
}

/// A wafer map: lines `part,number` such as `npu,3`, `router,7`, `link,5-6`, or `slow_link,5-6,50`; '#'
/// begins a comment.
Node read_map(const std::string& path, const std::string& as_typed) {
  std::ifstream file = open_input(path);
  std::array<std::vector<Node>, kMapKinds.size()> parts;
  std::string line;
  for (int number = 1; next_line(file, line); ++number) {
    line.erase(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty() || (number == 1 && (line == "kind,part" || line == "kind,part,percent"))) continue;
    const std::size_t comma = line.find(',');
    const auto kind = std::find_if(kMapKinds.begin(), kMapKinds.end(), [&](const MapKind& each) {
      return each.kind == std::string_view(line).substr(0, comma);
    });
    if (comma == std::string::npos || kind == kMapKinds.end())
      throw ConfigError({as_typed, number, 1},
                        fmt::format("expected a part such as 'npu,3', 'router,7', 'link,5-6' or "
                                    "'slow_link,5-6,50', got '{}'",
                                    line));
    parts[static_cast<std::size_t>(kind - kMapKinds.begin())].push_back(
        map_part(*kind, line, {as_typed, number, 1}));
  }
  Node map = Node::map({});
  for (std::size_t kind = 0; kind < parts.size(); ++kind)
    if (!parts[kind].empty()) map.add(kMapKinds[kind].key, Node::list(std::move(parts[kind])));
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

template <class S>
std::shared_ptr<const Struct<S>> npu_percent_type(const char* name, const char* key,
                                                  std::uint32_t S::*percent, const char* meaning) {
  auto type = std::make_shared<Struct<S>>(name);
  type->required("npu", &S::npu, integer<NpuId>(0, kMostNpus - 1), "Its number")
      .required(key, percent, integer<std::uint32_t>(1, 100), meaning);
  return type;
}

std::shared_ptr<const Struct<DeadFredParts>> chips_type() {
  using Uplink = DeadFredParts::Uplink;
  const auto number = integer<std::uint32_t>(0, kMostNpus - 1);
  auto uplink = std::make_shared<Struct<Uplink>>("dead_uplink");
  uplink->required("l1_switch", &Uplink::l1_switch, number, "Its L1 switch")
      .required("chip", &Uplink::chip, number, "Its chip of that")
      .required("port", &Uplink::port, number, "Its port up of that");
  auto type = std::make_shared<Struct<DeadFredParts>>("dead_fred_parts");
  type->optional("l1", &DeadFredParts::l1, list_of(pair_of(number), 0, kMostNpus),
                 "Chips of L1 switches, each as [switch, chip]")
      .optional("l2", &DeadFredParts::l2, list_of(number, 0, kMostNpus), "L2 chips")
      .optional("uplinks", &DeadFredParts::uplinks, list_of<Uplink>(uplink, 0, kMostNpus),
                "Links from an L1 chip to an L2 chip, in both directions");
  return type;
}

}  // namespace

TypePtr<DefectsSpec> defects_type() {
  const auto npu = integer<NpuId>(0, kMostNpus - 1);
  const auto link = std::make_shared<LinkNameType>();
  auto slow_link = std::make_shared<Struct<SlowLink>>("slow_link");
  slow_link->required("link", &SlowLink::link, link, "\"5-6\": both directions; \"5->6\": one")
      .required("speed_percent", &SlowLink::speed_percent, integer<std::uint32_t>(1, 100),
                "What it has of its bandwidth");
  auto type = std::make_shared<Struct<DefectsSpec>>("defects");
  type->optional("npus", &DefectsSpec::npus, list_of(npu, 0, kMostNpus),
                 "NPUs that do not work; their routers pass on")
      .optional("routers", &DefectsSpec::routers, list_of(npu, 0, kMostNpus),
                "Routers that do not work, by the number of their NPU, which does not take part either")
      .optional("links", &DefectsSpec::links, list_of<LinkName>(link, 0, std::size_t{2} * kMostNpus),
                "Links that do not work, as numbers of two neighbours: \"5-6\" in both directions, \"5->6\" "
                "in one")
      .optional("switches", &DefectsSpec::switches, list_of(word(), 0, kMostNpus),
                "Switches of a graph that do not work, by name")
      .optional("chips", &DefectsSpec::chips, chips_type(),
                "Parts of a FRED wafer in the physical view that do not work")
      .optional("slow_links", &DefectsSpec::slow_links,
                list_of<SlowLink>(slow_link, 0, std::size_t{2} * kMostNpus),
                "Links with a part of their bandwidth")
      .optional("slow_npus", &DefectsSpec::slow_npus,
                list_of<SlowNpu>(npu_percent_type("slow_npu", "speed_percent", &SlowNpu::speed_percent,
                                                  "What it has of its speed; computations take longer"),
                                 0, kMostNpus),
                "NPUs that compute at a part of their speed")
      .optional(
          "hbm", &DefectsSpec::hbm,
          list_of<PartialHbm>(npu_percent_type("partial_hbm", "share_percent", &PartialHbm::share_percent,
                                               "What is there of bandwidth and capacity"),
                              0, kMostNpus),
          "NPUs of whose HBM stacks some are missing")
      .optional("io", &DefectsSpec::io, list_of(integer<std::uint32_t>(0, kMostNpus - 1), 0, kMostNpus),
                "I/O controllers that do not work, by their number on the whole wafer")
      .optional("drawn", &DefectsSpec::drawn, maybe<DrawnDefects>(drawn_type()),
                "Those of a wafer that a yield model draws, beside the lists");
  return std::make_shared<DefectsType>(std::move(type));
}

}  // namespace wafertlm::config
