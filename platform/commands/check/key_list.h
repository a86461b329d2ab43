// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/describe/file_kind.h"

namespace wafertlm {

/// A key of a kind of file.
struct KeyRow {
  std::string kind;   ///< the key at the top of such files: "platform"
  std::string path;   ///< "wafer.fabric.link_bandwidth", of items of lists "axes[].set"
  std::string value;  ///< "bandwidth from 1 B/s to 9 PB/s, such as 750 GB/s"; "keys below" of a map
  std::string unit;   ///< of a quantity what it counts: "bandwidth"; else empty
  std::string usual;  ///< its default; "required"; empty: not given
  std::string what;   ///< its description
};

/// All keys of these kinds; what other files hold is listed with those.
std::vector<KeyRow> key_rows(const std::vector<config::FileKind>& kinds);

/// What may be written, in words, of a JSON Schema of a value.
std::string value_words(const config::Json& schema);

}  // namespace wafertlm
