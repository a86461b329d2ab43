// SPDX-License-Identifier: Apache-2.0
// DPI-C: the functions of wafertlm_rtl.h have its types already, but for a word of four states.
#include <svdpi.h>

#include "wafertlm_rtl.h"

#ifdef __cplusplus
extern "C"
#endif
    void
    wafertlm_rtl_put(int word, const svLogicVecVal* value) {
  wafertlm_rtl_put_word(word, value->aval & ~value->bval, value->bval);
}
