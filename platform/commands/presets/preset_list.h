// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace wafertlm {

/// A preset, and what it is in a line.
struct Preset {
  std::string kind, name, what;  ///< kind: its folder below configs/, "platforms"
  std::filesystem::path file;
};

/// The first sentence of the comment at the top of a file; without one what its first key names it.
std::string first_words(const std::filesystem::path& file);

/// Those of these folders.
std::vector<Preset> presets_of(const std::vector<std::string>& kinds);

/// Whether `text` has all the words, upper and lower case alike.
bool has_words(const std::string& text, const std::vector<std::string>& words);

}  // namespace wafertlm
