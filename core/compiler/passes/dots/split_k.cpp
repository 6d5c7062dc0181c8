#include "core/compiler/passes/dots/split_k.h"

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr int64_t kTile = 64 * 64;  // elements of the result that a block does
constexpr int64_t kEnoughTiles = 128;
constexpr int64_t kShortest = 512;  // products of a part

int64_t lengthOf(const Instruction& dot) {
  const auto summed = dot.get<Attr::LhsContractingDims>();
  return dot.operand(0)->shape().dimension(static_cast<size_t>(summed[0]));
}

// A power of two that divides the sum.
int64_t partsOf(const Instruction& dot) {
  const int64_t tiles = (dot.shape().elementCount() + kTile - 1) / kTile, length = lengthOf(dot);
  int64_t parts = 1;
  while (length % (2 * parts) == 0 && length / (2 * parts) >= kShortest && 2 * parts * tiles <= kEnoughTiles)
    parts *= 2;
  return parts;
}

bool isSplit(const Instruction& dot) {
  return dot.opcode() == Opcode::Dot && dot.operandCount() == 2 && dot.shape().isArray() &&
         !dot.shape().isDynamic() && dot.shape().elementCount() > 0 &&
         !isComplex(dot.shape().elementType()) && dot.shape().elementType() != ElementType::Pred &&
         liesRowMajor(dot.shape()) && liesRowMajor(dot.operand(0)->shape()) &&
         liesRowMajor(dot.operand(1)->shape()) && !dot.operand(0)->shape().isDynamic() &&
         !dot.operand(1)->shape().isDynamic() && dot.get<Attr::LhsContractingDims>().size() == 1 &&
         partsOf(dot) > 1;
}

// The contracting dimension becomes two: parts, and what is summed in one.
Instruction* cut(Instruction& dot, size_t side, int64_t parts) {
  Instruction* operand = dot.operand(side);
  const auto at = static_cast<size_t>(dotSide(dot, side).contracting[0]);
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < operand->shape().rank(); ++d) {
    if (d == at) sizes.push_back(parts);
    sizes.push_back(operand->shape().dimension(d) / (d == at ? parts : 1));
  }
  return reshapeTo(operand, sizes, dot);
}

void setSide(Instruction& made, const Instruction& dot, size_t side) {
  DotSide dims = dotSide(dot, side);
  const int64_t at = dims.contracting[0];
  for (int64_t& d : dims.batch) d += d > at;
  dims.batch.push_back(at);
  const int64_t summed[] = {at + 1};
  setDotSide(made, side, dims.batch, summed);
}

Instruction* split(Instruction& dot) { return splitSum(dot, partsOf(dot)); }

}  // namespace

Instruction* splitSum(Instruction& dot, int64_t parts) {
  const ElementType type = dot.shape().elementType();
  const ElementType sumType = isFloat(type) && elementBits(type) < 32 ? ElementType::F32 : type;
  const size_t batch = dotSide(dot, 0).batch.size();
  std::vector<int64_t> sizes(dot.shape().dimensions().begin(), dot.shape().dimensions().end());
  sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(batch), parts);
  Instruction* operands[] = {cut(dot, 0, parts), cut(dot, 1, parts)};
  Instruction* made = dot.parent().createLike(dot, operands, &dot);
  made->setShape(arrayLike(dot.shape(), sumType, sizes));
  setSide(*made, dot, 0);
  setSide(*made, dot, 1);
  Instruction* zero = algebra::makeSplat(dot, Shape::array(sumType, {}), 0);
  Instruction* sum = dot.parent().create(
      Opcode::Reduce, arrayLike(dot.shape(), sumType, dot.shape().dimensions()), {made, zero}, {}, &dot);
  const int64_t folded[] = {static_cast<int64_t>(batch)};
  sum->set<Attr::Dimensions>(folded);
  sum->set<Attr::ToApply>(additionOf(dot.parent().module(), sumType, &dot.parent()));
  return convertTo(sum, type, dot);
}

Result<bool> splitLongSums(Module& module, PassContext& context) {
  return rewriteEach(module, context, "split", isSplit, split);
}

}  // namespace hilo
