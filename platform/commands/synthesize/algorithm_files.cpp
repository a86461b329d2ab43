// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/synthesize/algorithm_files.h"

#include <fmt/core.h>

#include <filesystem>
#include <stdexcept>

#include "platform/commands/trace/trace_job.h"
#include "platform/host/files.h"
#include "workloads/chakra/node_source.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/collectives/custom/writers.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

/// Removes what it names when it goes.
class Temporary {
 public:
  explicit Temporary(fs::path path) : path_(std::move(path)) {}
  ~Temporary() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

AlgorithmFiles::AlgorithmFiles(const std::string& out, std::size_t ranks, bool force)
    : is_msccl_(fs::path(out).extension() == ".xml"), force_(force), name_(out) {
  if (is_msccl_) {
    require_writable_file("--out", name_);
    return;
  }
  if (chakra::ends_with(name_, ".et")) name_.resize(name_.size() - 3);
  if (name_.empty() || fs::path(name_).filename().empty() || fs::is_directory(name_))
    throw std::invalid_argument("--out " + out + ": expected FILE.xml, or the PREFIX of PREFIX.<rank>.et");
  for (std::size_t rank = 0; rank < ranks; ++rank) traces_.push_back(fmt::format("{}.{}.et", name_, rank));
  require_writable_file("--out", traces_.front());
  if (!force_) require_no_stale_ranks(chakra::stale_rank_files(name_, traces_), false);
}

std::uint64_t AlgorithmFiles::write(const ChunkedProgram& program, const std::string& title,
                                    const std::function<void(const std::string& name)>& prove) const {
  return is_msccl_ ? write_msccl(program, title, prove) : write_traces(program, prove);
}

std::uint64_t AlgorithmFiles::write_msccl(const ChunkedProgram& program, const std::string& title,
                                          const std::function<void(const std::string& name)>& prove) const {
  const PendingFile file("--out", name_);
  const std::string text = msccl_text(program, title);
  const Temporary incomplete(file.incomplete());
  write_file(incomplete.path(), text);
  prove(incomplete.path().string());
  file.put_in_place();
  return text.size();
}

std::uint64_t AlgorithmFiles::write_traces(const ChunkedProgram& program,
                                           const std::function<void(const std::string& name)>& prove) const {
  const Temporary folder(name_ + ".incomplete");
  require_writable_folder(folder.path());
  const std::string prefix = (folder.path() / fs::path(name_).filename()).string();
  std::vector<std::string> written;
  std::uint64_t bytes = 0;
  for (auto& nodes : chakra_nodes(program)) {
    written.push_back(fmt::format("{}.{}.et", prefix, written.size()));
    chakra::VectorSource source(written.back(), std::move(nodes));
    chakra::write_trace_file(source, written.back());
    bytes += fs::file_size(written.back());
  }
  prove(prefix);
  require_no_stale_ranks(chakra::stale_rank_files(name_, traces_), force_);
  for (std::size_t rank = 0; rank < written.size(); ++rank) fs::rename(written[rank], traces_[rank]);
  return bytes;
}

}  // namespace wafertlm
