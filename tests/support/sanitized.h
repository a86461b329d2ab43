// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wafertlm::test {

/// Whether this is a sanitizer build, ten times slower: long random tests run fewer cases.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

}  // namespace wafertlm::test
