// SPDX-License-Identifier: Apache-2.0
#include "platform/host/digest.h"

#include <fmt/core.h>

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <system_error>
#include <tuple>

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
  }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string digits() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &size);
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256(std::string_view text) {
  Sha256 digest;
  digest.add(text);
  return digest.digits();
}

std::string sha256_of_file_now(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string block(1 << 16, '\0');
  Sha256 digest;
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    digest.add(std::string_view(block.data(), static_cast<std::size_t>(file.gcount())));
  }
  return digest.digits();
}

std::string sha256_of_file(const fs::path& file) {
  using Version = std::tuple<std::string, std::uintmax_t, fs::file_time_type::rep>;
  static std::map<Version, std::string> known;  // the cells of a study read the same traces
  std::error_code error;
  const fs::path path = fs::absolute(file, error);
  const auto size = fs::file_size(path, error);
  if (error) return sha256("");
  const auto time = fs::last_write_time(path, error).time_since_epoch().count();
  std::string& digest = known[{path.string(), size, time}];
  if (digest.empty()) digest = sha256_of_file_now(path);
  return digest;
}

}  // namespace wafertlm
