// Reductions over the minor dimension with many results: the lines of several results at once. To combine the
// parts of one takes a while, in which others are read, and the processor fetches ahead along each of them,
// but only to the end of a page.
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::cpu {

using llvm::Value;

namespace {

constexpr int64_t kFewestLines = 256, kShortestLineBytes = 128;

// Of long ones two: of more the processor fetches ahead less well.
int64_t linesAtOnce(int64_t lineBytes) {
  constexpr int64_t kBytesAtOnce = 8 << 10;
  return std::clamp<int64_t>(std::bit_floor(static_cast<uint64_t>(kBytesAtOnce / lineBytes)), 2, 8);
}

// How long the lines are when `reduction` folds what is dense in its operand and keeps the order of the
// rest; otherwise 0.
int64_t lineLengthOf(const Instruction& reduction) {
  const Shape operand = reduction.operand(0)->shape(), result = reduction.shape();
  const auto folded = reduction.dimensions();
  const auto strides = layoutStrides(operand), resultStrides = layoutStrides(result);
  int64_t length = 1;
  for (const int64_t d : folded) length *= operand.dimension(static_cast<size_t>(d));
  size_t kept = 0;
  for (size_t d = 0; d < operand.rank(); ++d) {
    const bool isFolded = std::ranges::find(folded, static_cast<int64_t>(d)) != folded.end();
    const int64_t expected = isFolded ? 0 : resultStrides[kept++] * length;
    if (operand.dimension(d) == 1) continue;
    if (isFolded ? strides[d] >= length : strides[d] != expected) return 0;
  }
  return length;
}

bool canFoldLines(const Instruction& reduction) {
  if (reduction.opcode() != Opcode::Reduce || reduction.operandCount() != 2) return false;
  const Computation& applied = *reduction.get<Attr::ToApply>();
  const ElementType type = reduction.operand(0)->shape().elementType();
  const auto opcode = singleBinaryOpcode(applied);
  return opcode && MinorFold::canFold(*opcode, type) && reduction.shape().elementType() == type &&
         applied.parameters()[0]->shape().elementType() == type &&
         !(isFloat(type) && elementBits(type) < 32) && reduction.operand(0)->opcode() != Opcode::Constant;
}

}  // namespace

Result<bool> lowerMinorReduction(const Instruction& reduction, LoweringContext& context) {
  if (!canFoldLines(reduction)) return false;
  const Shape shape = reduction.shape(), operand = reduction.operand(0)->shape();
  const int64_t lines = shape.elementCount(), length = lineLengthOf(reduction);
  const int64_t lineBytes = length * elementStorageBytes(operand.elementType());
  if (lines < kFewestLines || lineBytes < kShortestLineBytes) return false;
  const int64_t atOnce = linesAtOnce(lineBytes);
  const LeafValues results = context.newLeaves(shape);
  KernelDraft draft(context, reduction, results);
  KernelBuilder& k = draft.builder();
  const auto foldLines = [&](Value* first, int64_t count) {
    draft.elements().inFrame([&] {
      const Scalar start = draft.elements().at(*reduction.operand(1), {});
      std::vector<MinorFold> folds;
      llvm::SmallVector<Value*, 8> places, sources;
      for (int64_t i = 0; i < count; ++i) {
        places.push_back(k.b().CreateAdd(first, k.int64(i), "", true, true));
        Value* place = k.b().CreateMul(places.back(), k.int64(length), "", true, true);
        sources.push_back(k.pointerTo(0, operand, {{}, place, operand}));
        folds.emplace_back(k, *singleBinaryOpcode(*reduction.get<Attr::ToApply>()), operand.elementType(),
                           start);
      }
      llvm::SmallVector<MinorFold*, 8> all;
      for (MinorFold& fold : folds) all.push_back(&fold);
      MinorFold::addTogether(all, sources, length);
      for (size_t i = 0; i < folds.size(); ++i)
        k.store(draft.resultBuffer(0), shape, {{}, places[i], shape}, folds[i].result());
    });
  };
  k.loop(k.begin(), k.end(), [&](Value* i) {
    Value* first = k.b().CreateMul(i, k.int64(atOnce), "", true, true);
    if (lines % atOnce == 0) return foldLines(first, atOnce);
    k.branch(
        k.b().CreateICmpSLE(k.b().CreateAdd(first, k.int64(atOnce)), k.int64(lines)),
        [&] { foldLines(first, atOnce); },
        [&] { k.loop(first, k.int64(lines), [&](Value* line) { foldLines(line, 1); }); });
  });
  const double costNs = 0.05 * static_cast<double>(operand.elementCount());
  TRY_STATUS(draft.finish((lines + atOnce - 1) / atOnce, 100 + static_cast<int64_t>(std::min(1e15, costNs))));
  context.values[&reduction] = results;
  return true;
}

}  // namespace hilo::cpu
