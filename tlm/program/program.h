// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/program/data_type.h"

namespace wafertlm {

class EqualPlaces;

struct Step {
  enum class Kind : std::uint8_t {
    send,          ///< done when the last byte has left the NPU
    copy,          ///< receive and store
    reduce,        ///< receive and add to what is there
    flow_send,     ///< contribute to in-network flow `tag`; done when the last byte has left the NPU
    flow_copy,     ///< store what comes out of in-network flow `tag`
    local_copy,    ///< within the rank's buffer, from `tag` to `offset`; takes `delay_ps`
    local_reduce,  ///< … added to what is there
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Kind kind = Kind::send;
  std::uint32_t peer = 0;    ///< position in the group; flow_send and flow_copy have none
  std::uint64_t offset = 0;  ///< in the rank's buffer, bytes
  std::uint64_t bytes = 0;   ///< 0: nothing crosses the fabric, the step is done at once
  /// The same at sender and receiver, unique per pair and direction. Of local steps: where in the buffer the
  /// values come from.
  std::uint64_t tag = 0;
  /// The step may start when the first `after_count` steps of threadblock `after_threadblock` are done.
  std::uint32_t after_threadblock = kNone;
  std::uint32_t after_count = 0;
  /// Sends and receives: the threadblock goes on as soon as the step has been started. What is sent is what
  /// the buffer holds then.
  bool nonblocking = false;
  /// The step starts when all nonblocking receives of its threadblock are done.
  bool wait_all = false;
  /// The threadblock enters a stage: what it sends from here on goes to the NPU's ports in the order of
  /// `port_order`, the smaller first, then by the order in which the stages were entered. (Fabrics whose NPUs
  /// have a port per link.)
  bool starts_stage = false;
  std::uint64_t port_order = 0;
  /// Of a send: from the start of the step, beside the endpoint's step cost. Of a local step: all of it.
  TimePs delay_ps = 0;
  /// Of a receive: pays for the reduction of so many bytes; kOwnBytes: of its own, if it reduces.
  std::uint64_t reduced_bytes = kOwnBytes;
  static constexpr std::uint64_t kOwnBytes = ~std::uint64_t{0};

  std::uint64_t paid_reduction() const {
    return reduced_bytes != kOwnBytes ? reduced_bytes : kind == Kind::reduce ? bytes : 0;
  }
  bool is_local() const { return kind == Kind::local_copy || kind == Kind::local_reduce; }
};

void do_locally(const Step& step, DataType type, std::byte* buffer);

struct BufferPiece {
  std::uint64_t offset = 0, bytes = 0;
};

/// Whose vectors an in-network flow adds up, and who gets the sum; positions in the group, ascending. With
/// one contributor it is a multicast.
struct FlowMembers {
  std::vector<std::uint32_t> contributors, receivers;
};

/// The order in which values are added: `from` is added to what `into` holds, and gone. The numbers are
/// positions in a list: the inputs of a switch, or the contributors of a flow. The sum ends up in the last
/// `into`. Empty: a copy.
struct Addition {
  std::uint32_t into = 0, from = 0;
  bool operator==(const Addition& other) const { return into == other.into && from == other.from; }
};
using AdditionOrder = std::vector<Addition>;
/// How a fabric adds up a flow, in positions of `contributors`.
using FlowAdditions =
    std::function<AdditionOrder(const std::vector<NpuId>& contributors, const std::vector<NpuId>& receivers)>;

/// What one rank does in a collective: threadblocks of steps. The steps of a threadblock run one after the
/// other, threadblocks run side by side. Steps are computed when they are reached, so a program takes no
/// memory per step.
class StepSource {
 public:
  virtual ~StepSource() = default;
  virtual std::uint32_t threadblocks() const = 0;
  virtual std::uint32_t steps(std::uint32_t threadblock) const = 0;
  /// Requires threadblock < threadblocks() and index < steps(threadblock).
  virtual Step step(std::uint32_t threadblock, std::uint32_t index) const = 0;
  /// Step::wait_all, where that is known without the rest.
  virtual bool wait_all(std::uint32_t threadblock, std::uint32_t index) const {
    return step(threadblock, index).wait_all;
  }
  /// What a threadblock sends is received by the threadblock of the same number.
  virtual bool keeps_threadblocks() const { return false; }
  /// The parts of the buffer that a step sends or receives, in order; Step::bytes in all.
  virtual std::vector<BufferPiece> pieces(std::uint32_t threadblock, std::uint32_t index) const;
  /// The members of flow `tag`, the same from every rank's source. @throws std::logic_error: it has no flows.
  virtual FlowMembers flow(std::uint64_t tag) const;
  /// What the rank does instead if the fabric decides that the collective cannot use its flows; null: the
  /// collective does not ask. All ranks have one or none.
  virtual const StepSource* endpoint_steps() const { return nullptr; }
  /// How the ranks' places follow each other, if all ranks do the same; null: they do not, or nobody knows.
  virtual const EqualPlaces* places() const { return nullptr; }
  /// Where a step is written, for messages: "ring.xml:12"; empty: nowhere.
  virtual std::string origin(std::uint32_t /*threadblock*/, std::uint32_t /*index*/) const { return {}; }
};

/// What a collective does with the ranks' buffers. `bytes` is always the full vector (nccl-tests convention),
/// cut into a block per rank by position in the group; blocks differ by at most one element. All but
/// all_to_all work in place, on a buffer of `bytes`; what is not named as a result is scratch.
enum class CollectiveType {
  all_reduce,      ///< before: a vector everywhere; after: their sum everywhere
  all_gather,      ///< before: block r at rank r; after: all blocks everywhere
  reduce_scatter,  ///< before: a vector everywhere; after: block r of the sum at rank r
  all_to_all,      ///< the vector to send, behind it the received one: block r of rank j at j · (its length)
  broadcast,       ///< before: a vector at the root; after: the same everywhere
  reduce,          ///< before: a vector everywhere; after: their sum at the root
  gather,          ///< before: block r at rank r; after: all blocks at the root
  scatter,         ///< before: a vector at the root; after: block r at rank r
  barrier,         ///< an all-reduce of kBarrierBytes: who holds the sum knows that everybody has entered
};
constexpr CollectiveType kCollectiveTypes[] = {
    CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter,
    CollectiveType::all_to_all, CollectiveType::broadcast,  CollectiveType::reduce,
    CollectiveType::gather,     CollectiveType::scatter,    CollectiveType::barrier};
/// The smallest message that every data type can fill: a barrier's.
constexpr std::uint64_t kBarrierBytes = 4;
/// Broadcast, reduce, gather, scatter.
bool has_root(CollectiveType type);
const char* to_string(CollectiveType type);

/// The NPUs of a collective; the position in the list is the rank.
using Group = std::vector<NpuId>;

/// A program with the name and the group it belongs to. The same for all ranks, hence a source per rank.
struct CollectiveProgram {
  CollectiveType type{};
  std::string algorithm;
  std::uint32_t chunks = 1;  ///< pieces that pipeline
  Group group;
  std::uint64_t bytes = 0;         ///< full vector per rank (nccl-tests convention)
  std::uint64_t buffer_bytes = 0;  ///< that the steps' offsets lie in
  std::uint32_t root = 0;          ///< position in the group; of rooted collectives
  DataType data_type{};            ///< of the values in functional mode
  std::vector<std::unique_ptr<StepSource>> ranks;

  bool is_relay(std::uint32_t rank) const { return !relays.empty() && relays[rank]; }
  std::vector<bool> relays;      ///< by rank: has and gets no values, only passes on; empty: nobody
  FlowAdditions flow_additions;  ///< empty: no flows, or the order does not matter
  /// Owns what the ranks do if the fabric cannot carry the flows (StepSource::endpoint_steps); null: none.
  std::shared_ptr<const CollectiveProgram> decomposed;
};

}  // namespace wafertlm
