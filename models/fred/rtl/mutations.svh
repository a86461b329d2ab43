// SPDX-License-Identifier: Apache-2.0
// Deliberate faults, for tests that show that they are found. They exist only with WAFERTLM_MUTATIONS, where the run
// chooses one: +fred_mutation=N. Without, each is a constant that synthesis removes.
`ifndef FRED_MUTATION
`ifdef WAFERTLM_MUTATIONS
`define FRED_MUTATION(n) (fred_mutation_pkg::selected == (n))
`else
`define FRED_MUTATION(n) 1'b0
`endif
`endif
