// SPDX-License-Identifier: Apache-2.0
// What the tables of bad input share.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/text/config_error.h"

namespace wafertlm::config {

struct Bad {
  std::string text;
  std::string place;  // ":line:column:", or "" when the file as a whole is meant
  std::vector<std::string> words;
};

// Seven lines, so that what is added stands in line 8.
inline const std::string kGood =
    "# a comment\n"
    "platform: small\n"
    "wafer:\n"
    "  width: 3\n"
    "  height: 2\n"
    "  fabric:\n"
    "    link_bandwidth: 100 GB/s\n";

/// `load` must throw one line that starts with `file` and the place, and has all the words.
template <class Load>
void expect_error(const Bad& bad, const std::string& file, Load load) {
  try {
    load();
    ADD_FAILURE() << "accepted:\n" << bad.text;
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.substr(0, file.size() + bad.place.size()), file + bad.place) << message << '\n'
                                                                                   << bad.text;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    for (const std::string& word : bad.words)
      EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  }
}

}  // namespace wafertlm::config
