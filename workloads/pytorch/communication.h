// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/chakra/node.h"

namespace wafertlm::pytorch {

/// What a trace says of a communication.
struct Communication {
  /// Where it says so; of two events around one kernel the later in this list knows more.
  enum class Source : std::uint8_t {
    operation,   ///< an operator of c10d and the like
    annotation,  ///< "nccl:all_reduce"
    arguments    ///< of `record_param_comms`, in the host or the device trace
  };

  std::string name;            ///< as PyTorch has it: "allreduce", "all_to_allv", "wait", "send"
  std::uint64_t in_bytes = 0;  ///< of this rank
  std::uint64_t out_bytes = 0;
  Source source = Source::arguments;
  bool has_size = false;                    ///< else the bytes are not told
  std::optional<std::string> unknown_type;  ///< the data type for which there is no size
  bool is_said_too = false;  ///< another event says the same communication, and is the one that counts
  std::string group;         ///< name of the process group, or the number that stands for it
  std::vector<std::uint32_t> ranks;                ///< of the group; empty: not told
  std::uint32_t group_size = 0;                    ///< 0: not told
  std::vector<std::uint64_t> in_split, out_split;  ///< elements for and from each rank; empty: equal parts
  std::optional<std::uint32_t> peer;               ///< of a send or receive: its number in the group
  std::optional<std::uint64_t> sequence;           ///< the number by which a wait names what it waits for
};

/// What it is in Chakra's terms.
struct CommunicationKind {
  chakra::NodeType type = chakra::NodeType::Invalid;  ///< COMM_COLL, COMM_SEND or COMM_RECV
  chakra::CollectiveType collective = chakra::CollectiveType::AllReduce;  ///< of COMM_COLL
};

/// By PyTorch's names ("allreduce", "_allgather_base", "reduce_scatter_tensor_coalesced" …); nothing for what
/// moves no data ("wait", "init") and for names that are not known.
std::optional<CommunicationKind> communication_kind(std::string_view name);
/// The library of communication that a kernel's name is of ("NCCL", "oneCCL" …); nothing for other kernels.
std::optional<std::string_view> communication_library(std::string_view kernel);

/// Bytes of an element: "Float", "float", "BFloat16", "c10::Half", "long int" …; nothing for other names.
std::optional<std::uint32_t> element_bytes(std::string_view dtype);

/// Numbers in a text like "[0, 1, 2]"; nothing if it is of another form, or shortened ("[0, 1, ..., 63]").
std::optional<std::vector<std::uint64_t>> number_list(std::string_view text);

}  // namespace wafertlm::pytorch
