// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace wafertlm::chakra {

/// A list of a node's tensors as the text of the trace: IOInfo of Chakra's schema.
struct IoText {
  std::string_view values, shapes, types;
  bool empty() const { return values.empty() && shapes.empty() && types.empty(); }
};
/// What a node reads and writes.
struct NodeIo {
  IoText inputs, outputs;
};

/// A tensor that lies in the memory of an NPU. Tensors of one storage share its bytes.
struct TensorUse {
  std::uint64_t storage = 0;
  std::uint64_t bytes = 0;  ///< of the storage, up to the tensor's end; at most kMostTensorBytes
};
constexpr std::uint64_t kMostTensorBytes = std::uint64_t{1} << 56;

/// The tensors of `text.values`, a list of Python values as PyTorch's execution traces have it: a tensor is
/// [tensor, storage, offset, elements, bytes of an element, 'device'], wherever in the list; those of the
/// devices cpu and meta are left out. @return false if the text does not say all: it is empty or no list of
/// values, or has fewer tensors than text.types. `found` then has those that it does say.
bool read_tensors(const IoText& text, std::vector<TensorUse>& found);

}  // namespace wafertlm::chakra
