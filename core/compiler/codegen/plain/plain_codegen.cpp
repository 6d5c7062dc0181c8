#include "core/compiler/codegen/plain/plain_codegen.h"

#include "core/compiler/codegen/emit/codegen_targets.h"
#include "core/compiler/codegen/lower/control_flow.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/real_sizes.h"

namespace hilo {
namespace plain {
namespace {

// The instructions of a fusion, each by itself.
Status lowerFused(const Instruction& fusion, LoweringContext& context) {
  return lowerInline(fusion, *fusion.calledComputations()[0], context);
}

constexpr OpcodeLowering kLowerings[] = {
#define LOWERING(opcode, function, values, find) {Opcode::opcode, function, LoweredValues::values, find},
#include "core/compiler/codegen/plain/lowerings.def"
};

// An index that counts elements of the first result; those of the others lie where its dimensions say.
void storeElement(KernelDraft& draft, const Instruction& instruction, llvm::Value* i) {
  const auto shapes = arrayLeaves(instruction.shape());
  ElementIndex index{{}, i, shapes[0]};
  if (shapes[0].rank() == 0) index = {};
  const std::vector<Scalar> elements = draft.elements().allAt(instruction, index);
  for (size_t r = 0; r < shapes.size(); ++r)
    draft.builder().store(draft.resultBuffer(r), shapes[r], index, elements[r]);
}

}  // namespace

std::span<const OpcodeLowering> lowerings() { return kLowerings; }

Status lowerElements(const Instruction& instruction, LoweringContext& context) {
  LeafValues results = context.newLeaves(instruction.shape());
  if (const int64_t count = arrayLeaves(instruction.shape())[0].elementCount(); count > 0) {
    const FoldedSizes folded = foldedSizes(instruction, context);
    KernelDraft draft(context, instruction, results, folded.sizes);
    for (size_t i = 0; i < folded.dimensions.size(); ++i)
      draft.elements().addRealSize(*instruction.operand(0), folded.dimensions[i], static_cast<int>(i));
    KernelBuilder& kernel = draft.builder();
    kernel.loop(kernel.begin(), kernel.end(), [&](llvm::Value* i) {
      draft.elements().inFrame([&] { storeElement(draft, instruction, i); });
    });
    TRY_STATUS(draft.finish(count, 100 + 2 * count));
  }
  context.values[&instruction] = std::move(results);
  passSizesOn(instruction, context);
  return {};
}

}  // namespace plain

const CodegenEngine& plainCodegen() {
  static constexpr CodegenEngine kEngine{.name = "plain",
                                         .lowerings = plain::kLowerings,
                                         .lowerElements = plain::lowerElements,
                                         .findObstacle = noObstacle,
                                         .findTarget = findCodegenTarget};
  return kEngine;
}

}  // namespace hilo
