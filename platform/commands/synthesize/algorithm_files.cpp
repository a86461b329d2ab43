// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/synthesize/algorithm_files.h"

#include <fmt/core.h>

#include <filesystem>
#include <stdexcept>

#include "workloads/chakra/node_source.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/collectives/custom/writers.h"

namespace wafertlm {
namespace fs = std::filesystem;

AlgorithmFiles::AlgorithmFiles(const std::string& out, std::size_t ranks, bool force) : name_(out) {
  if (fs::path(out).extension() == ".xml") {
    msccl_.emplace("--out", name_);
    return;
  }
  if (chakra::ends_with(name_, ".et")) name_.resize(name_.size() - 3);
  if (name_.empty() || fs::path(name_).filename().empty() || fs::is_directory(name_))
    throw std::invalid_argument("--out " + out + ": expected FILE.xml, or the PREFIX of PREFIX.<rank>.et");
  for (std::size_t rank = 0; rank < ranks; ++rank) traces_.push_back(fmt::format("{}.{}.et", name_, rank));
  job_.emplace(name_, traces_, force);
}

std::uint64_t AlgorithmFiles::write(const ChunkedProgram& program, const std::string& title,
                                    const Prove& prove) {
  return msccl_ ? write_msccl(program, title, prove) : write_traces(program, prove);
}

std::uint64_t AlgorithmFiles::write_msccl(const ChunkedProgram& program, const std::string& title,
                                          const Prove& prove) {
  const std::string text = msccl_text(program, title);
  write_file("--out", msccl_->incomplete(), text);
  prove(msccl_->incomplete());
  msccl_->put_in_place();
  return text.size();
}

std::uint64_t AlgorithmFiles::write_traces(const ChunkedProgram& program, const Prove& prove) {
  std::uint64_t bytes = 0;
  auto trace = traces_.begin();
  for (auto& nodes : chakra_nodes(program)) {
    chakra::VectorSource source(*trace, std::move(nodes));
    job_->add(source, *trace++);
  }
  prove(job_->working_prefix());
  fmt::print("{}", job_->commit());
  for (const std::string& each : traces_) bytes += fs::file_size(each);
  return bytes;
}

}  // namespace wafertlm
