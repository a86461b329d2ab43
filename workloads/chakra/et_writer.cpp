// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/et_writer.h"

#include <fmt/core.h>

#include <et_def.pb.h>
#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "workloads/chakra/wire.h"

namespace wafertlm::chakra {
namespace {

using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::FileOutputStream;

constexpr std::size_t kCountBytes = 8;

/// True if written.
bool write_record(const google::protobuf::Message& message, FileOutputStream& output) {
  CodedOutputStream coded(&output);
  const google::protobuf::LogSilencer quiet;
  coded.WriteVarint32(static_cast<std::uint32_t>(message.ByteSizeLong()));
  return message.SerializeToCodedStream(&coded) && !coded.HadError();
}

}  // namespace

struct EtWriter::Stream {
  explicit Stream(int descriptor) : file(descriptor), output(descriptor) {}
  ~Stream() {
    output.Flush();
    ::close(file);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int file;
  FileOutputStream output;
  ChakraProtoMsg::Node message;
};

EtWriter::EtWriter(std::string path, std::optional<std::uint64_t> memory_bytes)
    : path_(std::move(path)), temporary_(fmt::format("{}.tmp{}", path_, ::getpid())) {
  const int file = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail_system("cannot create " + temporary_, errno);
  stream_ = std::make_unique<Stream>(file);

  ChakraProtoMsg::GlobalMetadata metadata;
  metadata.set_version("0.0.4");
  if (memory_bytes) {
    auto& memory = *metadata.add_attr();
    memory.set_name(wire::kMemoryBytes);
    memory.set_uint64_val(*memory_bytes);
  }
  auto& set = *metadata.add_attr();
  set.set_name(wire::kSet);
  set.set_fixed64_val(0);
  auto& count = *metadata.add_attr();
  count.set_name(wire::kNodeCount);
  count.set_fixed64_val(0);  // the record's last bytes: close() puts the number there
  if (!write_record(metadata, stream_->output)) fail_system("cannot write", stream_->output.GetErrno());
  count_offset_ = static_cast<std::uint64_t>(stream_->output.ByteCount()) - kCountBytes;
}

EtWriter::~EtWriter() {
  if (!stream_) return;
  stream_.reset();
  ::unlink(temporary_.c_str());
}

void EtWriter::write(const Node& node, const NodeIo& io) {
  if (!stream_) fail("written to after close()");
  try {
    wire::to_wire(node, io, stream_->message);
  } catch (const std::invalid_argument& error) {
    fail(describe(node) + ": " + error.what());
  }
  if (!write_record(stream_->message, stream_->output))
    fail_system("cannot write", stream_->output.GetErrno());
  ++nodes_;
}

void EtWriter::close() {
  if (!stream_) fail("closed twice");
  if (!stream_->output.Flush()) fail_system("cannot write", stream_->output.GetErrno());
  std::array<unsigned char, kCountBytes> count{};  // little-endian, as a fixed64 is on the wire
  for (std::size_t byte = 0; byte < kCountBytes; ++byte)
    count[byte] = static_cast<unsigned char>(nodes_ >> (8 * byte));
  if (::pwrite(stream_->file, count.data(), count.size(), static_cast<off_t>(count_offset_)) !=
      static_cast<ssize_t>(kCountBytes))
    fail_system("cannot write", errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_system("cannot be put in place", errno);
  stream_.reset();
}

void EtWriter::fail(const std::string& text) const { throw TraceError(path_ + ": " + text); }
void EtWriter::fail_system(const std::string& text, int error) const {
  fail(text + ": " + std::strerror(error));
}

std::uint64_t write_trace(NodeSource& source, const std::string& path) {
  source.rewind();
  EtWriter writer(path, source.memory_bytes());
  Node node;
  std::uint64_t nodes = 0;
  for (; source.next(node); ++nodes) writer.write(node, source.io());
  writer.close();
  return nodes;
}

}  // namespace wafertlm::chakra
