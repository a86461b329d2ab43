// SPDX-License-Identifier: Apache-2.0
#include "platform/config/study_value_types.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "platform/config/struct_type.h"
#include "platform/config/value_types.h"

namespace wafertlm::config {
namespace {

class Texts : public TypeOf<std::vector<std::string>> {
 public:
  std::vector<std::string> read(const Reader& in) const override {
    if (in.node().kind == Node::Kind::scalar) return {text()->read(in)};
    return list_->read(in);
  }
  Node write(const std::vector<std::string>& texts) const override { return list_->write(texts); }
  bool has_value(const std::vector<std::string>& texts) const override { return !texts.empty(); }
  std::optional<std::string> locate(const std::vector<std::string>& texts,
                                    const void* address) const override {
    return list_->locate(texts, address);
  }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override {
    return {{"anyOf", {text()->schema(style, defs), list_->schema(style, defs)}}};
  }
  bool may_be_annotated() const override { return false; }

 private:
  TypePtr<std::vector<std::string>> list_ = list_of<std::string>(text(), 0, 100'000);
};

class SelectionType : public TypeOf<Selection> {
 public:
  Selection read(const Reader& in) const override {
    in.require_map("a map such as {fabric: mesh}");
    Selection selection;
    for (const Node::Entry& entry : in.node().entries)
      selection.emplace_back(entry.key, texts()->read(in.child(entry.key, entry.value)));
    return selection;
  }
  Node write(const Selection& selection) const override {
    Node map;
    map.kind = Node::Kind::map;
    for (const auto& [name, values] : selection) map.add(name, texts()->write(values));
    return map;
  }
  bool has_value(const Selection& selection) const override { return !selection.empty(); }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override {
    return {{"type", "object"}, {"additionalProperties", texts()->schema(style, defs)}};
  }
  bool may_be_annotated() const override { return false; }
};

class Range : public TypeOf<std::pair<std::uint32_t, std::uint32_t>> {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  Range(std::uint32_t least, std::uint32_t most) : least_(least), most_(most) {}
  Pair read(const Reader& in) const override {
    const std::string expected =
        "a range such as 18-20, from " + std::to_string(least_) + " to " + std::to_string(most_);
    const std::string& text = in.scalar(expected);
    const std::size_t dash = text.find('-');
    const auto number = [&](const std::string& digits) {
      std::uint32_t value = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (error != std::errc() || end != digits.data() + digits.size()) in.fail_type(expected);
      return value;
    };
    const std::uint32_t first = number(text.substr(0, dash));
    const std::uint32_t last = dash == std::string::npos ? first : number(text.substr(dash + 1));
    if (first > last || first < least_ || last > most_) in.fail_type(expected);
    return {first, last};
  }
  Node write(const Pair& value) const override {
    return Node::scalar(std::to_string(value.first) + "-" + std::to_string(value.second));
  }
  Json schema(SchemaStyle, SchemaDefs&) const override {
    return {{"anyOf", {{{"type", "string"}, {"pattern", "^[0-9]+(-[0-9]+)?$"}}, {{"type", "integer"}}}}};
  }

 private:
  std::uint32_t least_, most_;
};

class AxisValue : public TypeOf<AxisValueSpec> {
 public:
  AxisValue() {
    using V = AxisValueSpec;
    map_->required("name", &V::name, text(), "Name of the value in tables and selections")
        .optional("file", &V::file, file_path("what the command takes"),
                  "What the command takes, relative to this file")
        .optional("arguments", &V::arguments, texts(), "More words for the command")
        .optional("set", &V::overrides, texts(), "Keys to change: wafer.fabric.link_latency=10ns");
  }
  AxisValueSpec read(const Reader& in) const override {
    if (in.node().kind == Node::Kind::map) return map_->read(in);
    AxisValueSpec value;
    value.name = text()->read(in);
    return value;
  }
  Node write(const AxisValueSpec& value) const override {
    const bool is_a_name = value.file.empty() && value.arguments.empty() && value.overrides.empty();
    return is_a_name ? text()->write(value.name) : map_->write(value);
  }
  std::optional<std::string> locate(const AxisValueSpec& value, const void* address) const override {
    return map_->locate(value, address);
  }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override {
    return {{"anyOf", {text()->schema(style, defs), map_->schema(style, defs)}}};
  }
  bool may_be_annotated() const override { return false; }

 private:
  std::shared_ptr<Struct<AxisValueSpec>> map_ = std::make_shared<Struct<AxisValueSpec>>("axis_value");
};

}  // namespace

TypePtr<std::vector<std::string>> texts() { return std::make_shared<Texts>(); }
TypePtr<Selection> selection() { return std::make_shared<SelectionType>(); }
TypePtr<std::pair<std::uint32_t, std::uint32_t>> range(std::uint32_t least, std::uint32_t most) {
  return std::make_shared<Range>(least, most);
}
TypePtr<AxisValueSpec> axis_value() { return std::make_shared<AxisValue>(); }

}  // namespace wafertlm::config
