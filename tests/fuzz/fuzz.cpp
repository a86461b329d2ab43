// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <typeinfo>

#include "platform/host/bad_input.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::fuzz {

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

const std::string& folder() {
  static const test::TempFolder folder;
  return folder.path();
}

std::string write(const std::string& name, const std::string& text) {
  std::string path = folder() + "/" + name;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  require(file.good(), path + " cannot be written");
  return path;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void require_refusal(const std::exception& error) {
  const std::string what = error.what();
  require(is_bad_input(error),
          std::string("not refused as bad input: ") + typeid(error).name() + ": " + what);
  require(what.find(folder()) != std::string::npos, "a refusal that names no file: " + what);
}

}  // namespace wafertlm::fuzz
