// The thunks of one of our programs in XLA:CPU's form, for its tools and for comparing: what kinds there are,
// which bytes they use, what must keep its order. It is no program: kernels and constants are not in it.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/proto/schema/cpu_thunk.pb.h"
#include "core/runtime/program/program.h"

namespace hilo {

struct XlaThunks {
  pb::cpu::ThunkSequenceProto sequence;
  // What XLA has no counterpart of, by kind and name: these stand as custom calls ("hilo$sort") of the bytes
  // they read and write. And which parts of others are not said.
  std::vector<std::string> notes;
};

// Kernels are called by their thunks' names. Where the program knows no shape, bytes are an array of u8.
XlaThunks toXlaThunks(const Program& program);

}  // namespace hilo
