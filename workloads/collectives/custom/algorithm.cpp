// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/custom/algorithm.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>
#include <stdexcept>

#include "workloads/chakra/rank_files.h"
#include "workloads/collectives/algorithm/proof.h"
#include "workloads/collectives/custom/program.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

bool is_xml(const std::string& path) { return fs::path(path).extension() == ".xml"; }

/// The prefix of the only job in a folder.
std::string only_job(const std::string& folder) {
  std::set<std::string> jobs;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const auto name = chakra::split_rank_file(entry.path().string())) jobs.insert(name->prefix);
  if (jobs.size() == 1) return *jobs.begin();
  throw std::invalid_argument(folder +
                              ": expected the traces of one job in it, PREFIX.<rank>.et; there are " +
                              (jobs.empty() ? "none" : "several: give the PREFIX"));
}

CustomAlgorithm read(const std::string& path, CollectiveType type) {
  if (is_xml(path)) return read_msccl_file(path);
  return read_chakra_algorithm(fs::is_directory(path) ? only_job(path) : path, type);
}

/// The last operations that wrote a byte of a rank's buffer, for a wrong value there.
std::string last_writer(const CollectiveProgram& program, std::uint32_t rank, std::uint64_t at) {
  const StepSource& source = *program.ranks[rank];
  std::string found = "; nothing writes it";
  for (std::uint32_t threadblock = 0; threadblock < source.threadblocks(); ++threadblock)
    for (std::uint32_t index = 0; index < source.steps(threadblock); ++index) {
      const Step step = source.step(threadblock, index);
      const std::string origin = source.origin(threadblock, index);
      if (step.kind != Step::Kind::send && !origin.empty() && step.offset <= at &&
          at < step.offset + step.bytes)
        found = "; written last at " + origin;
    }
  return found;
}

}  // namespace

std::uint32_t CustomAlgorithm::size_of(CustomChunks::Buffer buffer) const {
  if (buffer == CustomChunks::Buffer::scratch) return scratch_chunks;
  const bool input = buffer == CustomChunks::Buffer::input;
  const bool block =
      (type == CollectiveType::all_gather && input) || (type == CollectiveType::reduce_scatter && !input);
  return block ? chunks_per_block() : chunks;
}

std::string CustomAlgorithm::place(std::uint32_t rank, std::uint32_t thread,
                                   const CustomOperation& operation) const {
  std::string text = ranks[rank].file;
  if (operation.line != 0) text += fmt::format(":{}", operation.line);
  text += fmt::format(": gpu {}, {}", rank, ranks[rank].threads[thread].name);
  if (operation.line != 0) text += fmt::format(", step {}", operation.step);
  return text;
}

bool is_custom_algorithm(const std::string& name) {
  for (const CollectiveType type : kCollectiveTypes)
    for (const std::string& known : algorithms_for(type))
      if (name == known) return false;
  return is_xml(name) || name.find('/') != std::string::npos || fs::is_directory(name) ||
         (!name.empty() && chakra::has_rank_files(name));
}

std::shared_ptr<const CustomAlgorithm> read_custom_algorithm(const std::string& path, CollectiveType type) {
  if (type != CollectiveType::all_reduce && type != CollectiveType::all_gather &&
      type != CollectiveType::reduce_scatter && type != CollectiveType::all_to_all)
    throw std::invalid_argument(path + ": " + to_string(type) +
                                " has no custom algorithms; all_reduce, all_gather, reduce_scatter and "
                                "all_to_all have");
  auto algorithm = std::make_shared<CustomAlgorithm>(read(path, type));
  if (algorithm->type != type)
    throw std::invalid_argument(algorithm->file + ": this is an algorithm for " + to_string(algorithm->type) +
                                ", not for " + to_string(type));
  algorithm->name = "custom:" + fs::path(path).stem().string();
  prove(*algorithm);
  return algorithm;
}

void prove(const CustomAlgorithm& algorithm) {
  const auto ranks = static_cast<std::uint32_t>(algorithm.ranks.size());
  CollectiveProgram program;
  program.type = algorithm.type;
  program.algorithm = algorithm.name;
  program.bytes = std::uint64_t{4} * algorithm.chunks;
  const auto plan =
      std::make_shared<const CustomPlan>(std::make_shared<CustomAlgorithm>(algorithm), program.bytes, 1);
  program.buffer_bytes = plan->buffer_bytes();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    program.group.push_back(static_cast<NpuId>(rank));
    program.ranks.push_back(std::make_unique<CustomProgram>(plan, rank));
  }
  // Other orders of threads that run side by side: what they race for differs.
  constexpr std::uint64_t kOrders = 3;
  for (std::uint64_t seed = 0; seed < kOrders; ++seed) {
    Buffers buffers;
    try {
      buffers = run_untimed(program, untimed_start(program, 1), seed);
    } catch (const std::logic_error& error) {
      throw std::invalid_argument(error.what());
    }
    const ExpectedValues expected(program, 1);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      std::vector<std::uint64_t> elements;
      const std::string wrong = expected.wrong_value(rank, buffers[rank], &elements);
      if (wrong.empty()) continue;
      throw std::invalid_argument(
          fmt::format("{}: not an {}: rank {}, chunk {} of its result is wrong ({}){}", algorithm.file,
                      to_string(algorithm.type), rank, elements.front() % algorithm.chunks, wrong,
                      last_writer(program, rank, 4 * elements.front())));
    }
  }
}

}  // namespace wafertlm
