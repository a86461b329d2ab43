// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "workloads/chakra/node_source.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::chakra {

/// Writes a `.et` file that EtReader and other Chakra tools read. The file appears under its name only when
/// close() has succeeded: until then it is a temporary file in the same folder, removed if the writer goes.
///
/// Beyond Chakra's attributes it writes `wafertlm_duration_ps` (where microseconds are not exact;
/// duration_micros is then rounded up), `wafertlm_class`, and in the metadata `wafertlm_nodes`,
/// `wafertlm_memory_bytes` (NodeSource::memory_bytes()), and `wafertlm_set`, 0 until stamp_set().
class EtWriter {
 public:
  /// @throws TraceError when the file cannot be created.
  explicit EtWriter(std::string path, std::optional<std::uint64_t> memory_bytes = {});
  ~EtWriter();
  EtWriter(const EtWriter&) = delete;
  EtWriter& operator=(const EtWriter&) = delete;

  /// @throws TraceError naming file and node.
  void write(const Node& node, const NodeIo& io = {});
  /// @throws TraceError, for example when the disk is full.
  void close();

 private:
  struct Stream;
  [[noreturn]] void fail(const std::string& text) const;
  [[noreturn]] void fail_system(const std::string& text, int error) const;

  std::string path_;
  std::string temporary_;
  std::unique_ptr<Stream> stream_;
  std::uint64_t nodes_ = 0;
  std::uint64_t count_offset_ = 0;
};

/// Writes all nodes of `source`, from its first, to `path`; returns how many.
std::uint64_t write_trace(NodeSource& source, const std::string& path);

}  // namespace wafertlm::chakra
