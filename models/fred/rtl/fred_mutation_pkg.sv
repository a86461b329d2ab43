// SPDX-License-Identifier: Apache-2.0
// The deliberate fault of this run, 0: none (mutations.svh).
package fred_mutation_pkg;
`ifdef WAFERTLM_MUTATIONS
  int selected;
`endif
endpackage
