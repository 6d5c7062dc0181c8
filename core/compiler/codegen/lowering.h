// Lowers one module. The state all the parts share (lower_*.cpp); compile_module.cpp drives it.
#pragma once

#include "core/compiler/codegen/element_emitter.h"
#include "core/compiler/codegen/temporary_space.h"
#include "core/hlo/ir/module.h"
#include "core/runtime/program/program.h"

namespace hilo {

// One array of a value while the program is made.
struct LeafValue {
  SlabPointer slab;
  bool mayWrite = true;  // false: a view of what belongs to an outer computation
};
using LeafValues = std::vector<LeafValue>;  // the array leaves of a shape, in order

class Lowering {
 public:
  explicit Lowering(const Module& module) : module_(module) {}

  // Fills program (all but objects) and the bitcode of its kernels. Error kinds: "codegen-failed",
  // "too-large".
  Status lower();

  Program program;
  std::vector<std::string> kernelSources;

 private:
  // One computation as it is run from one place.
  struct Scope {
    const Computation& computation;
    uint32_t sequence;  // where its thunks go
    absl::flat_hash_map<const Instruction*, LeafValues> values;
    absl::flat_hash_map<const Instruction*, size_t> lastUse;  // place in the computation
    size_t at = 0;                                            // place of the instruction being lowered
  };

  Status addParameters(Scope& scope);
  Result<LeafValues> lowerComputation(Scope& scope);
  Status lowerInstruction(const Instruction& instruction, Scope& scope);
  void release(const Instruction& instruction, Scope& scope);

  // Values.
  LeafValue newLeaf(Shape array);
  LeafValues newLeaves(Shape shape);
  LeafValue constantLeaf(const Literal& literal);
  const LeafValues& valuesOf(const Instruction& instruction, Scope& scope);
  const LeafValue& leafOf(const Instruction& array, Scope& scope) { return valuesOf(array, scope)[0]; }
  // True when nothing reads the array after this instruction, which may therefore write over it.
  bool isLastUse(const LeafValue& leaf, const Instruction& user, Scope& scope) const;
  void copy(const Instruction& why, const LeafValue& from, const LeafValue& to, uint32_t sequence);
  void addThunk(const Instruction& instruction, ThunkBody body, int64_t costNs, uint32_t sequence);
  uint32_t addSequence();

  // Kernels (lower_kernel.cpp).
  Status lowerElementKernel(const Instruction& instruction, Scope& scope);
  Status lowerFusion(const Instruction& instruction, Scope& scope);
  // `update` is the instruction itself or the root of the fusion it is.
  Status lowerUpdateInPlace(const Instruction& instruction, const Instruction& update, Scope& scope);
  Status lowerScatter(const Instruction& instruction, Scope& scope);
  Status lowerRandomBits(const Instruction& instruction, Scope& scope);
  Status lowerSort(const Instruction& instruction, Scope& scope);
  // The thunk for a product a library does better, if this is one.
  bool lowerLibraryDot(const Instruction& instruction, Scope& scope);
  uint32_t addKernel(std::string_view name, KernelBuilder& kernel);
  friend class KernelDraft;

  // Control flow (lower_control.cpp).
  Status lowerCall(const Instruction& instruction, const Computation& called, Scope& scope);
  Status lowerWhile(const Instruction& instruction, Scope& scope);
  Status lowerConditional(const Instruction& instruction, Scope& scope);
  LeafValues readOnly(const LeafValues& values) const;
  void storeState(const Instruction& loop, const LeafValues& next, const LeafValues& state,
                  uint32_t sequence);

  const Module& module_;
  TemporarySpace space_;
  size_t thunkCount_ = 0;
  int depth_ = 0;
};

// The place of leaf `index` of a tuple's element among all its leaves.
size_t firstLeafOf(Shape tuple, size_t element);

}  // namespace hilo
