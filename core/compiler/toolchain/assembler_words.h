// What an assembler of PTX says, ptxas's way and nvJitLink's: what each kernel takes, and what is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace hilo {

// What a kernel takes of a GPU, as the assembler says.
struct KernelResources {
  std::string kernel;
  int registers = 0;                                                // of a thread
  int64_t spillStoreBytes = 0, spillLoadBytes = 0, stackBytes = 0;  // of a thread
  int64_t sharedBytes = 0;                                          // of a block
  int barriers = 0;
  friend bool operator==(const KernelResources&, const KernelResources&) = default;
};

// In the order they are named. Text that says nothing of a kernel is passed over.
std::vector<KernelResources> resourcesIn(std::string_view words);

// Its complaints, each with its own words; place.line is the line of the PTX, which is quoted in a note.
// Kinds: "ptx-refused", or "ptx-too-new" of the PTX's version, "unsupported-gpu" of an unknown target.
Diagnostics complaintsIn(std::string_view words, std::string_view ptx);

}  // namespace hilo
