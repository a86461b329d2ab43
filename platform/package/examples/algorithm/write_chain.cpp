// SPDX-License-Identifier: Apache-2.0
// write_chain NPUS CHUNKS: an all-reduce along a chain, as a program of MSCCL. Chunk after chunk goes from
// the last rank to rank 0, each rank adding its own, and the sum goes back.
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

/// A threadblock of one step per chunk. `after`: the threadblock whose step of the chunk must be done before;
/// -1: none.
void threadblock(int number, const std::string& type, int send, int receive, int chunks, int after) {
  std::cout << "    <tb id=\"" << number << "\" send=\"" << send << "\" recv=\"" << receive << "\" chan=\""
            << number << "\">\n";
  for (int chunk = 0; chunk < chunks; ++chunk)
    std::cout << "      <step s=\"" << chunk << "\" type=\"" << type << "\" srcbuf=\"i\" srcoff=\"" << chunk
              << "\" dstbuf=\"i\" dstoff=\"" << chunk << "\" cnt=\"1\" depid=\"" << after << "\" deps=\""
              << (after < 0 ? -1 : chunk) << "\" hasdep=\"0\"/>\n";
  std::cout << "    </tb>\n";
}

}  // namespace

int main(int argc, char** argv) {
  const int npus = argc > 1 ? std::atoi(argv[1]) : 0, chunks = argc > 2 ? std::atoi(argv[2]) : 0;
  if (npus < 2 || chunks < 1) {
    std::cerr << "write_chain NPUS CHUNKS, at least 2 and 1\n";
    return 2;
  }
  std::cout << "<algo name=\"chain\" proto=\"Simple\" nchannels=\"2\" nchunksperloop=\"" << chunks
            << "\" ngpus=\"" << npus << "\" coll=\"allreduce\" inplace=\"1\">\n";
  for (int rank = 0; rank < npus; ++rank) {
    std::cout << "  <gpu id=\"" << rank << "\" i_chunks=\"" << chunks << "\" o_chunks=\"" << chunks
              << "\" s_chunks=\"0\">\n";
    const bool is_first = rank == 0, is_last = rank == npus - 1;
    const int down = is_first ? -1 : rank - 1, up = is_last ? -1 : rank + 1;
    threadblock(0, is_last ? "s" : is_first ? "rrc" : "rrcs", down, up, chunks, -1);
    threadblock(1, is_last ? "r" : is_first ? "s" : "rcs", up, down, chunks, is_first ? 0 : -1);
    std::cout << "  </gpu>\n";
  }
  std::cout << "</algo>\n";
}
