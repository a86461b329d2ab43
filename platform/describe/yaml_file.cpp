// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/yaml_file.h"
#include "tlm/input/file.h"

#include <fmt/format.h>
#include <utf8cpp/utf8.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

namespace wafertlm::config {

namespace {

constexpr std::size_t kDeepest = 64, kMostNodes = 1'000'000;

/// Builds the tree of one document from the parser's events; `source` is the place of everything when the
/// text is not a file.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(SourceLocation source) : source_(std::move(source)) {}

  SourceLocation place(const YAML::Mark& mark) const {
    return source_.line > 0 && !mark.is_null()
               ? SourceLocation{source_.source, mark.line + 1, mark.column + 1}
               : source_;
  }
  /// Where each document that was met begins.
  const std::vector<YAML::Mark>& documents() const { return documents_; }
  /// None: a text without a document.
  std::optional<Node>& root() { return root_; }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor;
    std::optional<Node> key = {};  // of a map, when its value comes next
    std::unordered_map<std::string, SourceLocation> keys = {};
  };

  void OnDocumentStart(const YAML::Mark&) override { is_new_ = true; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node = made(Node::Kind::empty, mark);
    // Nothing after a key stands where the key does.
    if (!open_.empty() && open_.back().key) node.place = open_.back().key->place;
    close(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    note(mark);
    const auto meant = anchors_.find(anchor);
    if (meant == anchors_.end())
      throw ConfigError(place(mark), "an alias is used inside its own anchor; write the values out");
    count(meant->second);
    attach(meant->second);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = made(Node::Kind::scalar, mark);
    check_tag(tag, node.place);
    node.text = value;
    node.quoted = tag == "!";
    close(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(Node::Kind::list, mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(Node::Kind::map, mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapEnd() override { end(); }

  void note(const YAML::Mark& mark) {
    if (is_new_) documents_.push_back(mark);
    is_new_ = false;
  }
  Node made(Node::Kind kind, const YAML::Mark& mark) {
    note(mark);
    Node node;
    node.kind = kind;
    node.place = place(mark);
    count(node);
    return node;
  }
  void count(const Node& node) {
    if (++nodes_ > kMostNodes)
      throw ConfigError(node.place,
                        fmt::format("more than {} values; is this the file that was meant?", kMostNodes));
    for (const Node& item : node.items) count(item);
    for (const Node::Entry& entry : node.entries) count(entry.value);
  }
  static void check_tag(const std::string& tag, const SourceLocation& where) {
    if (!tag.empty() && tag != "?" && tag != "!")
      throw ConfigError(where, "YAML tags such as " + quoted(tag) + " are not used here; remove the tag");
  }
  void start(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    Node node = made(kind, mark);
    check_tag(tag, node.place);
    if (open_.size() >= kDeepest)
      throw ConfigError(node.place, fmt::format("nested more than {} deep", kDeepest));
    open_.push_back({std::move(node), anchor});
  }
  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    close(std::move(done.node), done.anchor);
  }
  void close(Node node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    attach(std::move(node));
  }
  /// Puts a whole node where it belongs.
  void attach(Node node) {
    if (open_.empty()) {
      if (!root_) root_ = std::move(node);
      return;
    }
    Open& into = open_.back();
    if (into.node.kind == Node::Kind::list) {
      into.node.items.push_back(std::move(node));
    } else if (into.key) {
      into.node.entries.push_back({into.key->text, into.key->place, std::move(node)});
      into.key.reset();
    } else {
      take_key(into, std::move(node));
    }
  }
  static void take_key(Open& into, Node key) {
    if (key.kind != Node::Kind::scalar)
      throw ConfigError(key.place, "a key must be a plain word, not a list, a map or nothing");
    const auto [known, is_new] = into.keys.emplace(key.text, key.place);
    if (!is_new)
      throw ConfigError(key.place, fmt::format("the key {} is written twice (first at {}); keep one of them",
                                               config::quoted(key.text), known->second.text()));
    into.key = std::move(key);
  }

  SourceLocation source_;
  std::vector<YAML::Mark> documents_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::optional<Node> root_;
  std::size_t nodes_ = 0;
  bool is_new_ = false;
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
  try {
    return read_input(path);
  } catch (const std::invalid_argument& error) {
    throw ConfigError({path, 0, 0}, std::string(error.what()).substr(path.size() + 2));
  }
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

/// The one document of a text, none if there is none; `several` is the complaint about a second one. Not all
/// documents: a stray comma gives yaml-cpp documents without end.
/// Without the blank end: yaml-cpp takes a quote that is never closed for closed when a line end follows.
std::optional<Node> parse(std::string text, const SourceLocation& source, const std::string& several) {
  text.erase(text.find_last_not_of(" \r\n") + 1);
  TreeBuilder builder(source);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (builder.documents().size() < 2 && parser.HandleNextDocument(builder)) {
    }
    if (builder.documents().size() < 2) return std::move(builder.root());
    const YAML::Mark& second = builder.documents()[1];
    if (second.pos == builder.documents()[0].pos) throw YAML::ParserException(second, "stray character");
    throw ConfigError(builder.place(second), several);
  } catch (const YAML::Exception& error) {
    syntax_error(builder.place(error.mark), text, error.msg);
  }
}

}  // namespace

bool is_readable_file(const std::string& path) { return why_unreadable(path).empty(); }

Node read_yaml_file(const std::string& path) {
  const SourceLocation start{path, 1, 1};
  const std::string text = file_text(path);
  if (text.find('\0') != std::string::npos) throw ConfigError(start, "not a text file (it has zero bytes)");
  require_utf8(text, start);
  std::optional<Node> node =
      parse(text, start, "a second YAML document starts here; a file has one, remove the line '---'");
  if (!node || node->kind == Node::Kind::empty) throw ConfigError(start, "the file is empty");
  if (node->kind != Node::Kind::map)
    throw ConfigError(node->place, "expected 'key: value' lines, got " + node->describe());
  return std::move(*node);
}

Node read_yaml_text(const std::string& text, const SourceLocation& place) {
  require_utf8(text, place);
  std::optional<Node> node = parse(text, place, "expected one YAML value, got several documents");
  if (node) return std::move(*node);
  Node empty;
  empty.place = place;
  return empty;
}

}  // namespace wafertlm::config
