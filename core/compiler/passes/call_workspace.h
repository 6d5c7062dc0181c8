// The workspace of a call to a library, the last element of what it gives: sized by a pass of its own, behind
// the one that makes the call.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// What the call becomes.
struct SizedCall {
  std::string_view target;
  int64_t bytes = 0;   // of workspace; rounded up as GPUs lay out buffers
  std::string config;  // of the call
};

// Whether nothing reads its result whole, so that the workspace may change its size.
bool mayGetWorkspace(const Instruction& call);

// A call of FFI in place of this one, which goes.
void giveWorkspace(Instruction& call, const SizedCall& sized, PassContext& context);

}  // namespace hilo
