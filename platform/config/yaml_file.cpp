// SPDX-License-Identifier: Apache-2.0
#include "platform/config/yaml_file.h"

#include <fmt/format.h>
#include <utf8cpp/utf8.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace wafertlm::config {

namespace {

constexpr int kDeepest = 64;
constexpr int kMaxNodes = 1'000'000;

/// Copies yaml-cpp's graph into a tree; `fixed` is the place of everything when the text is not a file.
class Converter {
 public:
  explicit Converter(SourceLocation source) : source_(std::move(source)), in_file_(source_.line > 0) {}

  SourceLocation place(const YAML::Mark& mark) const {
    return in_file_ && !mark.is_null() ? SourceLocation{source_.source, mark.line + 1, mark.column + 1}
                                       : source_;
  }

  Node convert(const YAML::Node& yaml, const SourceLocation& place_if_empty, int depth) {
    Node node;
    node.place = yaml.IsNull() ? place_if_empty : place(yaml.Mark());
    if (depth > kDeepest || ++nodes_ > kMaxNodes)
      throw ConfigError(node.place,
                        "nested too deeply or too large: is an alias used inside its own anchor?");
    check_tag(yaml, node.place);
    if (yaml.IsScalar()) {
      node.kind = Node::Kind::scalar;
      node.text = yaml.Scalar();
      node.quoted = yaml.Tag() == "!";
    } else if (yaml.IsSequence()) {
      node.kind = Node::Kind::list;
      for (const YAML::Node& item : yaml) node.items.push_back(convert(item, node.place, depth + 1));
    } else if (yaml.IsMap()) {
      node.kind = Node::Kind::map;
      for (const auto& pair : yaml) add_entry(node, pair.first, pair.second, depth);
    }
    return node;
  }

 private:
  static void check_tag(const YAML::Node& yaml, const SourceLocation& where) {
    const std::string& tag = yaml.Tag();
    if (!tag.empty() && tag != "?" && tag != "!")
      throw ConfigError(where, "YAML tags such as " + quoted(tag) + " are not used here; remove the tag");
  }

  void add_entry(Node& map, const YAML::Node& key, const YAML::Node& value, int depth) {
    const SourceLocation where = place(key.Mark());
    if (!key.IsScalar()) throw ConfigError(where, "a key must be a plain word, not a list, a map or nothing");
    for (const Node::Entry& entry : map.entries)
      if (entry.key == key.Scalar())
        throw ConfigError(where, fmt::format("the key {} is written twice (first at {}); keep one of them",
                                             quoted(entry.key), entry.place.text()));
    map.entries.push_back({key.Scalar(), where, convert(value, where, depth + 1)});
  }

  SourceLocation source_;
  bool in_file_;
  int nodes_ = 0;
};

/// @throws ConfigError at the first byte that is not UTF-8, which yaml-cpp would take and JSON refuse.
void require_utf8(const std::string& text, const SourceLocation& source) {
  const auto bad = utf8::find_invalid(text.begin(), text.end());
  if (bad == text.end()) return;
  SourceLocation place = source;
  if (place.line > 0) {
    const std::string before(text.begin(), bad);
    place.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
    place.column = static_cast<int>(before.size() - (before.rfind('\n') + 1)) + 1;
  }
  throw ConfigError(place, fmt::format("the byte 0x{:02x} is not UTF-8; save the text as UTF-8",
                                       static_cast<unsigned char>(*bad)));
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || file.bad()) throw ConfigError({path, 0, 0}, "cannot be read");
  return text.str();
}

[[noreturn]] void syntax_error(const SourceLocation& place, const std::string& text,
                               const std::string& message) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < place.line; ++i) std::getline(lines, line);
  const std::size_t first = line.find_first_not_of(' ');
  const bool tab = first != std::string::npos && line[first] == '\t';
  throw ConfigError(place, "YAML syntax: " + message +
                               (tab ? "; the line starts with a tab, YAML indents with spaces"
                                    : "; check indentation, brackets and quotes from here upwards"));
}

/// Where the documents of a text begin.
class DocumentStarts : public YAML::EventHandler {
 public:
  std::vector<YAML::Mark> marks;

 private:
  void OnDocumentStart(const YAML::Mark&) override { is_new_ = true; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { note(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { note(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string&) override {
    note(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    note(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    note(mark);
  }
  void OnMapEnd() override {}
  void note(const YAML::Mark& mark) {
    if (is_new_) marks.push_back(mark);
    is_new_ = false;
  }
  bool is_new_ = false;
};

/// The one document of a text, null if there is none; `several` is the complaint about a second one. Not
/// YAML::LoadAll: a stray comma gives it documents without end.
/// Without the blank end: yaml-cpp takes a quote that is never closed for closed when a line end follows.
YAML::Node parse(std::string text, const Converter& converter, const std::string& several) {
  text.erase(text.find_last_not_of(" \r\n") + 1);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts starts;
    while (starts.marks.size() < 2 && parser.HandleNextDocument(starts)) {
    }
    if (starts.marks.size() < 2) return YAML::Load(text);
    const YAML::Mark& second = starts.marks[1];
    if (second.pos == starts.marks[0].pos) throw YAML::ParserException(second, "stray character");
    throw ConfigError(converter.place(second), several);
  } catch (const YAML::Exception& error) {
    syntax_error(converter.place(error.mark), text, error.msg);
  }
}

}  // namespace

bool is_readable_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && std::ifstream(path).good();
}

Node read_yaml_file(const std::string& path) {
  const SourceLocation start{path, 1, 1};
  Converter converter(start);
  const std::string text = file_text(path);
  if (text.find('\0') != std::string::npos) throw ConfigError(start, "not a text file (it has zero bytes)");
  require_utf8(text, start);
  const YAML::Node document =
      parse(text, converter, "a second YAML document starts here; a file has one, remove the line '---'");
  if (document.IsNull()) throw ConfigError(start, "the file is empty");
  Node node = converter.convert(document, start, 0);
  if (node.kind != Node::Kind::map)
    throw ConfigError(node.place, "expected 'key: value' lines, got " + node.describe());
  return node;
}

Node read_yaml_text(const std::string& text, const SourceLocation& place) {
  require_utf8(text, place);
  Converter converter(place);
  return converter.convert(parse(text, converter, "expected one YAML value, got several documents"), place,
                           0);
}

}  // namespace wafertlm::config
