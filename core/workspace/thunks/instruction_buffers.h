// Where the values of a compiled module lie and which thunks run it, joined to its instructions: what a
// dump's buffer assignment and thunk sequence, or the buffer assignment within an HloProto, say of each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/workspace/open/opened.h"

namespace hilo {

// One value of an instruction (its output, or a part of it) in an allocation.
struct ValueSlice {
  InstructionId instruction;
  std::string shapeIndex;  // "{}", "{1,0}"
  std::string shape;       // as XLA prints it; "" when not known
  size_t allocation = 0;   // position in ModuleBuffers::allocations
  int64_t offsetBytes = 0;
  int64_t sizeBytes = 0;
  // Positions in the sequence of instructions, both inclusive; -1 when not known.
  int64_t liveStart = -1, liveEnd = -1;
};

struct AllocationFacts {
  int64_t index = 0;  // as XLA counts
  int64_t sizeBytes = 0;
  int64_t color = 0;           // memory space
  std::string kind;            // "parameter 3", "constant", "preallocated temp, maybe live out"
  std::vector<size_t> slices;  // positions in ModuleBuffers::slices, by offset
};

struct ThunkFacts {
  int64_t position = 0;  // in the order they are launched, nested ones counted
  std::string kind;      // "kKernel"
  std::string kernel;    // "" unless a kernel
  std::string description;
  uint32_t line = 0;  // in the file, from 1
  std::vector<InstructionId> instructions;
};

struct ModuleBuffers {
  std::string bufferPath;  // the file it was read from; "" when there is none
  std::string thunkPath;
  std::vector<AllocationFacts> allocations;
  std::vector<ValueSlice> slices;
  std::vector<ThunkFacts> thunks;
  // By instruction id: positions in `slices` and `thunks`.
  std::vector<std::vector<size_t>> slicesOf, thunksOf;
  // What could not be read or names no instruction of the module.
  Diagnostics diagnostics;

  bool empty() const { return slices.empty() && thunks.empty(); }
  const std::vector<size_t>& slicesOfInstruction(InstructionId id) const;
  const std::vector<size_t>& thunksOfInstruction(InstructionId id) const;
  // Slices of the same allocation whose bytes overlap those of `slice`, itself left out.
  std::vector<size_t> sharing(size_t slice) const;
};

// How XLA makes a kernel's name of an instruction's: what is no letter or digit becomes '_'.
std::string kernelNameOf(std::string_view instruction);

// What the dump has for this module's last stage. Reads files: run it in a job.
ModuleBuffers readBuffers(const OpenedDump& dump, size_t moduleIndex, const Module& module);
// What an HloProto holds.
ModuleBuffers readBuffers(const OpenedFile& file);

}  // namespace hilo
