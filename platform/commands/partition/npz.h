// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/commands/partition/chain.h"

namespace wafertlm::partition {

/// How a file holds a matrix: PyTorch's Linear has a row for each output, Keras' Dense one for each input.
enum class Rows : std::uint8_t { outputs, inputs };

/// The matrices of a NumPy archive (numpy.savez, savez_compressed) as layers, in the order of the archive, or
/// those that `names` lists, in that order. Without names, arrays of one dimension (biases) are left out.
/// Read: little-endian floats of 16, 32 and 64 bits and integers of 8 to 64 bits, in C and Fortran order.
/// @throws std::invalid_argument naming the file and the array: not such a file, cut short, an array of
/// another type or shape or that is not there.
Chain read_npz(const std::string& path, const std::vector<std::string>& names, Rows rows);

/// One array of .npy form. @throws std::invalid_argument, whose text starts with `where`.
struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;  ///< in C order
};
NpyArray parse_npy(const std::string& bytes, const std::string& where);

}  // namespace wafertlm::partition
