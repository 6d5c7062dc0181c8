#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {

Instruction* sliceWhole(Instruction& i) {
  return i.operand(0)->shape() == i.shape() ? i.operand(0) : nullptr;
}

Instruction* sliceSlice(Instruction& i) {
  const Instruction& inner = *i.operand(0);
  if (inner.opcode() != Opcode::Slice) return nullptr;
  std::vector<SliceRange> ranges;
  for (size_t d = 0; d < i.shape().rank(); ++d) {
    const SliceRange& outer = i.get<Attr::Slice>()[d];
    const SliceRange& first = inner.get<Attr::Slice>()[d];
    const int64_t size = i.shape().dimension(d);
    if (size == 0) {
      ranges.push_back({0, 0, 1});  // where nothing is taken the place may lie outside
      continue;
    }
    const int64_t stride = size == 1 ? 1 : outer.stride * first.stride;
    const int64_t start = first.start + outer.start * first.stride;
    // The last element taken, plus one: a limit that is right whatever the strides.
    ranges.push_back({start, start + (size - 1) * stride + 1, stride});
  }
  Instruction* once = i.parent().createLike(i, {{inner.operand(0)}}, &i);
  once->set<Attr::Slice>(ranges);
  return once;
}

Instruction* sliceOfConcatenate(Instruction& i) {
  const Instruction& concatenate = *i.operand(0);
  if (concatenate.opcode() != Opcode::Concatenate) return nullptr;
  const int64_t dimension = concatenate.dimensions()[0];
  const SliceRange range = i.get<Attr::Slice>()[dimension];
  int64_t offset = 0;
  for (Instruction* piece : concatenate.operands()) {
    const int64_t size = piece->shape().dimension(dimension);
    if (range.start >= offset && range.limit <= offset + size) {
      std::vector<SliceRange> ranges(i.get<Attr::Slice>().begin(), i.get<Attr::Slice>().end());
      ranges[dimension].start -= offset;
      ranges[dimension].limit -= offset;
      Instruction* ofPiece = i.parent().createLike(i, {{piece}}, &i);
      ofPiece->set<Attr::Slice>(ranges);
      return ofPiece;
    }
    offset += size;
  }
  return nullptr;
}

Instruction* padNothing(Instruction& i) {
  const bool nothing = std::ranges::all_of(i.get<Attr::Padding>(),
                                           [](const PaddingDimension& d) { return d == PaddingDimension{}; });
  return nothing ? i.operand(0) : nullptr;
}

Instruction* dynamicSliceWhole(Instruction& i) {
  return i.operand(0)->shape() == i.shape() && !i.shape().isDynamic() ? i.operand(0) : nullptr;
}

// Start indices are clamped so that the slice lies inside, as dynamic-slice does.
Instruction* dynamicSliceConstant(Instruction& i) {
  const Shape source = i.operand(0)->shape();
  if (i.operandCount() != source.rank() + 1 || source.isDynamic()) return nullptr;
  std::vector<SliceRange> ranges;
  for (size_t d = 0; d < source.rank(); ++d) {
    const auto index = scalarInteger(*i.operand(d + 1));
    if (!index) return nullptr;
    const int64_t size = i.shape().dimension(d);
    const int64_t start = std::clamp<int64_t>(*index, 0, source.dimension(d) - size);
    ranges.push_back({start, start + size, 1});
  }
  if (ranges.empty()) return nullptr;
  Instruction* slice = i.parent().create(Opcode::Slice, i.shape(), {i.operand(0)}, {}, &i);
  slice->set<Attr::Slice>(ranges);
  return slice;
}

Instruction* dynamicUpdateSliceWhole(Instruction& i) {
  return i.operand(1)->shape() == i.shape() && !i.shape().isDynamic() ? i.operand(1) : nullptr;
}

}  // namespace hilo::algebra
