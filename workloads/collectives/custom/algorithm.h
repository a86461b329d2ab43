// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tlm/program/program.h"

namespace wafertlm {

/// Chunks next to each other in a buffer of a rank.
struct CustomChunks {
  enum class Buffer : std::uint8_t { input, output, scratch };
  Buffer buffer = Buffer::input;
  std::uint32_t first = 0, count = 0;
};

struct CustomOperation {
  enum class Kind : std::uint8_t {
    send,
    receive,         ///< and store at `to`
    receive_reduce,  ///< and add to what is at `to`
    copy,            ///< within the rank, from `from` to `to`
    reduce,          ///< … added to what is there
    wait,            ///< only for another thread, or for `delay_ps`
  };
  Kind kind = Kind::wait;
  std::uint32_t peer = 0;     ///< rank
  std::uint32_t channel = 0;  ///< the k-th send to a peer on it is that peer's k-th receive on it
  CustomChunks from, to;      ///< of equal length
  /// Starts when so many operations of this thread are done; kNone: nothing to wait for.
  std::uint32_t after_thread = Step::kNone, after_count = 0;
  std::optional<TimePs> delay_ps;  ///< of copy, reduce and wait; none: what the fabric's endpoints take
  bool pays_reduction = false;     ///< of a receive: takes as long as if it added what comes
  std::uint32_t step = 0;          ///< number that the file gives it in its thread
  std::uint32_t line = 0;          ///< of the file; 0: it has none

  bool receives() const { return kind == Kind::receive || kind == Kind::receive_reduce; }
};

struct CustomThread {
  std::string name;  ///< "tb 3", "node 17"
  std::vector<CustomOperation> operations;
};

struct CustomRank {
  std::string file;
  std::vector<CustomThread> threads;
};

/// A collective as a file says it: for each rank threads of operations on chunks. Chunk c of all_reduce is
/// part c of the vector; of the other types each rank's block has chunks / ranks of them.
struct CustomAlgorithm {
  std::string name;  ///< as in results: "custom:ring"
  std::string file;
  CollectiveType type{};      ///< all_reduce, all_gather, reduce_scatter or all_to_all
  bool in_place = true;       ///< input and output are the same chunks, by the type's definition
  bool either_place = false;  ///< the file says that it also works the other way
  std::uint64_t min_bytes = 0, max_bytes = 0;  ///< full vectors that it is for; max 0: no limit
  std::uint32_t chunks = 0;
  std::uint32_t scratch_chunks = 0;  ///< the most of any rank
  std::vector<CustomRank> ranks;

  std::uint32_t chunks_per_block() const { return chunks / static_cast<std::uint32_t>(ranks.size()); }
  /// Of a rank's buffer.
  std::uint32_t size_of(CustomChunks::Buffer buffer) const;
  /// The chunk of the vector that chunk `number` of a rank's input or output is by the type's definition.
  std::uint32_t vector_chunk(std::uint32_t rank, CustomChunks::Buffer buffer, std::uint32_t number) const;
  /// The same of two chunks of a rank if they lie in the same place.
  std::uint64_t place_of(std::uint32_t rank, CustomChunks::Buffer buffer, std::uint32_t number) const;
  bool is_for(std::uint64_t bytes) const;
  std::string sizes() const;  ///< "0 B to 65536 B"
  /// "ring.xml:12: gpu 3, tb 0, step 7".
  std::string place(std::uint32_t rank, std::uint32_t thread, const CustomOperation& operation) const;
  /// "tb 0, step 7"
  std::string step_name(std::uint32_t rank, std::uint32_t thread, const CustomOperation& operation) const;
};

/// Algorithms for one type of collective, of which number of ranks and size choose one.
class CustomTable {
 public:
  /// @throws std::invalid_argument if two are for the same ranks and size
  explicit CustomTable(std::vector<std::shared_ptr<const CustomAlgorithm>> algorithms);

  /// @param bytes of the full vector, as MSCCL counts; 0 fits every algorithm
  /// @throws std::invalid_argument that says what there is: for other ranks or sizes
  const std::shared_ptr<const CustomAlgorithm>& of(std::size_t ranks, std::uint64_t bytes) const;

 private:
  std::vector<std::shared_ptr<const CustomAlgorithm>> algorithms_;
};

/// Reads custom algorithms for a collective and proves them: no order of threads changes what comes out, and
/// a run without time on the smallest vector gives every value. `path`: an MSCCL program (.xml), the PREFIX
/// of PREFIX.<rank>.et (or .json, .et.gz), a folder that has one job of these, or one of MSCCL programs, of
/// which those of the type are read.
/// @throws std::invalid_argument naming file, line and step: not readable, or no such program; another
/// collective; a deadlock, a message without its other half; accesses without an order; a wrong value.
std::shared_ptr<const CustomTable> read_custom_algorithms(const std::string& path, CollectiveType type);
/// Whether a name is that of a file or job and not of an algorithm.
bool is_custom_algorithm(const std::string& name);

/// The parts of read_custom_algorithms. A program that works in either place is read for in place, or for
/// out of place if `out_of_place`.
CustomAlgorithm read_msccl_file(const std::string& path, bool out_of_place = false);
CustomAlgorithm read_chakra_algorithm(const std::string& prefix, CollectiveType type);
void prove(const CustomAlgorithm& algorithm);

}  // namespace wafertlm
