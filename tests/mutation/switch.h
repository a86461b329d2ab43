// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

/// In every mutated file. WAFERTLM_MUTANT is the number of the mutant that is on; into the file
/// WAFERTLM_MUTANTS_REACHED, one byte for each mutant, goes a 1 for each that is passed.
namespace wafertlm_mutation {

struct Switch {
  int mutant = 0;
  unsigned char* reached = nullptr;
  long size = 0;

  Switch() {
    if (const char* number = std::getenv("WAFERTLM_MUTANT")) mutant = std::atoi(number);
    const char* path = std::getenv("WAFERTLM_MUTANTS_REACHED");
    const int file = path ? open(path, O_RDWR) : -1;
    if (file < 0) return;
    size = lseek(file, 0, SEEK_END);
    void* memory = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) reached = static_cast<unsigned char*>(memory);
    close(file);
  }
};

inline bool on(int number) {
  static const Switch state;
  if (state.reached != nullptr && number < state.size) state.reached[number] = 1;
  return number == state.mutant;
}

}  // namespace wafertlm_mutation
