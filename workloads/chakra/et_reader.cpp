// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/et_reader.h"

#include <fmt/core.h>

#include <et_def.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "tlm/input/file.h"
#include "workloads/chakra/wire.h"

namespace wafertlm::chakra {

using google::protobuf::io::ArrayInputStream;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CopyingInputStreamAdaptor;

/// A file, or what a gzip file holds. Thousands of ranks have one each: the buffers are no longer than the
/// file needs, and there only while it is read. What is short is kept.
struct EtReader::Stream : google::protobuf::io::CopyingInputStream {
  explicit Stream(const std::string& path_of) : path(path_of) {
    open();
    size = opened->bytes;
  }
  ~Stream() override { close(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int Read(void* buffer, int bytes) override { return ::gzread(file, buffer, static_cast<unsigned>(bytes)); }
  /// From the beginning. @throws TraceError: it is not the file any more that was opened first.
  void start() {
    if (!kept.empty()) {
      input = std::make_unique<ArrayInputStream>(kept.data(), static_cast<int>(kept.size()));
      return;
    }
    if (file == nullptr)
      open();
    else
      ::gzrewind(file);
    input = std::make_unique<CopyingInputStreamAdaptor>(this, block_bytes());
  }
  void close() {
    input.reset();
    if (file != nullptr) ::gzclose(file);
    file = nullptr;
  }
  /// Of a file whose size is known.
  void keep_if_short() {
    if (size == 0 || size > kMostKeptBytes) return;
    start();
    kept.resize(size);
    if (!CodedInputStream(input.get()).ReadRaw(kept.data(), static_cast<int>(size))) kept.clear();
    close();
  }
  /// Reads all of a gzip file once: zlib compares the check sums, and the size that it gives is only known
  /// then. Returns what is wrong, or nothing.
  std::string unpack() {
    if (!is_packed) return {};
    std::string block(kMostBlockBytes, 0);
    size = 0;
    for (int read = 0; (read = ::gzread(file, block.data(), kMostBlockBytes)) != 0;) {
      if (read < 0) break;
      size += static_cast<std::uint64_t>(read);
    }
    int error = Z_OK;
    const std::string text = ::gzerror(file, &error);
    return error == Z_OK || error == Z_STREAM_END ? "" : "damaged or truncated gzip data (" + text + ")";
  }

  const std::string path;
  gzFile file = nullptr;  // null: closed
  bool is_packed = false;
  std::uint64_t size = 0;  // of what is read
  std::string kept;        // all of it; empty: it is read from the file
  std::unique_ptr<google::protobuf::io::ZeroCopyInputStream> input;  // null: not open
  ChakraProtoMsg::Node message;  // one for all records: its memory is used again

 private:
  static constexpr int kMostBlockBytes = 1 << 14, kMostKeptBytes = 1 << 12;
  int block_bytes() const {
    constexpr std::uint64_t kLeast = 64;
    return static_cast<int>(std::clamp(opened->bytes, kLeast, std::uint64_t{kMostBlockBytes}));
  }
  void open() {
    FileVersion now;
    const std::string why = why_unreadable(path, &now);
    if (!why.empty()) throw TraceError(path + ": " + why);
    if (opened && (now.bytes != opened->bytes || now.written_ns != opened->written_ns))
      throw TraceError(path + ": has changed while it was read");
    file = ::gzopen(path.c_str(), "rbe");
    if (file == nullptr) throw TraceError(path + ": cannot be read");
    opened = now;
    ::gzbuffer(file, static_cast<unsigned>(block_bytes()));
    is_packed = ::gzdirect(file) == 0;
  }

  std::optional<FileVersion> opened;  // the file that was opened first
};

EtReader::EtReader(std::string path) : path_(std::move(path)), stream_(std::make_unique<Stream>(path_)) {
  look_at_first_node();
  const std::string wrong = stream_->unpack();
  if (!wrong.empty()) fail(stream_->size, wrong);
  size_ = stream_->size;
  stream_->keep_if_short();
  start();
  rewind();
}

EtReader::~EtReader() = default;

/// What is no trace is not unpacked to its end, which may be far. What cannot be read is left to unpack().
void EtReader::look_at_first_node() {
  if (!stream_->is_packed) return;
  size_ = std::numeric_limits<std::uint64_t>::max();
  try {
    start();
    read_record(stream_->message);
  } catch (const TraceError&) {
    stream_->start();
    return;
  }
  Node node;
  take(node);
  stream_->start();
}

void EtReader::start() {
  stream_->start();
  nodes_ = 0;
  unknown_.clear();
  read_metadata();
}

/// It is opened when the first node is asked for.
void EtReader::rewind() {
  stream_->close();
  nodes_ = 0;
  unknown_.clear();
  at_end_ = false;
}

void EtReader::read_metadata() {
  ChakraProtoMsg::GlobalMetadata metadata;
  if (!read_record(metadata)) fail(0, "the file is empty; a trace starts with GlobalMetadata");
  try {
    version_ = wire::checked_version(metadata);
    declared_nodes_ = wire::declared(metadata, wire::kNodeCount);
    memory_bytes_ = wire::declared(metadata, wire::kMemoryBytes);
    set_ = wire::declared(metadata, wire::kSet);
    if (set_ == 0U) set_.reset();
  } catch (const std::invalid_argument& error) {
    fail(record_, error.what());
  }
}

bool EtReader::next(Node& node) {
  if (at_end_) return false;
  if (!stream_->input) start();
  if (!read_record(stream_->message)) {
    at_end_ = true;
    stream_->close();
    if (declared_nodes_ && *declared_nodes_ != nodes_)
      fail(size_, fmt::format("the file ends after {}{}, but its metadata says {}", nodes_,
                              nodes_ == 1 ? " node" : " nodes", *declared_nodes_));
    return false;
  }
  take(node);
  return true;
}

/// The record that was read.
void EtReader::take(Node& node) {
  ++nodes_;
  try {
    wire::from_wire(stream_->message, node, unknown_);
  } catch (const std::invalid_argument& error) {
    node.id = stream_->message.id();
    node.name = stream_->message.name();
    fail(record_, describe(node) + ": " + error.what());
  }
}

NodeIo EtReader::io() const {
  const auto text = [](const ChakraProtoMsg::IOInfo& of) {
    return IoText{of.values(), of.shapes(), of.types()};
  };
  return {text(stream_->message.inputs()), text(stream_->message.outputs())};
}

/// Reads one (varint length, message) record; false at the end of the file.
template <typename Message>
bool EtReader::read_record(Message& message) {
  record_ = static_cast<std::uint64_t>(stream_->input->ByteCount());
  if (record_ == size_) return false;
  const auto where = [this] { return fmt::format("the record that starts at byte {}", record_); };
  const google::protobuf::LogSilencer quiet;  // what is wrong is said once, by us
  CodedInputStream coded(stream_->input.get());
  std::uint64_t length = 0;
  if (!coded.ReadVarint64(&length)) {
    constexpr std::uint64_t kLongestVarint = 10;
    if (size_ - record_ >= kLongestVarint) fail(record_, "not the length of a record");
    fail(size_, "the file ends inside the length of " + where());
  }
  const std::uint64_t left = size_ - record_ - static_cast<std::uint64_t>(coded.CurrentPosition());
  if (length > left)
    fail(size_, fmt::format("the file ends {} bytes before the end of {} ({} bytes long)", length - left,
                            where(), length));
  if (length > std::numeric_limits<std::int32_t>::max())
    fail(record_, fmt::format("a record of {} bytes; at most 2^31 - 1 are possible", length));

  const auto limit = coded.PushLimit(static_cast<int>(length));
  message.Clear();
  const bool parsed = message.MergeFromCodedStream(&coded) && coded.BytesUntilLimit() == 0;
  coded.PopLimit(limit);
  const auto& type = message.GetDescriptor()->name();
  if (!parsed) fail(record_, "the record is not a " + type + " (damaged, or not a Chakra trace)");
  // Records of another type show up as fields that the expected type does not have.
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  if (!unknown.empty())
    fail(record_, fmt::format("the record is not a {} of schema 0.0.4 or 1.0.0: it has a field {}", type,
                              unknown.field(0).number()));
  return true;
}

void EtReader::fail(std::uint64_t byte, const std::string& text) const {
  throw TraceError(fmt::format("{}: byte {}{}{}", path_, byte,
                               stream_->is_packed ? " of the unpacked data: " : ": ", text));
}

}  // namespace wafertlm::chakra
