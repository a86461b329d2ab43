// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/custom/algorithm.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>
#include <stdexcept>

#include "workloads/chakra/rank_files.h"
#include "workloads/collectives/algorithm/proof.h"
#include "workloads/collectives/custom/order_proof.h"
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

/// The MSCCL programs in a folder, by name.
std::set<std::string> programs_in(const std::string& folder) {
  std::set<std::string> programs;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder))
      if (is_xml(entry.path().string())) programs.insert(entry.path().string());
  return programs;
}

std::shared_ptr<const CustomAlgorithm> proven(CustomAlgorithm algorithm, const std::string& path) {
  algorithm.name = "custom:" + fs::path(path).stem().string();
  prove(algorithm);
  if (algorithm.either_place) {
    CustomAlgorithm other = read_msccl_file(path, true);
    other.name = algorithm.name;
    prove(other);
  }
  return std::make_shared<const CustomAlgorithm>(std::move(algorithm));
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

bool overlap(const CustomAlgorithm& a, const CustomAlgorithm& b) {
  return a.ranks.size() == b.ranks.size() && (b.max_bytes == 0 || a.min_bytes <= b.max_bytes) &&
         (a.max_bytes == 0 || b.min_bytes <= a.max_bytes);
}

}  // namespace

std::uint32_t CustomAlgorithm::size_of(CustomChunks::Buffer buffer) const {
  if (buffer == CustomChunks::Buffer::scratch) return scratch_chunks;
  const bool input = buffer == CustomChunks::Buffer::input;
  const bool block =
      (type == CollectiveType::all_gather && input) || (type == CollectiveType::reduce_scatter && !input);
  return block ? chunks_per_block() : chunks;
}

std::uint32_t CustomAlgorithm::vector_chunk(std::uint32_t rank, CustomChunks::Buffer buffer,
                                            std::uint32_t number) const {
  return size_of(buffer) == chunks ? number : rank * chunks_per_block() + number;
}

std::uint64_t CustomAlgorithm::place_of(std::uint32_t rank, CustomChunks::Buffer buffer,
                                        std::uint32_t number) const {
  if (buffer == CustomChunks::Buffer::scratch) return std::uint64_t{2} * chunks + number;
  const std::uint64_t before = !in_place && buffer == CustomChunks::Buffer::input ? chunks : 0;
  return before + vector_chunk(rank, buffer, number);
}

bool CustomAlgorithm::is_for(std::uint64_t bytes) const {
  return bytes == 0 || (bytes >= min_bytes && (max_bytes == 0 || bytes <= max_bytes));
}

std::string CustomAlgorithm::sizes() const {
  return max_bytes == 0 ? fmt::format("{} B and more", min_bytes)
                        : fmt::format("{} B to {} B", min_bytes, max_bytes);
}

std::string CustomAlgorithm::place(std::uint32_t rank, std::uint32_t thread,
                                   const CustomOperation& operation) const {
  const std::string line = operation.line == 0 ? "" : fmt::format(":{}", operation.line);
  return fmt::format("{}{}: gpu {}, {}", ranks[rank].file, line, rank, step_name(rank, thread, operation));
}

std::string CustomAlgorithm::step_name(std::uint32_t rank, std::uint32_t thread,
                                       const CustomOperation& operation) const {
  const std::string& of = ranks[rank].threads[thread].name;
  return operation.line == 0 ? of : fmt::format("{}, step {}", of, operation.step);
}

CustomTable::CustomTable(std::vector<std::shared_ptr<const CustomAlgorithm>> algorithms)
    : algorithms_(std::move(algorithms)) {
  for (std::size_t i = 0; i < algorithms_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(*algorithms_[i], *algorithms_[j]))
        throw std::invalid_argument(fmt::format(
            "{} is for {}, {} for {}: both for {} ranks and the same sizes; set minBytes and maxBytes apart",
            algorithms_[j]->file, algorithms_[j]->sizes(), algorithms_[i]->file, algorithms_[i]->sizes(),
            algorithms_[i]->ranks.size()));
}

const std::shared_ptr<const CustomAlgorithm>& CustomTable::of(std::size_t ranks, std::uint64_t bytes) const {
  std::string known;
  for (const auto& algorithm : algorithms_) {
    if (algorithm->ranks.size() == ranks && algorithm->is_for(bytes)) return algorithm;
    known += fmt::format("{}{} is for {} ranks and {}", known.empty() ? "" : "; ", algorithm->file,
                         algorithm->ranks.size(), algorithm->sizes());
  }
  throw std::invalid_argument(fmt::format("no custom {} for {} ranks and {} B: {}",
                                          to_string(algorithms_.front()->type), ranks, bytes, known));
}

bool is_custom_algorithm(const std::string& name) {
  for (const CollectiveType type : kCollectiveTypes)
    for (const std::string& known : algorithms_for(type))
      if (name == known) return false;
  return is_xml(name) || name.find('/') != std::string::npos || fs::is_directory(name) ||
         (!name.empty() && chakra::has_rank_files(name));
}

std::shared_ptr<const CustomTable> read_custom_algorithms(const std::string& path, CollectiveType type) {
  if (type != CollectiveType::all_reduce && type != CollectiveType::all_gather &&
      type != CollectiveType::reduce_scatter && type != CollectiveType::all_to_all)
    throw std::invalid_argument(path + ": " + to_string(type) +
                                " has no custom algorithms; all_reduce, all_gather, reduce_scatter and "
                                "all_to_all have");
  std::vector<std::shared_ptr<const CustomAlgorithm>> table;
  const std::set<std::string> programs = is_xml(path) ? std::set{path} : programs_in(path);
  std::string others;
  for (const std::string& file : programs) {
    CustomAlgorithm program = read_msccl_file(file);
    if (program.type == type)
      table.push_back(proven(std::move(program), file));
    else
      others =
          file + ": this is an algorithm for " + to_string(program.type) + ", not for " + to_string(type);
  }
  if (programs.empty())
    table.push_back(
        proven(read_chakra_algorithm(fs::is_directory(path) ? only_job(path) : path, type), path));
  if (table.empty()) throw std::invalid_argument(others);
  return std::make_shared<const CustomTable>(std::move(table));
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
  prove_order(algorithm);
  Buffers buffers;
  try {
    buffers = run_untimed(program, untimed_start(program, 1));
  } catch (const std::logic_error& error) {
    throw std::invalid_argument(error.what());
  }
  const ExpectedValues expected(program, 1);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::vector<std::uint64_t> elements;
    const std::string wrong = expected.wrong_value(rank, buffers[rank], &elements);
    if (wrong.empty()) continue;
    throw std::invalid_argument(fmt::format("{}: not an {}: rank {}, chunk {} of its result is wrong ({}){}",
                                            algorithm.file, to_string(algorithm.type), rank,
                                            elements.front() % algorithm.chunks, wrong,
                                            last_writer(program, rank, 4 * elements.front())));
  }
}

}  // namespace wafertlm
