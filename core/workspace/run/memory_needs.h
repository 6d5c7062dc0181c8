// What a run is going to take, known before it begins: so that it is refused in time, and not ended by the
// system. Private to the workspace.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct Program;

struct MemoryNeeds {
  int64_t devices = 1;
  int64_t arguments = 0;                 // of all devices: lists that several take are there once
  int64_t results = 0, temporaries = 0;  // of one device
  // Values of a device by size, the largest first, a few of them.
  std::vector<std::pair<std::string, int64_t>> largest;

  // INT64_MAX where it does not fit into 64 bits.
  int64_t total() const;
};

// What the compiled program takes. `module`, for names, may be null.
MemoryNeeds needsOf(const Program& program, const Module* module, int64_t lists, int64_t devices);
// What evaluating takes at least: at each instruction of the entry its operands and its result.
MemoryNeeds leastNeedsOf(const Module& module, int64_t lists, int64_t devices);

// Kind "out-of-memory" where it is more than `mostBytes`, with the bytes, the largest values and what helps.
Status checkNeeds(const MemoryNeeds& needs, int64_t mostBytes, std::string_view name);

}  // namespace hilo
