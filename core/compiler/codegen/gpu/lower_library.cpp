// What a library of NVIDIA's does where this machine has it: one thunk, and a program for the host that
// does the same where there is no GPU. What has another form than the library takes goes to kernels.
#include <cmath>

#include "core/analysis/plain_convolution.h"
#include "core/compiler/codegen/gpu/library_forms.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo::gpu {
namespace {

using llvm::Value;

// The instruction as a module of its own: its operands, which may lie otherwise, are the parameters; of a
// fusion it has what is fused.
class Alone {
 public:
  Alone(const Instruction& instruction, std::span<const Shape> operands)
      : module_(instruction.name()), entry_(*module_.createComputation(module_.uniqueName("alone"))) {
    std::vector<Instruction*> parameters;
    for (const Shape operand : operands)
      parameters.push_back(entry_.createParameter(static_cast<int64_t>(parameters.size()), operand,
                                                  module_.uniqueName("operand")));
    module_.setEntry(&entry_);
    root_ = instruction.opcode() == Opcode::Fusion ? copied(*instruction.calledComputations()[0], parameters)
                                                   : entry_.createLike(instruction, parameters);
    entry_.setRoot(root_);
  }

  // A second result: zeros.
  void addZeros(Shape shape) {
    Instruction* zeros = entry_.createConstant(Literal(shape));
    const std::vector<Shape> shapes = {root_->shape(), shape};
    root_ = entry_.create(Opcode::Tuple, Shape::tuple(shapes), {root_, zeros}, module_.uniqueName("both"));
    entry_.setRoot(root_);
  }
  const Module& module() const { return module_; }

 private:
  Instruction* copied(const Computation& fused, std::span<Instruction* const> parameters) {
    absl::flat_hash_map<const Instruction*, Instruction*> copies;
    for (const Instruction* instruction : fused.instructions()) {
      if (instruction->opcode() == Opcode::Parameter) {
        copies[instruction] = parameters[static_cast<size_t>(instruction->parameterNumber())];
        continue;
      }
      std::vector<Instruction*> operands;
      for (const Instruction* operand : instruction->operands()) operands.push_back(copies.at(operand));
      copies[instruction] = entry_.createLike(*instruction, operands);
    }
    return copies.at(fused.root());
  }

  Module module_;
  Computation& entry_;
  Instruction* root_ = nullptr;
};

std::vector<Shape> operandShapes(const Instruction& instruction) {
  std::vector<Shape> shapes;
  for (const Instruction* operand : instruction.operands()) shapes.push_back(operand->shape());
  return shapes;
}

LeafValues operandLeaves(const Instruction& instruction, const LoweringContext& context) {
  LeafValues leaves;
  for (const Instruction* operand : instruction.operands()) leaves.push_back(context.leafOf(*operand));
  return leaves;
}

Status addCall(const Instruction& instruction, LoweringContext& context, LibraryCall call,
               const LeafValues& operands, const LeafValues& results, const Alone& alone) {
  LibraryThunk thunk{.call = std::move(call)};
  TRY(thunk.substitute, context.addHosted(alone.module()));
  for (const LeafValue& leaf : operands) thunk.operands.emplace_back(leaf.slab->slice);
  for (const LeafValue& leaf : results) thunk.results.emplace_back(leaf.slab->slice);
  context.addThunk(instruction, std::move(thunk), 100'000);
  return {};
}

// A call whose arrays are the instruction's own.
Status addPlainCall(const Instruction& instruction, LoweringContext& context, LibraryCall call) {
  const LeafValues result = {context.newLeaf(instruction.shape())};
  TRY_STATUS(addCall(instruction, context, std::move(call), operandLeaves(instruction, context), result,
                     Alone(instruction, operandShapes(instruction))));
  context.values[&instruction] = result;
  return {};
}

// The kernel is brought into the order that the library wants.
Status addConvolution(const Instruction& instruction, LoweringContext& context, LibraryCall call,
                      const std::vector<int64_t>& kernelOrder) {
  const Instruction& kernel = *instruction.operand(1);
  Layout layout;
  layout.minorToMajor.assign(kernelOrder.rbegin(), kernelOrder.rend());
  std::vector<Shape> shapes = operandShapes(instruction);
  shapes[1] = shapes[1].withLayout(&layout);
  const LeafValues arranged =
      context.arranged(instruction, context.valuesOf(kernel), kernel.shape(), shapes[1]);
  const LeafValues result = {context.newLeaf(instruction.shape())};
  TRY_STATUS(addCall(instruction, context, std::move(call),
                     {context.leafOf(*instruction.operand(0)), arranged[0]}, result,
                     Alone(instruction, shapes)));
  context.values[&instruction] = result;
  return {};
}

// The other half of each factor becomes zero; where there is no factor, all is no number.
void addCleaning(const Instruction& cholesky, const CholeskyCall& call, LoweringContext& context,
                 const LeafValue& factor, const LeafValue& info, const LeafValue& result) {
  const Shape matrices = Shape::array(call.type, {call.batch, call.size, call.size});
  const Shape infos = Shape::array(ElementType::S32, {call.batch});
  context.addKernelOn(cholesky, {factor, info}, {result}, matrices.elementCount(), 10, [&](KernelBuilder& k) {
    auto& b = k.b();
    k.loop(k.begin(), k.end(), [&](Value* number) {
      ElementIndex index{{}, number, matrices};
      const auto at = k.dimsOf(index);
      const Scalar x = k.load(0, matrices, index);
      Value* failed = b.CreateICmpNE(k.load(1, infos, k.indexAt({at[0]})).value, b.getInt32(0));
      Value* isOther = call.isLower ? b.CreateICmpUGT(at[2], at[1]) : b.CreateICmpULT(at[2], at[1]);
      const auto cleaned = [&](Value* part) {
        Value* kept = b.CreateSelect(isOther, llvm::ConstantFP::get(part->getType(), 0.0), part);
        return b.CreateSelect(failed, llvm::ConstantFP::get(part->getType(), std::nan("")), kept);
      };
      k.store(2, matrices, index, {cleaned(x.value), x.imaginary ? cleaned(x.imaginary) : nullptr});
    });
  });
}

}  // namespace

Result<bool> lowerLibraryCall(const Instruction& instruction, LoweringContext& context) {
  const DeviceWork& work = context.draft.deviceWork;
  if (work.mayAsk<MatrixProductCall>()) {
    if (auto product = matrixProductOf(instruction)) {
      TRY_STATUS(addPlainCall(instruction, context, *std::move(product)));
      return true;
    }
  }
  if (instruction.opcode() != Opcode::Convolution || !work.mayAsk<ConvolutionCall>()) return false;
  auto convolution = convolutionOf(instruction);
  if (!convolution) return false;
  TRY_STATUS(addConvolution(instruction, context, *std::move(convolution),
                            plainConvolution(instruction)->kernelOrder));
  return true;
}

Status lowerFftOrCall(const Instruction& instruction, LoweringContext& context) {
  auto call = context.draft.deviceWork.mayAsk<FourierCall>() ? fourierOf(instruction) : std::nullopt;
  return call ? addPlainCall(instruction, context, *std::move(call)) : lowerFft(instruction, context);
}

Status lowerCholeskyOrCall(const Instruction& instruction, LoweringContext& context) {
  const auto call = context.draft.deviceWork.mayAsk<CholeskyCall>() ? choleskyOf(instruction) : std::nullopt;
  if (!call) return lowerCholesky(instruction, context);
  const Shape infos = Shape::array(ElementType::S32, {call->batch});
  const LeafValue factor = context.newLeaf(instruction.shape()), info = context.newLeaf(infos),
                  result = context.newLeaf(instruction.shape());
  Alone alone(instruction, operandShapes(instruction));
  alone.addZeros(infos);
  TRY_STATUS(
      addCall(instruction, context, *call, operandLeaves(instruction, context), {factor, info}, alone));
  addCleaning(instruction, *call, context, factor, info, result);
  context.values[&instruction] = {result};
  return {};
}

Status lowerTriangularSolveOrCall(const Instruction& instruction, LoweringContext& context) {
  auto call =
      context.draft.deviceWork.mayAsk<TriangularSolveCall>() ? triangularSolveOf(instruction) : std::nullopt;
  return call ? addPlainCall(instruction, context, *std::move(call))
              : lowerTriangularSolve(instruction, context);
}

}  // namespace hilo::gpu
