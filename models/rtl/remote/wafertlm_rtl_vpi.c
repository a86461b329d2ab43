// SPDX-License-Identifier: Apache-2.0
// VPI: the functions of wafertlm_rtl.h as $wafertlm_rtl_... for simulators without DPI.
#include <stddef.h>
#include <vpi_user.h>

#include "wafertlm_rtl.h"

static vpiHandle call(void) { return vpi_handle(vpiSysTfCall, NULL); }

static PLI_INT32 give(int number) {
  s_vpi_value value;
  value.format = vpiIntVal;
  value.value.integer = number;
  vpi_put_value(call(), &value, NULL, vpiNoDelay);
  return 0;
}

/// The first argument.
static const char* text(void) {
  vpiHandle arguments = vpi_iterate(vpiArgument, call());
  s_vpi_value value;
  value.format = vpiStringVal;
  vpi_get_value(vpi_scan(arguments), &value);
  vpi_free_object(arguments);
  return value.value.str;
}

static PLI_INT32 tell(PLI_BYTE8* data) {
  (void)data;
  wafertlm_rtl_tell(text());
  return 0;
}

static PLI_INT32 put(PLI_BYTE8* data) {
  vpiHandle arguments = vpi_iterate(vpiArgument, call());
  s_vpi_value word, value;
  (void)data;
  word.format = vpiIntVal;
  vpi_get_value(vpi_scan(arguments), &word);
  value.format = vpiVectorVal;
  vpi_get_value(vpi_scan(arguments), &value);
  vpi_free_object(arguments);
  wafertlm_rtl_put_word(word.value.integer, (unsigned)(value.value.vector->aval & ~value.value.vector->bval),
                        (unsigned)value.value.vector->bval);
  return 0;
}

static PLI_INT32 open_at(PLI_BYTE8* data) {
  (void)data;
  return give(wafertlm_rtl_open(text()));
}

static PLI_INT32 exchange(PLI_BYTE8* data) {
  (void)data;
  return give(wafertlm_rtl_exchange());
}

static PLI_INT32 next_input(PLI_BYTE8* data) {
  (void)data;
  return give(wafertlm_rtl_next_input());
}

static PLI_INT32 get(PLI_BYTE8* data) {
  (void)data;
  return give(wafertlm_rtl_get());
}

static void add(PLI_INT32 type, const char* name, PLI_INT32 (*calls)(PLI_BYTE8*)) {
  s_vpi_systf_data made = {type, vpiIntFunc, (PLI_BYTE8*)name, calls, NULL, NULL, NULL};
  vpi_register_systf(&made);
}

static void add_all(void) {
  add(vpiSysTask, "$wafertlm_rtl_tell", tell);
  add(vpiSysTask, "$wafertlm_rtl_put", put);
  add(vpiSysFunc, "$wafertlm_rtl_open", open_at);
  add(vpiSysFunc, "$wafertlm_rtl_exchange", exchange);
  add(vpiSysFunc, "$wafertlm_rtl_next_input", next_input);
  add(vpiSysFunc, "$wafertlm_rtl_get", get);
}

void (*vlog_startup_routines[])(void) = {add_all, NULL};
