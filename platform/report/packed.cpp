// SPDX-License-Identifier: Apache-2.0
#include "platform/report/packed.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <climits>
#include <stdexcept>
#include <vector>

namespace wafertlm {

std::string deflated_base64(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::vector<unsigned char> bytes(size);
  const auto* const from = reinterpret_cast<const unsigned char*>(text.data());
  if (compress2(bytes.data(), &size, from, text.size(), Z_DEFAULT_COMPRESSION) != Z_OK || size > INT_MAX)
    throw std::runtime_error("the data of the page cannot be compressed");
  std::string base64((size + 2) / 3 * 4 + 1, '\0');  // and a null behind it
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()), bytes.data(), static_cast<int>(size));
  base64.pop_back();
  return base64;
}

}  // namespace wafertlm
