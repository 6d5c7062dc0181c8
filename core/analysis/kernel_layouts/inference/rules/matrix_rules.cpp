// Matrix products of tensor cores: wgmma, mma.sync and tcgen05.
#include <algorithm>

#include "core/analysis/kernel_layouts/inference/candidates.h"
#include "core/analysis/kernel_layouts/inference/rules/rules.h"
#include "core/analysis/kernel_layouts/layout_families.h"

namespace hilo::inference {

using Kind = ValueSite::Kind;

namespace {

const KernelType& operandType(const Derivation& derivation, OpId op, uint32_t index) {
  const KernelDescription& kernel = derivation.kernel();
  return kernel.type(kernel.ops[op].operands[index]);
}

LayoutConstant familyOf(std::string_view name) {
  return RegisterLayout(std::ranges::find(namedLayouts(), name, &NamedLayout::name)->layout);
}

LayoutExpression transposed(LayoutExpression expression) { return expression.then(TransposeStep{{1, 0}}); }

Status checkMatrix(const KernelOp& op, const KernelType& type) {
  const int64_t bits = elementBits(type);
  if (type.shape.size() != 2 || bits == 0 || bits > 32)
    return unsupported(op, "matrices of at most 32 bits an element, not " + toString(type));
  return {};
}

// The operand's tile as tensor cores read it; of transposed memory its transpose is.
Result<VariableId> demandMmaTile(Derivation& derivation, OpId op, uint32_t index, int64_t bits) {
  TRY_STATUS(checkMatrix(derivation.kernel().ops[op], operandType(derivation, op, index)));
  TRY(const VariableId variable, operandVariable(derivation, op, index));
  const LayoutExpression tile = variable;
  const bool isOther = isTransposed(operandType(derivation, op, index));
  derivation.demand(op, about(isOther ? transposed(tile) : tile, MmaTile{bits, false}));
  return variable;
}

Status assignTensor(Derivation& derivation, OpId op, uint32_t index, const TiledLayout& layout,
                    const std::string& what) {
  TRY(const VariableId variable, operandVariable(derivation, op, index));
  return derivation.assign(op, variable, TensorLayout{layout}, what);
}

// The second matrix of a product of 64 rows is read in two halves: tiles are not wider than one.
Status demandNarrowTiles(Derivation& derivation, OpId op, VariableId second, int64_t bits) {
  const KernelType& type = operandType(derivation, op, 2);
  for (const int64_t swizzle : {128, 64, 32, 16}) {
    const int64_t width = swizzle * 8 / bits;
    if (width > type.shape[1] / 2) continue;
    derivation.demand(op, about(second, Divides{isTransposed(type) ? Sizes{width, 8} : Sizes{8, width}}));
    return {};
  }
  return unsupported(derivation.kernel().ops[op], "half of its columns is narrower than 16 bytes");
}

// Operands behind accumulator, two matrices and the flag: which there are.
struct Optional {
  std::optional<uint32_t> firstScale, secondScale, metadata;
};
Result<Optional> optionalOperands(const KernelOp& op) {
  Optional optional;
  uint32_t next = 4;
  const auto* segments = op.attribute<Sizes>("operandSegmentSizes");
  if (!segments) {
    if (op.operands.size() > 4)
      return unsupported(op, "operandSegmentSizes say which its further operands are");
    return optional;
  }
  if (segments->size() != 7) return unsupported(op, "operandSegmentSizes has 7 numbers");
  if ((*segments)[4] > 0) optional.firstScale = next++;
  if ((*segments)[5] > 0) optional.secondScale = next++;
  if ((*segments)[6] > 0) optional.metadata = next++;
  if (optional.firstScale.has_value() != optional.secondScale.has_value())
    return unsupported(op, "both matrices have scales, or none");
  TRY_STATUS(checkCounts(op, next, 0));
  return optional;
}

Status assignOptional(Derivation& derivation, OpId op, bool isCollective, bool isM64) {
  TRY(const Optional optional, optionalOperands(derivation.kernel().ops[op]));
  if (optional.metadata)
    TRY_STATUS(
        assignTensor(derivation, op, *optional.metadata, tmemSparseMetadataLayout(), "a_sparse_metadata"));
  if (!optional.firstScale) return {};
  TRY_STATUS(assignTensor(derivation, op, *optional.firstScale, tmemScalesLayout(), "a_scale"));
  return assignTensor(derivation, op, *optional.secondScale,
                      isCollective && isM64 ? tmemScalesM64CollectiveLayout() : tmemScalesLayout(),
                      "b_scale");
}

}  // namespace

Status wgmmaRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 3, 1));
  const VariableId accumulator = derivation.result(op, 0);
  TRY_STATUS(derivation.join(accumulator, {op, Kind::Operand, 0}));
  TRY_STATUS(derivation.assign(op, accumulator, familyOf("WGMMA"), "the accumulator of wgmma"));
  const int64_t bits = elementBits(operandType(derivation, op, 2));
  TRY(const VariableId second, demandMmaTile(derivation, op, 2, bits));
  if (!isIn(derivation, op, 1, MemorySpace::Shared)) {
    const bool areBytes = elementBits(operandType(derivation, op, 1)) == 8;
    return derivation.assign(op, derivation.operand(op, 1), familyOf(areBytes ? "WGMMA_8BIT" : "WGMMA"),
                             "the first matrix of wgmma");
  }
  TRY(const VariableId first, operandVariable(derivation, op, 1));
  const bool isOther =
      isTransposed(operandType(derivation, op, 1)) != isTransposed(operandType(derivation, op, 2));
  const LayoutExpression tile = second;
  derivation.demand(op, equalLayouts(first, isOther ? transposed(tile) : tile));
  return {};
}

Status mmaRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 3, 1));
  const int64_t bits = elementBits(operandType(derivation, op, 1));
  if (bits != 4 && bits != 8 && bits != 16) return unsupported(one, "elements of 4, 8 or 16 bits");
  const MmaLayouts layouts = mmaLayouts(bits);
  const VariableId accumulator = derivation.result(op, 0);
  TRY_STATUS(derivation.join(accumulator, {op, Kind::Operand, 0}));
  TRY_STATUS(
      derivation.assign(op, accumulator, RegisterLayout(layouts.accumulator), "the accumulator of mma"));
  TRY_STATUS(derivation.assign(op, derivation.operand(op, 1), RegisterLayout(layouts.left),
                               "the first matrix of mma"));
  return derivation.assign(op, derivation.operand(op, 2), RegisterLayout(layouts.right),
                           "the second matrix of mma");
}

Status tcgen05MmaRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 4, 0));
  const bool isCollective = one.flag("collective");
  const KernelType& accumulator = operandType(derivation, op, 0);
  TRY(const TiledLayout layout, usualTensor(accumulator.shape, isCollective, 1));
  TRY_STATUS(assignTensor(derivation, op, 0, layout, "the accumulator of tcgen05_mma"));
  const bool isM64 = accumulator.shape[0] == 64;
  const int64_t bits = elementBits(operandType(derivation, op, 2));
  TRY(const VariableId second, demandMmaTile(derivation, op, 2, bits));
  if (isM64 && !isCollective) TRY_STATUS(demandNarrowTiles(derivation, op, second, bits));
  if (isIn(derivation, op, 1, MemorySpace::Tensor)) {
    const KernelType& first = operandType(derivation, op, 1);
    TRY_STATUS(checkMatrix(one, first));
    TRY(const TiledLayout packed, usualTensor(first.shape, isCollective, 32 / elementBits(first)));
    TRY_STATUS(assignTensor(derivation, op, 1, packed, "the first matrix of tcgen05_mma"));
  } else {
    TRY_STATUS(demandMmaTile(derivation, op, 1, bits));
  }
  return assignOptional(derivation, op, isCollective, isM64);
}

}  // namespace hilo::inference
