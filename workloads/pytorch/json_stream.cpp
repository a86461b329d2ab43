// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/json_stream.h"

#include <fmt/core.h>

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#include <sys/stat.h>
#include <zlib.h>

#include <array>
#include <memory>
#include <stdexcept>

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
    if (at_ != end_ && ++at_ == end_) fill();
    return c;
  }
  std::size_t Tell() const { return before_ + static_cast<std::size_t>(at_ - block_.data()); }
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

  /// The end of the file reads as '\0', as RapidJSON wants it.
  void fill() {
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
  std::size_t before_ = 0;
};

/// RapidJSON's events as a visitor wants them; refuses texts that are nested without end.
struct Events {
  JsonVisitor& visitor;
  std::size_t depth = 0;

  bool open(char bracket) {
    constexpr std::size_t kDeepest = 1000;
    if (++depth > kDeepest) throw std::invalid_argument("nested more than 1000 deep");
    visitor.begin(bracket);
    return true;
  }
  bool close(char bracket) {
    --depth;
    visitor.end(bracket);
    return true;
  }
  bool literal(std::string_view text) {
    visitor.value(text, false);
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
    visitor.key({text, size});
    return true;
  }
  bool StartObject() { return open('{'); }
  bool EndObject(rapidjson::SizeType) { return close('}'); }
  bool StartArray() { return open('['); }
  bool EndArray(rapidjson::SizeType) { return close(']'); }
};

}  // namespace

void read_json(const std::string& path, JsonVisitor& visitor) {
  const auto file = std::make_unique<PackedFile>(path);
  const auto fail = [&](std::size_t byte, const std::string& text) {
    throw chakra::TraceError(fmt::format("{}: byte {}: {}", path, byte, text));
  };
  Events events{visitor};
  rapidjson::Reader reader;
  // Chrome's own traces hold NaN and Infinity now and then. Iterative: depth is not that of the call stack.
  constexpr unsigned kFlags =
      rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag;
  try {
    const rapidjson::ParseResult result = reader.Parse<kFlags>(*file, events);
    if (const std::string packed = file->error(); !packed.empty()) fail(file->Tell(), packed);
    if (result.Code() == rapidjson::kParseErrorDocumentEmpty) fail(0, "the file is empty");
    if (!result)
      fail(result.Offset(), std::string("not JSON: ") + rapidjson::GetParseError_En(result.Code()));
  } catch (const std::invalid_argument& error) {
    fail(file->Tell(), error.what());
  }
  try {
    visitor.finish();
  } catch (const std::invalid_argument& error) {
    throw chakra::TraceError(path + ": " + error.what());
  }
}

}  // namespace wafertlm::pytorch
