// Arrays in tensor memory (sm_100), 128 lanes of 512 columns of 32 bits, and how the registers of a warpgroup
// move there and back. Source: PTX ISA 9.0, "Tensor Memory" and "tcgen05.ld".
#pragma once

#include <optional>
#include <string_view>

#include "core/compiler/codegen/warpgroup/register_array.h"
#include "core/compiler/codegen/warpgroup/tensor_memory_checks.h"
#include "core/compiler/codegen/warpgroup/thread_code.h"

namespace hilo::warpgroup {

struct TensorView {
  ElementType element = ElementType::F32;
  int64_t elementBits = 32;
  RegisterMap map;                 // warp and lane are the lane of tensor memory, the register is the column
  llvm::Value* address = nullptr;  // i32: the lane in the upper half, the column in the lower

  int64_t columns() const { return map.registersPerThread(); }
};

// A pointer to tensor memory, so many lanes and columns further.
llvm::Value* tensorPointer(ThreadCode& code, llvm::Value* address, int64_t lane, int64_t column);

// One tcgen05.ld or tcgen05.st, which each warp gives for its 32 lanes.
struct TensorPiece {
  std::string_view shape;  // "32x32b"
  int64_t times = 1;       // .x1 to .x128
  int64_t lane = 0, column = 0;
  bool isPacked = false;  // a register is the lower halves of two columns
  // Of each register the elements that a thread holds in it, from the lower bits on.
  std::vector<std::vector<size_t>> registers;
};

// All of an array; nothing where no instruction gives each thread what `registers` says it holds.
std::optional<std::vector<TensorPiece>> tensorPieces(const TensorView& view, const RegisterMap& registers);

}  // namespace hilo::warpgroup
