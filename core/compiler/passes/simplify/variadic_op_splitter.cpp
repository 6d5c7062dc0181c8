#include "core/compiler/passes/simplify/variadic_op_splitter.h"

#include <algorithm>

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr size_t kMostOperands = 128;

bool isLong(const Instruction& i) {
  return i.opcode() == Opcode::Concatenate && i.operandCount() > kMostOperands && liesRowMajor(i.shape());
}

Instruction* inPieces(Instruction& concatenate) {
  const auto along = static_cast<size_t>(concatenate.dimensions()[0]);
  std::vector<Instruction*> operands(concatenate.operands().begin(), concatenate.operands().end());
  while (operands.size() > kMostOperands) {
    std::vector<Instruction*> pieces;
    for (size_t from = 0; from < operands.size(); from += kMostOperands) {
      const auto part = std::span(operands).subspan(from, std::min(kMostOperands, operands.size() - from));
      std::vector<int64_t> sizes(concatenate.shape().dimensions().begin(),
                                 concatenate.shape().dimensions().end());
      sizes[along] = 0;
      for (const Instruction* operand : part) sizes[along] += operand->shape().dimension(along);
      Instruction* piece =
          part.size() == 1 ? part[0] : concatenate.parent().createLike(concatenate, part, &concatenate);
      if (part.size() > 1)
        piece->setShape(arrayLike(concatenate.shape(), concatenate.shape().elementType(), sizes));
      pieces.push_back(piece);
    }
    operands = std::move(pieces);
  }
  return concatenate.parent().createLike(concatenate, operands, &concatenate);
}

}  // namespace

Result<bool> splitVariadicOps(Module& module, PassContext& context) {
  return rewriteEach(module, context, "split", isLong, inPieces);
}

}  // namespace hilo
