// SPDX-License-Identifier: Apache-2.0
// A stand-in for UVM, of what the examples name.
package uvm_pkg;
  function automatic void fatal(string id, string text);
    $display("%s: %s", id, text);
    $finish;
  endfunction

  class uvm_object;
    string object_name;
    function new(string name = "");
      object_name = name;
    endfunction
    virtual function string convert2string();
      return object_name;
    endfunction
  endclass

  class uvm_sequence_item extends uvm_object;
    function new(string name = "");
      super.new(name);
    endfunction
  endclass

  class uvm_sequence #(
      type T = uvm_sequence_item
  ) extends uvm_object;
    function new(string name = "");
      super.new(name);
    endfunction
    virtual task body();
    endtask
    virtual task start_item(uvm_sequence_item item);
    endtask
    virtual task finish_item(uvm_sequence_item item);
    endtask
  endclass
endpackage
