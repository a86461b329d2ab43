// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "workloads/chakra/node_source.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::chakra {

/// Streams a `.et` file, plain or gzip: memory does not grow with the file, which is open only from the first
/// node that is asked for to the last. Everything it cannot read is a
/// TraceError that names the file, the byte and, if known, the node: an empty file, no metadata, an unknown
/// version, a truncated file or record, trailing bytes, bad attributes.
///
/// A file cut exactly between two records is recognised only if EtWriter wrote it (it stores the number of
/// nodes); for others validate() finds the missing nodes if something depends on them.
class EtReader : public NodeSource {
 public:
  /// Opens the file and reads its metadata.
  explicit EtReader(std::string path);
  ~EtReader() override;

  bool next(Node& node) override;
  NodeIo io() const override;
  std::optional<std::uint64_t> memory_bytes() const override { return memory_bytes_; }
  std::optional<std::uint64_t> set() const override { return set_; }
  AttributeCounts unknown_attributes() const override { return unknown_; }
  void rewind() override;
  const std::string& name() const override { return path_; }

  /// As declared: "0.0.4", "1.0.2-chakra.0.0.4", or "" where nothing is declared.
  const std::string& version() const { return version_; }

 private:
  struct Stream;

  void start();
  void read_metadata();
  void look_at_first_node();
  void take(Node& node);
  template <typename Message>
  bool read_record(Message& message);
  [[noreturn]] void fail(std::uint64_t byte, const std::string& text) const;

  std::string path_;
  std::unique_ptr<Stream> stream_;
  std::string version_;
  std::optional<std::uint64_t> declared_nodes_, memory_bytes_, set_;
  std::uint64_t size_ = 0;
  std::uint64_t record_ = 0;
  std::uint64_t nodes_ = 0;
  bool at_end_ = false;
  AttributeCounts unknown_;
};

}  // namespace wafertlm::chakra
