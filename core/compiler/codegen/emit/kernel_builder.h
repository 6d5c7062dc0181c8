// One kernel under construction: an LLVM module with the function
//   void kernel(void* const* buffers, int64_t begin, int64_t end)
// that does iterations [begin, end). What it is called with is the target's question (codegen_target.h).
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>

#include "core/analysis/dimension_order.h"
#include "core/analysis/llvm_kernel_options.h"
#include "core/compiler/codegen/emit/codegen_target.h"
#include "core/compiler/codegen/emit/fast_math.h"
#include "core/compiler/codegen/emit/scalar.h"
#include "core/hlo/ir/shape.h"

namespace hilo {

// A place in an array: one index a logical dimension, or the place in the layout's order, or both.
struct ElementIndex {
  llvm::SmallVector<llvm::Value*, 6> dims;  // empty for a scalar, or when only `linear` is known
  llvm::Value* linear = nullptr;            // for arrays of exactly this shape, layout included
  Shape shape;                              // what `linear` counts in
};

// How LLVM is to compile a kernel: as flags of its module, which bitcode keeps, so that kernels compiled
// otherwise are others. What was said before is forgotten.
void setOptions(llvm::Module& kernel, const LlvmKernelOptions& options);
LlvmKernelOptions optionsOf(const llvm::Module& kernel);

class KernelBuilder {
 public:
  static constexpr const char* kSymbol = "kernel";

  KernelBuilder(llvm::LLVMContext& context, const CodegenTarget& target);

  llvm::IRBuilder<>& b() { return b_; }
  ScalarEmitter& scalars() { return scalars_; }
  const CodegenTarget& target() const { return target_; }
  llvm::Value* begin() const { return frame_.begin; }
  llvm::Value* end() const { return frame_.end; }
  llvm::Value* int64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  // Where an element lies, for functions of the scalar library that work on whole lines.
  llvm::Value* pointerTo(int buffer, Shape shape, const ElementIndex& index) {
    return address(buffer, shape, index);
  }
  Scalar load(int buffer, Shape shape, const ElementIndex& index);
  void store(int buffer, Shape shape, const ElementIndex& index, Scalar value);
  // Bits as they lie there: `type`, an element or a vector of elements, from element `place` on.
  llvm::Value* loadRaw(int buffer, llvm::Type* type, llvm::Type* element, llvm::Value* place);
  // `past`: a whole line of memory, which goes there past the caches.
  void storeRaw(int buffer, llvm::Type* element, llvm::Value* place, llvm::Value* value, bool past = false);

  // Asks for the line that element `place` lies in, which may be past the end.
  void prefetch(int buffer, llvm::Type* element, llvm::Value* place);

  // for (i = from; i < to; ++i) body(i)
  void loop(llvm::Value* from, llvm::Value* to, const std::function<void(llvm::Value*)>& body) {
    writeLoop(from, to, body);
  }
  // The same along elements side by side: it is vectorised, `lanes` of them at once where that is said, and
  // not unrolled into single elements before.
  void lineLoop(llvm::Value* from, llvm::Value* to, const std::function<void(llvm::Value*)>& body,
                int64_t lanes = 0);
  // The same along so few that they are in vectors all at once: what is kept of them is in registers.
  void shortLineLoop(int64_t count, const std::function<void(llvm::Value*)>& body);
  // A loop nest over all indices of `sizes`, the last innermost.
  void nest(llvm::ArrayRef<int64_t> sizes, const std::function<void(llvm::ArrayRef<llvm::Value*>)>& body);
  void nest(llvm::ArrayRef<llvm::Value*> sizes,
            const std::function<void(llvm::ArrayRef<llvm::Value*>)>& body);
  void branch(llvm::Value* condition, const std::function<void()>& yes, const std::function<void()>& no = {});

  // A variable on the stack, which the optimiser turns into a register.
  llvm::Value* variable(llvm::Type* type);
  // Room for `count` elements on the stack, where a vector may begin.
  llvm::Value* room(llvm::Type* type, int64_t count);
  // Both parts of an element.
  struct Variable {
    llvm::Value* value = nullptr;
    llvm::Value* imaginary = nullptr;
    llvm::Type* type = nullptr;
  };
  Variable variable(Scalar initial);
  Scalar get(const Variable& variable);
  void set(const Variable& variable, Scalar value);

  // sum + term, where the order of the whole sum is the optimiser's to choose.
  llvm::Value* addInAnyOrder(llvm::Value* sum, llvm::Value* term);

  // The sum of floats or vectors of them, in as few steps after each other as can be.
  llvm::Value* addInPairs(llvm::SmallVector<llvm::Value*, 8> terms);

  // The index with `dims` filled in.
  const llvm::SmallVector<llvm::Value*, 6>& dimsOf(ElementIndex& index);
  ElementIndex indexAt(llvm::ArrayRef<llvm::Value*> dims) {
    return {{dims.begin(), dims.end()}, nullptr, Shape()};
  }
  llvm::Value* linearOf(ElementIndex& index, Shape shape);

  // How LLVM is to compile the kernel.
  void setOptions(const LlvmKernelOptions& options) { hilo::setOptions(*module_, options); }

  // How the processor rounds to bf16 by itself; null where it does not.
  const Bf16Rounding* bf16Rounding() const { return bf16Rounding_; }
  void setBf16Rounding(const Bf16Rounding* rounding) { bf16Rounding_ = rounding; }

  // What is emitted from here on.
  void setFastMath(const FastMath& fastMath);

  // From here on what is emitted says which instruction (its id in the module) it came of, this one until
  // another is named: as debug locations whose line is the id plus one. Without it there are none, which
  // makes equal kernels of different instructions equal bytes.
  void keepLines(uint32_t instruction);
  // While it lives what is emitted came of this instruction.
  class LinesOf {
   public:
    LinesOf(KernelBuilder& kernel, uint32_t instruction);
    ~LinesOf() { b_.SetCurrentDebugLocation(before_); }

   private:
    llvm::IRBuilder<>& b_;
    llvm::DebugLoc before_;
  };

  // Ends the function, of a kernel called with so many buffers, and gives the module. The builder is spent.
  std::unique_ptr<llvm::Module> finish(int buffers);

 private:
  // Gives the jump back.
  llvm::Instruction* writeLoop(llvm::Value* from, llvm::Value* to,
                               const std::function<void(llvm::Value*)>& body);
  llvm::Value* bufferPointer(int buffer);
  llvm::Value* address(int buffer, Shape shape, const ElementIndex& index);
  void noteAccess(llvm::Value* access, int buffer);

  std::unique_ptr<llvm::Module> module_;
  llvm::DISubprogram* lines_ = nullptr;  // what locations lie in; null: none are kept
  const CodegenTarget& target_;
  const Bf16Rounding* bf16Rounding_ = nullptr;
  KernelFrame frame_;
  llvm::IRBuilder<> b_;
  ScalarEmitter scalars_;
  std::map<int, llvm::Value*> pointers_;  // in order, so that equal kernels are equal bytes
  std::vector<std::pair<llvm::Instruction*, int>> accesses_;
  bool storesPast_ = false;
};

}  // namespace hilo
