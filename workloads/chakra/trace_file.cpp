// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/trace_file.h"

#include <fmt/core.h>

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

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

std::uint64_t write_json(NodeSource& source, const std::string& path) {
  const Pending pending(path);
  std::ofstream file(pending.temporary(), std::ios::binary);
  file << "{\n";
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
  std::ifstream in(plain.temporary(), std::ios::binary);
  gzFile out = ::gzopen(packed.temporary().c_str(), "wb");
  std::string block(std::size_t{1} << 16, 0);
  bool good = out != nullptr && in.good();
  while (good && in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto size = static_cast<unsigned>(in.gcount());
    good = size == 0 || ::gzwrite(out, block.data(), size) == static_cast<int>(size);
  }
  if (out != nullptr && ::gzclose(out) != Z_OK) good = false;
  if (!good) throw TraceError(path + ": cannot write");
  packed.put_in_place();
  return nodes;
}

}  // namespace

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

TraceFiles::~TraceFiles() {
  for (const auto& [temporary, path] : files_) ::unlink(temporary.c_str());
}

std::uint64_t TraceFiles::add(NodeSource& source, const std::string& path) {
  const std::filesystem::path place(path);
  const std::string temporary =
      place.parent_path() / fmt::format(".{}.part.{}", ::getpid(), place.filename().string());
  try {
    const std::uint64_t nodes = write_trace_file(source, temporary);
    files_.emplace_back(temporary, path);
    return nodes;
  } catch (const TraceError& error) {
    // The user knows nothing of the temporary name.
    std::string text = error.what();
    for (std::size_t at = 0; (at = text.find(temporary, at)) != std::string::npos; at += path.size())
      text.replace(at, temporary.size(), path);
    throw TraceError(text);
  }
}

void TraceFiles::commit() {
  for (const auto& [temporary, path] : files_)
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
      throw TraceError(path + ": cannot be put in place: " + std::strerror(errno));
  files_.clear();
}

std::vector<std::string> stale_rank_files(const std::string& prefix,
                                          const std::vector<std::string>& written) {
  std::vector<std::string> stale;
  for (const std::string& file : all_rank_files(prefix))
    if (std::find(written.begin(), written.end(), file) == written.end()) stale.push_back(file);
  return stale;
}

}  // namespace wafertlm::chakra
