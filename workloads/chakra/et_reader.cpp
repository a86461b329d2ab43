// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/et_reader.h"

#include <et_def.pb.h>
#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "workloads/chakra/wire.h"

namespace wafertlm::chakra {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::FileInputStream;

struct EtReader::Stream {
  explicit Stream(const std::string& path) : file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file < 0) throw TraceError(path + ": cannot open: " + std::strerror(errno));
  }
  ~Stream() {
    input.reset();
    ::close(file);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int file;
  std::unique_ptr<FileInputStream> input;
  ChakraProtoMsg::Node message;  // one for all records: its memory is used again
};

EtReader::EtReader(std::string path, ReadOptions options)
    : path_(std::move(path)), options_(options), stream_(std::make_unique<Stream>(path_)) {
  struct ::stat status {};
  if (::fstat(stream_->file, &status) != 0 || !S_ISREG(status.st_mode))
    throw TraceError(path_ + ": not a regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
  rewind();
}

EtReader::~EtReader() = default;

void EtReader::rewind() {
  if (::lseek(stream_->file, 0, SEEK_SET) != 0) fail(0, "cannot go back to the start");
  stream_->input = std::make_unique<FileInputStream>(stream_->file);
  nodes_ = 0;
  read_metadata();
}

void EtReader::read_metadata() {
  ChakraProtoMsg::GlobalMetadata metadata;
  if (!read_record(metadata)) fail(0, "the file is empty; a trace starts with GlobalMetadata");
  try {
    version_ = wire::checked_version(metadata);
    declared_nodes_ = wire::declared_nodes(metadata);
  } catch (const std::invalid_argument& error) {
    fail(record_, error.what());
  }
}

bool EtReader::next(Node& node) {
  if (!read_record(stream_->message)) {
    if (declared_nodes_ && *declared_nodes_ != nodes_)
      fail(size_, "the file ends after " + std::to_string(nodes_) + " nodes, but its metadata says " +
                      std::to_string(*declared_nodes_));
    return false;
  }
  ++nodes_;
  try {
    wire::from_wire(stream_->message, node);
  } catch (const std::invalid_argument& error) {
    node.id = stream_->message.id();
    node.name = stream_->message.name();
    fail(record_, describe(node) + ": " + error.what());
  }
  if (!options_.control_dependencies) node.ctrl_deps.clear();
  return true;
}

/// Reads one (varint length, message) record; false at the end of the file.
template <typename Message>
bool EtReader::read_record(Message& message) {
  record_ = static_cast<std::uint64_t>(stream_->input->ByteCount());
  if (record_ == size_) return false;
  const auto where = [this] { return "the record that starts at byte " + std::to_string(record_); };
  CodedInputStream coded(stream_->input.get());
  std::uint64_t length = 0;
  if (!coded.ReadVarint64(&length)) {
    constexpr std::uint64_t kLongestVarint = 10;
    if (size_ - record_ >= kLongestVarint) fail(record_, "not the length of a record");
    fail(size_, "the file ends inside the length of " + where());
  }
  const std::uint64_t left = size_ - record_ - static_cast<std::uint64_t>(coded.CurrentPosition());
  if (length > left)
    fail(size_, "the file ends " + std::to_string(length - left) + " bytes before the end of " + where() +
                    " (" + std::to_string(length) + " bytes long)");
  if (length > std::numeric_limits<std::int32_t>::max())
    fail(record_, "a record of " + std::to_string(length) + " bytes; at most 2^31 - 1 are possible");

  const auto limit = coded.PushLimit(static_cast<int>(length));
  message.Clear();
  const bool parsed = message.MergeFromCodedStream(&coded) && coded.BytesUntilLimit() == 0;
  coded.PopLimit(limit);
  const auto& type = message.GetDescriptor()->name();
  if (!parsed) fail(record_, "the record is not a " + type + " (damaged, or not a Chakra trace)");
  // Records of another type show up as fields that the expected type does not have.
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  if (!unknown.empty())
    fail(record_, "the record is not a " + type + " of schema 0.0.4 or 1.0.0: it has a field " +
                      std::to_string(unknown.field(0).number()));
  return true;
}

void EtReader::fail(std::uint64_t byte, const std::string& text) const {
  throw TraceError(path_ + ": byte " + std::to_string(byte) + ": " + text);
}

}  // namespace wafertlm::chakra
