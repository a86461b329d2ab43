// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/presets/preset_list.h"

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <string_view>

#include "platform/describe/preset_files.h"
#include "tlm/input/file.h"

namespace wafertlm {
namespace {

/// Lines that are for programs.
bool is_of_people(const std::string& line) {
  return line.find("SPDX-License") == std::string::npos &&
         line.find("yaml-language-server") == std::string::npos;
}

}  // namespace

std::string first_words(const std::filesystem::path& file) {
  constexpr std::size_t kLeast = 16;  // fewer characters say too little
  auto text = open_input(file.string());
  std::string comment, name;
  for (std::string line; name.empty() && std::getline(text, line);) {
    if (line.empty() || line.front() != '#') {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos && line.rfind("extends", 0) != 0) name = line.substr(colon + 2);
    } else if (is_of_people(line)) {
      comment += line.substr(1);
    }
  }
  boost::algorithm::trim(comment);
  for (const std::string_view end : {". ", "; ", ": "})
    if (const std::size_t at = comment.find(end, kLeast); at != std::string::npos) comment.resize(at);
  while (!comment.empty() && std::string_view(".:;,").find(comment.back()) != std::string_view::npos)
    comment.pop_back();
  boost::algorithm::trim_if(name, [](char c) { return c == '"' || c == ' '; });
  return comment.empty() ? name : comment;
}

std::vector<Preset> presets_of(const std::vector<std::string>& kinds) {
  std::vector<Preset> all;
  for (const std::string& kind : kinds)
    for (const std::string& name : preset_names(kind)) {
      const std::filesystem::path file = configs_folder() / kind / (name + ".yaml");
      all.push_back({kind, name, first_words(file), file});
    }
  return all;
}

bool has_words(const std::string& text, const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return boost::algorithm::icontains(text, word); });
}

}  // namespace wafertlm
