// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "platform/describe/node.h"

namespace wafertlm::config {

/// Names the file that this one changes: `extends: other.yaml`, relative to the file that says so, or a
/// preset: `extends: fred_d`.
constexpr std::string_view kExtendsKey = "extends";

/// The map in a YAML file, with its `extends` chain merged below it.
/// @throws ConfigError: missing or empty file, several documents, not a map, YAML syntax, duplicate keys,
/// tags, an anchor inside itself, a cycle of `extends`.
Node load_document(const std::string& path);
/// The same of a file with the top-level key `key`; `example` is one. @throws ConfigError also if it has
/// none.
Node load_document(const std::string& path, const std::string& key, const std::string& example);

/// Replaces a scalar that names a file, or a preset, by that file's map; `kind` ("platform") is for the
/// message when there is none. @param presets their folder ("platforms"); "": there are none of this kind
void load_file_into(Node& reference, std::string_view kind, const std::string& presets = {});

/// Merges a map that says `extends` over the file it names.
void apply_extends(Node& map, const std::string& presets = {});

/// The file that a value at `place` names: relative to the file there, or else the preset of this name.
std::string named_file(const SourceLocation& place, const std::string& name, const std::string& presets);
/// "; did you mean 'gpt3'?" of a value that names none. @param file as of named_file()
std::string nearest_named(const SourceLocation& place, const std::string& name, const std::string& file,
                          const std::string& presets);

/// The value of an override, in YAML flow style ("1.5 TB/s", "[[0, 1]]"). Everything in it has the place
/// `source`.
Node parse_override_value(const std::string& text, const std::string& source);

/// `path` as seen from the place that mentions it.
std::string relative_to(const SourceLocation& place, const std::string& path);

/// "; did you mean 'dir/x.yaml'?" when the folder has a file of a similar name.
std::string nearest_file(const std::string& path);

}  // namespace wafertlm::config
