// SPDX-License-Identifier: Apache-2.0
// Between a Node and Chakra's protobuf message. Used by EtReader and EtWriter only.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/chakra/node.h"
#include "workloads/chakra/node_source.h"
#include "workloads/chakra/tensors.h"

namespace ChakraProtoMsg {
class GlobalMetadata;
class Node;
}  // namespace ChakraProtoMsg

namespace wafertlm::chakra::wire {

/// Chakra's durations are in microseconds.
constexpr std::uint64_t kPsPerMicro = 1'000'000;

/// Our own attributes. Other tools ignore attributes that they do not know.
constexpr const char* kDurationPs = "wafertlm_duration_ps";  ///< node, uint64: replaces duration_micros
constexpr const char* kCommClass = "wafertlm_class";         ///< node, string: traffic class
constexpr const char* kIoStream = "wafertlm_io";             ///< node, bool: see Node::io_stream
/// node, list of uint64: m, n, k, count of each product, see Node::products
constexpr const char* kProducts = "wafertlm_products";
constexpr const char* kSendBytes = "wafertlm_send_bytes";  ///< node, uint64 list: see Node::send_bytes
constexpr const char* kReceiveBytes = "wafertlm_receive_bytes";
constexpr const char* kUnit = "wafertlm_unit";                 ///< node, uint32: see Node::unit
constexpr const char* kMemoryBytes = "wafertlm_memory_bytes";  ///< metadata, uint64: NodeSource::memory_bytes
constexpr const char* kNodeCount = "wafertlm_nodes";           ///< metadata, fixed64: nodes in the file
constexpr const char* kSet = "wafertlm_set";                   ///< metadata, fixed64: see stamp_set; 0: none

/// Fills `node`. Any integer width is accepted for an integer attribute; attributes that nobody knows are
/// counted. @throws std::invalid_argument: type unknown, a required attribute missing, a wrong type, out of
/// range, given twice.
void from_wire(const ChakraProtoMsg::Node& message, Node& node, AttributeCounts& unknown);

/// @throws std::invalid_argument: an attribute that this type of node needs is missing, or it cannot have
/// one.
void check_required(const Node& node);

/// @throws std::invalid_argument: a size above 2^63 - 1 (the format's integer is signed).
void to_wire(const Node& node, const NodeIo& io, ChakraProtoMsg::Node& message);

/// The schema version the metadata declares ("" if it declares none) after checking that it is one we know.
/// @throws std::invalid_argument
std::string checked_version(const ChakraProtoMsg::GlobalMetadata& metadata);

/// Four numbers per product, and back. @throws std::invalid_argument: not fours, or a 0.
std::vector<MatrixProduct> to_products(const std::vector<std::uint64_t>& numbers);
std::vector<std::uint64_t> to_numbers(const std::vector<MatrixProduct>& products);

/// The number that the file's writer gave as this attribute, if it did. @throws std::invalid_argument
std::optional<std::uint64_t> declared(const ChakraProtoMsg::GlobalMetadata& metadata, std::string_view name);

}  // namespace wafertlm::chakra::wire
