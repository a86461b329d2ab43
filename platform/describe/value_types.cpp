// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/value_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <locale>

#include "platform/describe/document.h"
#include "platform/text/suggest.h"
#include "tlm/input/number.h"

namespace wafertlm::config {

namespace {

class Text : public TypeOf<std::string> {
 public:
  std::string read(const Reader& in) const override {
    const std::string& value = in.scalar("a text");
    if (value.empty()) in.fail("is empty; expected a text");
    return value;
  }
  Node write(const std::string& value) const override { return Node::string(value); }
  bool has_value(const std::string& value) const override { return !value.empty(); }
  Json schema(SchemaStyle, SchemaDefs&) const override {
    return {{"type", Json::array({"string", "number", "boolean"})}};  // an unquoted 17 is a fine name
  }
};

class Word : public Text {
 public:
  std::string read(const Reader& in) const override {
    const std::string& value = in.scalar(kExpected);
    const auto is_good = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
    if (value.empty() || std::isalpha(static_cast<unsigned char>(value[0])) == 0 ||
        !std::all_of(value.begin(), value.end(), is_good))
      in.fail_type(kExpected);
    return value;
  }
  Node write(const std::string& value) const override { return Node::scalar(value); }
  Json schema(SchemaStyle, SchemaDefs&) const override {
    return {{"type", "string"}, {"pattern", "^[A-Za-z][A-Za-z0-9_-]*$"}};
  }

 private:
  static constexpr const char* kExpected = "a name of letters, digits, '_' and '-' that starts with a letter";
};

class FilePath : public TypeOf<std::string> {
 public:
  FilePath(std::string meaning, std::string presets)
      : meaning_(std::move(meaning)), presets_(std::move(presets)) {}
  std::string read(const Reader& in) const override {
    const std::string& value = in.scalar("the path of " + meaning_);
    if (value.empty()) in.fail_type("the path of " + meaning_);
    return std::filesystem::absolute(named_file(in.node().place, value, presets_))
        .lexically_normal()
        .string();
  }
  Node write(const std::string& value) const override { return Node::string(value); }
  bool has_value(const std::string& value) const override { return !value.empty(); }
  Json schema(SchemaStyle, SchemaDefs&) const override { return {{"type", "string"}, {"minLength", 1}}; }

 private:
  std::string meaning_, presets_;
};

class Boolean : public TypeOf<bool> {
 public:
  bool read(const Reader& in) const override { return in.boolean(); }
  Node write(const bool& value) const override { return Node::scalar(value ? "true" : "false"); }
  Json schema(SchemaStyle, SchemaDefs&) const override { return {{"type", "boolean"}}; }
};

class Number : public TypeOf<double> {
 public:
  Number(double least, double most) : least_(least), most_(most) {}
  double read(const Reader& in) const override {
    const std::string expected = fmt::format("a number from {} to {}", least_, most_);
    const std::string& text = in.scalar(expected);
    const auto value = finite_number(text);
    if (in.node().quoted || !value) in.fail_type(expected);
    if (*value < least_ || *value > most_)
      in.fail(fmt::format("{} is out of range; expected {}", quoted(text), expected));
    return *value;
  }
  Node write(const double& value) const override { return Node::scalar(fmt::format("{}", value)); }
  Json schema(SchemaStyle, SchemaDefs&) const override {
    return {{"type", "number"}, {"minimum", least_}, {"maximum", most_}};
  }

 private:
  double least_, most_;
};

template <class T, T (*parse)(const Dimension&, std::string_view), std::string (*format)(const Dimension&, T)>
class Quantity : public TypeOf<T> {
 public:
  Quantity(const Dimension& dimension, std::string_view least, std::string_view most)
      : dimension_(dimension), least_(parse(dimension, least)), most_(parse(dimension, most)) {}

  T read(const Reader& in) const override {
    const std::string& text =
        in.scalar(fmt::format("{} such as '{}'", dimension_.with_article(), dimension_.example));
    T value{};
    try {
      value = parse(dimension_, text);
    } catch (const QuantityError& error) {
      in.fail(error.what());
    }
    if (value < least_ || value > most_)
      in.fail(fmt::format("{} is out of range; expected {} {}", quoted(text), dimension_.with_article(),
                          range()));
    return value;
  }
  Node write(const T& value) const override { return Node::scalar(format(dimension_, value)); }
  Json schema(SchemaStyle, SchemaDefs&) const override {
    return {{"type", "string"},
            {"pattern", dimension_.pattern()},
            {"description", fmt::format("{} {}", dimension_.name, range())},
            {"examples", {dimension_.example}}};
  }

 private:
  std::string range() const {
    return fmt::format("from {} to {}", format(dimension_, least_), format(dimension_, most_));
  }

  const Dimension& dimension_;
  T least_, most_;
};

class Fraction : public TypeOf<double> {
 public:
  explicit Fraction(double most) : most_(most) {}
  double read(const Reader& in) const override {
    const std::string expected = fmt::format("a number from 0 to {}", most_);
    const std::string& text = in.scalar(expected);
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    double value = -1;
    if (!(stream >> value) || !stream.eof() || value < 0 || value > most_) in.fail_type(expected);
    return value;
  }
  Node write(const double& value) const override { return Node::scalar(fmt::format("{}", value)); }
  Json schema(SchemaStyle, SchemaDefs&) const override {
    return {{"type", "number"}, {"minimum", 0}, {"maximum", most_}};
  }

 private:
  double most_;
};

class WordOr : public TypeOf<std::optional<std::uint64_t>> {
 public:
  WordOr(const char* word, TypePtr<std::uint64_t> type) : word_(word), type_(std::move(type)) {}
  std::optional<std::uint64_t> read(const Reader& in) const override {
    if (in.node().kind == Node::Kind::scalar && in.node().text == word_) return std::nullopt;
    try {
      return type_->read(in);
    } catch (const ConfigError& error) {
      throw ConfigError(error, fmt::format(", or '{}'", word_));
    }
  }
  Node write(const std::optional<std::uint64_t>& value) const override {
    return value ? type_->write(*value) : Node::scalar(word_);
  }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override {
    return {{"anyOf", {{{"const", word_}}, type_->schema(style, defs)}}};
  }

 private:
  const char* word_;
  TypePtr<std::uint64_t> type_;
};

}  // namespace

TypePtr<std::string> text() { return std::make_shared<Text>(); }
TypePtr<std::string> word() { return std::make_shared<Word>(); }
TypePtr<std::string> file_path(const std::string& meaning, const std::string& presets) {
  return std::make_shared<FilePath>(meaning, presets);
}
TypePtr<double> number(double least, double most) { return std::make_shared<Number>(least, most); }
TypePtr<bool> boolean() { return std::make_shared<Boolean>(); }

TypePtr<std::uint64_t> whole_quantity(const Dimension& dimension, std::string_view least,
                                      std::string_view most) {
  return std::make_shared<Quantity<std::uint64_t, parse_whole, format_whole>>(dimension, least, most);
}

TypePtr<double> real_quantity(const Dimension& dimension, std::string_view least, std::string_view most) {
  return std::make_shared<Quantity<double, parse_real, format_real>>(dimension, least, most);
}

TypePtr<std::uint64_t> any_size(std::string_view least, std::string_view most) {
  return whole_quantity(size_dimension(), least, most);
}
TypePtr<double> any_compute_rate() { return real_quantity(compute_rate_dimension(), "1 FLOPS", "9 EFLOPS"); }
TypePtr<std::uint64_t> any_bandwidth() { return whole_quantity(bandwidth_dimension(), "1 B/s", "9 PB/s"); }
TypePtr<std::uint64_t> any_time(std::string_view least) {
  return whole_quantity(time_dimension(), least, "1 s");
}

TypePtr<double> fraction(double most) { return std::make_shared<Fraction>(most); }

TypePtr<std::optional<std::uint64_t>> auto_or(TypePtr<std::uint64_t> type) {
  return std::make_shared<WordOr>("auto", std::move(type));
}

TypePtr<std::optional<std::uint64_t>> none_or(TypePtr<std::uint64_t> type) {
  return std::make_shared<WordOr>("none", std::move(type));
}

TypePtr<std::string> one_of(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const std::string& word : words) options.emplace_back(word, word);
  return choice(options);
}

Json integer_schema(std::uint64_t least, std::uint64_t most) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", most}};
}

Json list_schema(Json item, std::size_t least, std::size_t most) {
  return {{"type", "array"}, {"items", std::move(item)}, {"minItems", least}, {"maxItems", most}};
}

std::size_t Words::read(const Reader& in) const {
  const std::string& word = in.scalar("one of: " + listed(words_));
  const auto found = std::find(words_.begin(), words_.end(), word);
  if (found == words_.end())
    in.fail(fmt::format("unknown value {}{}", quoted(word), suggestion(word, words_, "valid values")));
  return static_cast<std::size_t>(found - words_.begin());
}

Node Words::write(std::size_t number) const { return Node::scalar(words_[number]); }

Json Words::schema() const { return {{"enum", words_}}; }

void check_length(const Reader& in, std::size_t least, std::size_t most) {
  const std::string expected = least == most ? fmt::format("a list of {} values", least)
                                             : fmt::format("a list of {} to {} values", least, most);
  in.require_list(expected);
  const std::size_t length = in.node().items.size();
  if (length < least || length > most) in.fail(fmt::format("expected {}, got {}", expected, length));
}

}  // namespace wafertlm::config
