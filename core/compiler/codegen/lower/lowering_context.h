// What lowering an instruction may use: the values of the computation it stands in, and the program that
// thunks, kernels and memory are added to. An opcode's lowering is a free function of a lower_*.cpp with a
// line in a lowerings.def.
#pragma once

#include <functional>

#include "core/compiler/codegen/emit/kernel_builder.h"
#include "core/compiler/codegen/lower/codegen_engine.h"
#include "core/compiler/codegen/lower/device_work.h"
#include "core/compiler/codegen/lower/leaf_value.h"

namespace hilo {

// The program while it is made: what all computations of the module share.
struct ProgramDraft {
  static constexpr uint32_t kTemporaries = 0;  // the allocation

  const Module& module;
  const CodegenEngine& engine;
  const CodegenTarget& target;
  const VectorRegisters registers;
  const Bf16Rounding* const bf16Rounding;
  const FastMath fastMath;
  const bool keepsLines;  // the bitcode says what came of which instruction
  const DeviceWork& deviceWork;

  Program program = {};  // all but objects
  std::vector<std::string> kernelSources = {};
  std::vector<std::string> notes = {};  // what was asked for and is done otherwise, a sentence each
  Temporaries temporaries{kTemporaries};
  std::optional<Temporaries> hostTemporaries = {};  // values in the host's memory, where there are any
  LlvmKernelOptions kernelOptions = {};             // of the instruction being lowered
  std::optional<LeafValue> randomState = {};        // null where nothing takes from it
  std::optional<uint32_t> deviceIds = {};           // the allocation
  absl::flat_hash_map<const Instruction*, uint32_t> started = {};  // collectives, by their place in the table
  size_t thunkCount = 0;
  int depth = 0;  // of computations in each other
};

// One computation as it is run from one place.
class LoweringContext {
 public:
  // Its thunks go to `sequence`.
  LoweringContext(ProgramDraft& draft, const Computation& computation, uint32_t sequence)
      : draft(draft), computation(computation), sequence(sequence) {}

  ProgramDraft& draft;
  const Computation& computation;
  const uint32_t sequence;
  // Of the parameters, before lowerComputation, and of the instructions lowered so far and still needed.
  absl::flat_hash_map<const Instruction*, LeafValues> values;

  // Lowers all instructions and gives the root's value. Error kinds as compileModule.
  Result<LeafValues> lowerComputation();

  const LeafValues& valuesOf(const Instruction& instruction) const;
  const LeafValue& leafOf(const Instruction& array) const { return valuesOf(array)[0]; }
  // True when nothing reads the array after this instruction, which may therefore write over it. Arrays in
  // the host's memory stay as they are: what a result is made from lies elsewhere.
  bool isLastUse(const LeafValue& leaf, const Instruction& user) const;

  // In the memory that the array's layout asks for.
  LeafValue newLeaf(Shape array);
  LeafValues newLeaves(Shape shape);
  LeafValue constantLeaf(const Literal& literal);
  LeafValues constantLeaves(const Literal& literal);

  void addThunk(const Instruction& instruction, ThunkBody body, int64_t costNs);
  void copy(const Instruction& why, const LeafValue& from, const LeafValue& to);
  // Values of shape `from` in the memory and in the order of shape `to`: copied where the two differ.
  LeafValues arranged(const Instruction& why, LeafValues values, Shape from, Shape to);
  // The number of a program of Program::hosted that does what the module does.
  Result<uint32_t> addHosted(const Module& module);
  // Another sequence, for what a thunk runs.
  uint32_t addSequence();

  // A kernel is begun for the instruction.
  void startKernel(const Instruction& instruction, KernelBuilder& kernel) const;
  // The number in the program of a finished kernel, which is called with so many buffers.
  uint32_t addKernel(std::string_view name, KernelBuilder& kernel, size_t buffers);
  // The thunk that runs a kernel on `reads` and then `writes`.
  void addKernelThunk(const Instruction& instruction, KernelBuilder& kernel, std::vector<ReadSlice> reads,
                      const LeafValues& writes, int64_t iterations, int64_t costNs);
  // A kernel on arrays that are nobody's operands: its buffers are `reads`, then `writes`.
  void addKernelOn(const Instruction& instruction, const LeafValues& reads, const LeafValues& writes,
                   int64_t iterations, int64_t costNs, const std::function<void(KernelBuilder&)>& write);

 private:
  Status lowerInstruction(const Instruction& instruction);
  void release(const Instruction& instruction);

  absl::flat_hash_map<const Instruction*, size_t> lastUse_;  // place in the computation
  size_t at_ = 0;                                            // place of the instruction being lowered
};

// How many of the user's operands the array is, by whatever name.
size_t timesRead(const LeafValue& leaf, const Instruction& user, const LoweringContext& context);

// Zeros of all arrays of the shape.
LeafValues zeros(Shape shape, LoweringContext& context);

// The place of leaf `index` of a tuple's element among all its leaves.
size_t firstLeafOf(Shape tuple, size_t element);

}  // namespace hilo
