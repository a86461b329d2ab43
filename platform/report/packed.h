// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace wafertlm {

/// Compressed (zlib's format, RFC 1950), as base64 (RFC 4648): what a page inflates with DecompressionStream.
/// @throws std::runtime_error: zlib cannot.
std::string deflated_base64(std::string_view text);

}  // namespace wafertlm
