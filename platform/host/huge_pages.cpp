// SPDX-License-Identifier: Apache-2.0
#include "platform/host/huge_pages.h"

#include <cstdint>
#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace wafertlm {

void prefer_huge_pages() {
#ifdef __GLIBC__
  // One extension of the heap, whose pages exist once they are touched; advice holds for addresses that are
  // there.
  constexpr int kReserved = 1 << 30, kLargestInHeap = 32 << 20, kBeyond = 4 << 20;
  constexpr std::size_t kPage = 4096, kMoreThanLeft = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargestInHeap);
  mallopt(M_TRIM_THRESHOLD, kReserved);
  mallopt(M_TOP_PAD, kReserved);
  void* const extend = std::malloc(kMoreThanLeft);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)) / kPage * kPage;
  const auto begin = (reinterpret_cast<std::uintptr_t>(extend) + kPage - 1) / kPage * kPage;
  // Where the heap could not grow, the block lies elsewhere.
  if (begin < end && end - begin <= std::size_t{kReserved} + 2 * kMoreThanLeft)
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  std::free(extend);
  mallopt(M_TOP_PAD, kBeyond);
#endif
}

}  // namespace wafertlm
