// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/trace_file.h"

#include <fmt/core.h>

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string_view>

#include "workloads/chakra/et_reader.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/json_trace.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/wire.h"

namespace wafertlm::chakra {
namespace {

/// A file that takes its name when it is complete, and goes if it does not become so.
class Pending {
 public:
  explicit Pending(const std::string& path)
      : path_(path), temporary_(fmt::format("{}.tmp{}", path, ::getpid())) {}
  ~Pending() { ::unlink(temporary_.c_str()); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  const std::string& temporary() const { return temporary_; }
  void put_in_place() const {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
      throw TraceError(path_ + ": cannot be put in place");
  }

 private:
  const std::string path_, temporary_;
};

/// Tag and value of AttributeProto's fixed64_val behind the name; a JSON number is right-aligned in its room.
constexpr std::string_view kSetTag = "\xa9\x01";
constexpr std::size_t kSetBytes = 8, kSetDigits = 16;

std::uint64_t write_json(NodeSource& source, const std::string& path) {
  const Pending pending(path);
  std::ofstream file(pending.temporary(), std::ios::binary);
  file << fmt::format("{{\n\"{}\": {:>{}},\n", wire::kSet, 0, kSetDigits);
  if (const auto bytes = source.memory_bytes())
    file << fmt::format("\"{}\": {},\n", wire::kMemoryBytes, *bytes);
  file << "\"workload_graph\": [";
  std::uint64_t nodes = 0;
  source.rewind();
  for (Node node; source.next(node); ++nodes)
    file << (nodes == 0 ? "\n" : ",\n") << to_json(node, source.io());
  file << "\n]\n}\n";
  file.close();
  if (!file) throw TraceError(path + ": cannot write");
  pending.put_in_place();
  return nodes;
}

std::uint64_t write_gzip(NodeSource& source, const std::string& path) {
  const Pending plain(path + ".plain"), packed(path);
  // Its metadata hold the number of nodes, which is known at the end: packed afterwards.
  const std::uint64_t nodes = write_trace(source, plain.temporary());
  pack_trace(plain.temporary(), packed.temporary());
  packed.put_in_place();
  return nodes;
}

}  // namespace

void pack_trace(const std::string& plain, const std::string& packed) {
  std::ifstream in(plain, std::ios::binary);
  gzFile out = ::gzopen(packed.c_str(), "wb");
  std::string block(std::size_t{1} << 16, 0);
  bool good = out != nullptr && in.good();
  while (good && in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto size = static_cast<unsigned>(in.gcount());
    good = size == 0 || ::gzwrite(out, block.data(), size) == static_cast<int>(size);
  }
  if (out != nullptr && ::gzclose(out) != Z_OK) good = false;
  if (!good) throw TraceError(packed + ": cannot write");
}

void stamp_set(const std::string& path, std::uint64_t set) {
  const bool is_json = ends_with(path, ".json");
  const std::string room = is_json ? fmt::format("\"{}\": ", wire::kSet) : wire::kSet + std::string(kSetTag);
  std::string value = fmt::format("{:>{}}", set, kSetDigits);
  if (!is_json) {
    value.assign(kSetBytes, '\0');  // little-endian, as a fixed64 is on the wire
    for (std::size_t byte = 0; byte < kSetBytes; ++byte)
      value[byte] = static_cast<char>(static_cast<unsigned char>(set >> (8 * byte)));
  }
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  std::string head(512, '\0');  // the metadata come first
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  file.clear();
  const std::size_t at = head.find(room);
  if (at != std::string::npos) file.seekp(static_cast<std::streamoff>(at + room.size()));
  if (at == std::string::npos ||
      !file.write(value.data(), static_cast<std::streamsize>(value.size())).flush())
    throw TraceError(path + ": cannot write");
}

void OneSet::add(const NodeSource& rank) {
  if (first_.empty()) {
    first_ = rank.name();
    set_ = rank.set();
  } else if (rank.set() != set_) {
    throw TraceError(
        fmt::format("{} was not written together with {} (wafertlm_set differs): they are ranks of two "
                    "jobs; write one of these again",
                    rank.name(), first_));
  }
}

bool is_trace_file(const std::string& path) {
  for (const char* suffix : kTraceSuffixes)
    if (ends_with(path, suffix)) return true;
  return false;
}

std::unique_ptr<NodeSource> open_trace(const std::string& path) {
  if (ends_with(path, ".json")) return std::make_unique<JsonReader>(path);
  return std::make_unique<EtReader>(path);
}

std::uint64_t write_trace_file(NodeSource& source, const std::string& path) {
  if (ends_with(path, ".json")) return write_json(source, path);
  if (ends_with(path, ".et.gz")) return write_gzip(source, path);
  if (ends_with(path, ".et")) return write_trace(source, path);
  throw TraceError(path + ": a trace file ends in .et, .et.gz or .json");
}

std::vector<std::string> stale_rank_files(const std::string& prefix,
                                          const std::vector<std::string>& written) {
  std::vector<std::string> stale;
  for (const std::string& file : all_rank_files(prefix))
    if (std::find(written.begin(), written.end(), file) == written.end()) stale.push_back(file);
  return stale;
}

}  // namespace wafertlm::chakra
