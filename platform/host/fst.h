// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace wafertlm {

/// Whether a waveform's name asks for GTKWave's compact format.
bool is_fst(const std::string& path);
/// @throws std::invalid_argument that names PATH: there is no vcd2fst.
void require_vcd2fst(const std::string& path);
/// @throws std::runtime_error
void vcd_to_fst(const std::string& vcd, const std::string& fst);

}  // namespace wafertlm
