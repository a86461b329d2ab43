// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/json_stream.h"

#include <fmt/core.h>

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "workloads/chakra/trace_error.h"

namespace wafertlm::pytorch {
namespace {

/// RapidJSON's input stream over a file that may be packed.
class PackedFile {
 public:
  using Ch = char;

  explicit PackedFile(const std::string& path) {
    struct ::stat status {};
    if (::stat(path.c_str(), &status) != 0) throw chakra::TraceError(path + ": there is no such file");
    if (!S_ISREG(status.st_mode)) throw chakra::TraceError(path + ": not a regular file");
    file_.reset(::gzopen(path.c_str(), "rb"));
    if (!file_) throw chakra::TraceError(path + ": cannot open");
    ::gzbuffer(file_.get(), kBlock);
    fill();
  }

  Ch Peek() const { return *at_; }
  Ch Take() {
    const Ch c = *at_;
    if (at_ != end_ && ++at_ == end_) go_on();
    return c;
  }
  std::size_t Tell() const { return before_ + static_cast<std::size_t>(in_file() - block_.data()); }
  /// Of what comes next, from 1.
  std::size_t line() const {
    return 1 + lines_ + static_cast<std::size_t>(std::count(block_.data(), in_file(), '\n'));
  }
  bool at_end() const { return at_ == end_; }
  /// The text comes before what is left of the file.
  void push(const std::string& text) {
    pushed_ = is_pushed_ ? text + std::string(at_, end_) : text;
    if (!is_pushed_) std::tie(file_at_, file_end_) = std::pair(at_, end_);
    is_pushed_ = true;
    at_ = pushed_.data();
    end_ = at_ + pushed_.size();
  }
  /// Back to a byte that was taken, or as far back as it is still there.
  void go_back(std::size_t byte) {
    if (std::exchange(is_pushed_, false)) std::tie(at_, end_) = std::pair(file_at_, file_end_);
    if (byte < Tell()) at_ = block_.data() + (byte > before_ ? byte - before_ : 0);
  }
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  void Flush() {}
  std::size_t PutEnd(Ch*) { return 0; }

  /// What zlib says is wrong; empty: nothing.
  std::string error() const {
    int code = Z_OK;
    const char* const text = ::gzerror(file_.get(), &code);
    return code == Z_OK || code == Z_STREAM_END ? "" : std::string("damaged or truncated gzip data: ") + text;
  }

 private:
  static constexpr unsigned kBlock = 1U << 18;

  const Ch* in_file() const { return is_pushed_ ? file_at_ : at_; }

  void go_on() {
    if (!std::exchange(is_pushed_, false)) return fill();
    std::tie(at_, end_) = std::pair(file_at_, file_end_);
  }

  /// The end of the file reads as '\0', as RapidJSON wants it.
  void fill() {
    lines_ += static_cast<std::size_t>(std::count(block_.data(), end_, '\n'));
    before_ += static_cast<std::size_t>(end_ - block_.data());
    const int bytes = ::gzread(file_.get(), block_.data(), kBlock);
    at_ = block_.data();
    end_ = at_ + (bytes > 0 ? bytes : 0);
    *end_ = '\0';
  }

  struct Close {
    void operator()(gzFile_s* file) const { ::gzclose(file); }
  };
  std::unique_ptr<gzFile_s, Close> file_;
  std::array<Ch, kBlock + 1> block_{};
  Ch *at_ = block_.data(), *end_ = block_.data();
  std::size_t before_ = 0, lines_ = 0;  // the block
  std::string pushed_;
  bool is_pushed_ = false;
  Ch *file_at_ = nullptr, *file_end_ = nullptr;  // meanwhile
};

/// RapidJSON's events as a visitor wants them; refuses texts that are nested without end.
struct Events {
  const PackedFile& file;
  JsonVisitor& visitor;
  std::size_t depth = 0;
  std::array<std::size_t, 4> starts{};  ///< bytes behind the last outermost brackets, by depth
  std::size_t unseen = 0;               ///< so many of the next events are not for the visitor

  bool is_unseen() { return unseen != 0 && unseen-- != 0; }
  bool open(char bracket) {
    constexpr std::size_t kDeepest = 1000;
    if (++depth > kDeepest) throw std::invalid_argument("nested more than 1000 deep");
    if (depth < starts.size()) starts[depth] = file.Tell();
    if (!is_unseen()) visitor.begin(bracket);
    return true;
  }
  bool close(char bracket) {
    --depth;
    visitor.end(bracket);
    return true;
  }
  bool literal(std::string_view text) {
    if (!is_unseen()) visitor.value(text, false);
    return true;
  }
  bool Null() { return literal("null"); }
  bool Bool(bool value) { return literal(value ? "true" : "false"); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return literal({text, size}); }
  // Numbers come as they are written, so never as these.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    visitor.value({text, size}, true);
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (!is_unseen()) visitor.key({text, size});
    return true;
  }
  bool StartObject() { return open('{'); }
  bool EndObject(rapidjson::SizeType) { return close('}'); }
  bool StartArray() { return open('['); }
  bool EndArray(rapidjson::SizeType) { return close(']'); }
};

/// What is wrong with a file.
struct Problem {
  std::size_t byte;
  std::string text;
  bool is_refused;  ///< by the visitor
};

// Chrome's own traces hold NaN and Infinity now and then. Iterative: depth is not that of the call stack.
constexpr unsigned kFlags =
    rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag;

template <unsigned flags>
std::optional<Problem> parse(PackedFile& file, Events& events) {
  rapidjson::Reader reader;
  try {
    const rapidjson::ParseResult result = reader.Parse<flags>(file, events);
    if (result.Code() == rapidjson::kParseErrorDocumentEmpty) return Problem{0, "the file is empty", false};
    if (result) return std::nullopt;
    return Problem{result.Offset(), std::string("not JSON: ") + rapidjson::GetParseError_En(result.Code()),
                   false};
  } catch (const std::invalid_argument& error) {
    return Problem{file.Tell(), error.what(), true};
  }
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// Whether the text from a '{' on begins an event of a Chrome trace; takes what it looks at.
bool begins_event(PackedFile& file, std::string& text) {
  constexpr std::string_view kKeys[] = {"ph",  "cat",  "name", "pid", "tid", "ts",
                                        "dur", "args", "id",   "s",   "bp"};
  constexpr std::size_t kLongestKey = 4;
  while (is_space(file.Peek())) text += file.Take();
  if (file.Peek() != '"') return false;
  text += file.Take();
  std::string key;
  while (key.size() <= kLongestKey && file.Peek() != '"' && !file.at_end()) key += file.Take();
  text += key;
  return file.Peek() == '"' && std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

/// Goes behind a damaged element of a list of events. `between`: all elements that were begun have been read;
/// `is_behind`: the damaged one is the last of these.
/// Returns a list's start that what is left of the file completes; nothing: that is neither the next event
/// nor the list's end.
std::optional<std::string> next_element(PackedFile& file, bool between, bool is_behind) {
  char before = between ? ',' : '\0';
  while (!file.at_end()) {
    const char c = file.Take();
    if (is_space(c)) continue;
    if (c == ',' && is_behind) return "[";
    is_behind = false;
    if (c != ']') between = false;
    if (c == '{' && (before == ',' || before == '[')) {
      std::string text = "[{";
      if (begins_event(file, text)) return text;
    }
    if (c == ']' && (before == '}' || std::exchange(between, false))) {
      while (is_space(file.Peek())) file.Take();
      if (file.Peek() == ',' || file.Peek() == '}' || file.at_end()) return "[]";
    }
    before = c;
  }
  return std::nullopt;
}

}  // namespace

void read_json(const std::string& path, JsonVisitor& visitor) {
  const auto file = std::make_unique<PackedFile>(path);
  const auto fail = [&](std::size_t byte, const std::string& text) {
    throw chakra::TraceError(fmt::format("{}: byte {}: {}", path, byte, text));
  };
  Events events{*file, visitor};
  std::size_t list = 0;  // depth of the list that is read from one of its elements on
  for (;;) {
    const bool is_part = list > 1;
    const auto problem = is_part ? parse<kFlags | rapidjson::kParseStopWhenDoneFlag>(*file, events)
                                 : parse<kFlags>(*file, events);
    if (const std::string packed = file->error(); !packed.empty()) fail(file->Tell(), packed);
    if (!problem && !is_part) break;
    if (!problem) {  // the rest of the object around the list
      list = 0;
      file->push("{\"\":0");
      events.depth = 0;
      events.unseen = 3;
      continue;
    }
    const std::size_t depth = events.depth;
    list = visitor.skip(problem->text, [&] { return file->line(); });
    const bool between = depth == list, is_behind = problem->is_refused && between;
    // A text without its end takes what follows for its own.
    if (list != 0 && depth > list) file->go_back(events.starts.at(list + 1));
    const auto start = list == 0 ? std::nullopt : next_element(*file, between, is_behind);
    if (!start) fail(problem->byte, problem->text);
    file->push(*start);
    events.depth = list - 1;
    events.unseen = 1;
  }
  try {
    visitor.finish();
  } catch (const std::invalid_argument& error) {
    throw chakra::TraceError(path + ": " + error.what());
  }
}

}  // namespace wafertlm::pytorch
