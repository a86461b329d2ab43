// SPDX-License-Identifier: Apache-2.0
`define uvm_object_utils(name)
`define uvm_fatal(id, text) uvm_pkg::fatal(id, text);
