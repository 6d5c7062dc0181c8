// Elements that are elements of an operand at another place: what moves data and computes nothing.
#include "core/base/check.h"
#include "core/compiler/codegen/element_emitter.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;

Scalar ElementEmitter::firstOperand(const Instruction& instruction, ElementIndex& index) {
  return at(*instruction.operand(0), index);
}

Scalar ElementEmitter::tupleElement(const Instruction& instruction, ElementIndex& index) {
  return allAt(*instruction.operand(0), index)[static_cast<size_t>(instruction.tupleIndex())];
}

Scalar ElementEmitter::transpose(const Instruction& instruction, ElementIndex& index) {
  const Dims& dims = k_.dimsOf(index);
  Dims from(dims.size());
  for (size_t d = 0; d < from.size(); ++d) from[static_cast<size_t>(instruction.dimensions()[d])] = dims[d];
  return at(*instruction.operand(0), k_.indexAt(from));
}

Scalar ElementEmitter::slice(const Instruction& instruction, ElementIndex& index) {
  const Dims& dims = k_.dimsOf(index);
  const auto ranges = instruction.get<Attr::Slice>();
  Dims from;
  for (size_t d = 0; d < dims.size(); ++d)
    from.push_back(
        b_.CreateAdd(b_.CreateMul(dims[d], k_.int64(ranges[d].stride)), k_.int64(ranges[d].start)));
  return at(*instruction.operand(0), k_.indexAt(from));
}

Scalar ElementEmitter::reverse(const Instruction& instruction, ElementIndex& index) {
  Dims from = k_.dimsOf(index);
  for (const int64_t dimension : instruction.dimensions()) {
    const auto d = static_cast<size_t>(dimension);
    from[d] = b_.CreateSub(k_.int64(instruction.shape().dimension(d) - 1), from[d]);
  }
  return at(*instruction.operand(0), k_.indexAt(from));
}

Scalar ElementEmitter::dynamicSlice(const Instruction& instruction, ElementIndex& index) {
  const Instruction& operand = *instruction.operand(0);
  Dims from = dynamicStart(instruction, 1, operand.shape(), instruction.shape().dimensions());
  for (size_t d = 0; d < from.size(); ++d) from[d] = b_.CreateAdd(from[d], k_.dimsOf(index)[d]);
  return at(operand, k_.indexAt(from));
}

// Reads the update where the index falls into it, else the operand.
Scalar ElementEmitter::dynamicUpdateSlice(const Instruction& instruction, ElementIndex& index) {
  const Shape shape = instruction.shape(), update = instruction.operand(1)->shape();
  const Dims start = dynamicStart(instruction, 2, shape, update.dimensions());
  Value* inside = b_.getTrue();
  Dims from;
  for (size_t d = 0; d < start.size(); ++d) {
    from.push_back(b_.CreateSub(k_.dimsOf(index)[d], start[d]));
    inside = b_.CreateAnd(inside, b_.CreateICmpULT(from.back(), k_.int64(update.dimension(d))));
  }
  const auto result = k_.variable(s_.zero(shape.elementType()));
  k_.branch(
      inside, [&] { inFrame([&] { k_.set(result, at(*instruction.operand(1), k_.indexAt(from))); }); },
      [&] { inFrame([&] { k_.set(result, at(*instruction.operand(0), index)); }); });
  return k_.get(result);
}

Scalar ElementEmitter::iota(const Instruction& instruction, ElementIndex& index) {
  const auto d = static_cast<size_t>(*instruction.get<Attr::IotaDimension>());
  return s_.convert(ElementType::S64, instruction.shape().elementType(), {k_.dimsOf(index)[d]});
}

Scalar ElementEmitter::dimensionSize(const Instruction& instruction, ElementIndex&) {
  const auto d = static_cast<size_t>(instruction.dimensions()[0]);
  return {b_.getInt32(static_cast<uint32_t>(instruction.operand(0)->shape().dimension(d)))};
}

Scalar ElementEmitter::broadcast(const Instruction& instruction, ElementIndex& index) {
  Dims from;
  const auto mapped = instruction.dimensions();
  if (!mapped.empty()) {
    const auto& dims = k_.dimsOf(index);
    for (const int64_t d : mapped) from.push_back(dims[static_cast<size_t>(d)]);
  }
  return at(*instruction.operand(0), k_.indexAt(from));
}

// Dimensions are grouped where the products of both sides meet, and only within a group is there arithmetic.
Scalar ElementEmitter::reshape(const Instruction& instruction, ElementIndex& index) {
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  if (to.elementCount() == 0) return at(*instruction.operand(0), k_.indexAt(Dims(from.rank(), k_.int64(0))));
  if (index.linear != nullptr && index.shape.rank() > 0 && to.rank() > 0) {
    // In row-major order on both sides nothing moves.
    const auto isRowMajor = [](Shape shape) { return sameMemoryOrder(shape, shape.withoutLayout()); };
    if (isRowMajor(from) && isRowMajor(to) && sameMemoryOrder(index.shape, to))
      return at(*instruction.operand(0), {{}, index.linear, from});
  }
  const auto& dims = k_.dimsOf(index);
  Dims result(from.rank(), k_.int64(0));
  size_t f = 0, t = 0;
  while (f < from.rank() || t < to.rank()) {
    const size_t fBegin = f, tBegin = t;
    int64_t fSize = f < from.rank() ? from.dimension(f++) : 1, tSize = t < to.rank() ? to.dimension(t++) : 1;
    while (fSize != tSize) {
      if (fSize < tSize) {
        fSize *= from.dimension(f++);
      } else {
        tSize *= to.dimension(t++);
      }
    }
    Value* linear = k_.int64(0);
    for (size_t d = tBegin; d < t; ++d)
      linear = b_.CreateAdd(b_.CreateMul(linear, k_.int64(to.dimension(d))), dims[d]);
    for (size_t d = f; d-- > fBegin;) {
      const int64_t size = from.dimension(d);
      result[d] = d == fBegin ? linear : (size == 1 ? k_.int64(0) : b_.CreateURem(linear, k_.int64(size)));
      if (d > fBegin && size > 1) linear = b_.CreateUDiv(linear, k_.int64(size));
    }
  }
  return at(*instruction.operand(0), k_.indexAt(result));
}

Scalar ElementEmitter::bitcast(const Instruction& instruction, ElementIndex& index) {
  const Instruction& operand = *instruction.operand(0);
  const ElementType from = operand.shape().elementType(), to = instruction.shape().elementType();
  const Scalar element = operand.shape().rank() == 0
                             ? at(operand, {})
                             : at(operand, {{}, k_.linearOf(index, instruction.shape()), operand.shape()});
  return from == to ? element : s_.fromBits(to, s_.toBits(from, element));
}

Scalar ElementEmitter::bitcastConvert(const Instruction& instruction, ElementIndex& index) {
  const Instruction& operand = *instruction.operand(0);
  const ElementType from = operand.shape().elementType(), to = instruction.shape().elementType();
  const int fromBits = elementBits(from), toBits = elementBits(to);
  if (fromBits == toBits) return s_.fromBits(to, s_.toBits(from, at(operand, index)));
  Dims dims = k_.dimsOf(index);
  llvm::Type* wide = b_.getIntNTy(static_cast<unsigned>(std::max(fromBits, toBits)));
  if (fromBits > toBits) {
    Value* part = dims.pop_back_val();
    Value* bits = s_.toBits(from, at(operand, k_.indexAt(dims)));
    Value* amount = b_.CreateIntCast(b_.CreateMul(part, k_.int64(toBits)), wide, false);
    return s_.fromBits(
        to, b_.CreateTrunc(b_.CreateLShr(bits, amount), b_.getIntNTy(static_cast<unsigned>(toBits))));
  }
  Value* bits = llvm::ConstantInt::get(wide, 0);
  dims.push_back(nullptr);
  for (int part = 0; part * fromBits < toBits; ++part) {
    dims.back() = k_.int64(part);
    Value* piece = b_.CreateZExt(s_.toBits(from, at(operand, k_.indexAt(dims))), wide);
    bits = b_.CreateOr(bits, b_.CreateShl(piece, static_cast<uint64_t>(part * fromBits)));
  }
  return s_.fromBits(to, bits);
}

Scalar ElementEmitter::pad(const Instruction& instruction, ElementIndex& index) {
  const Instruction& operand = *instruction.operand(0);
  const auto padding = instruction.get<Attr::Padding>();
  const auto& dims = k_.dimsOf(index);
  Value* inside = b_.getTrue();
  Dims from;
  for (size_t d = 0; d < padding.size(); ++d) {
    Value* place = b_.CreateSub(dims[d], k_.int64(padding[d].low));
    if (padding[d].interior > 0) {
      Value* step = k_.int64(padding[d].interior + 1);
      inside = b_.CreateAnd(inside, b_.CreateICmpEQ(b_.CreateSRem(place, step), k_.int64(0)));
      place = b_.CreateSDiv(place, step);
      inside = b_.CreateAnd(inside, b_.CreateICmpSGE(dims[d], k_.int64(padding[d].low)));
    }
    inside = b_.CreateAnd(inside, b_.CreateICmpULT(place, k_.int64(operand.shape().dimension(d))));
    from.push_back(place);
  }
  const auto result = k_.variable(at(*instruction.operand(1), {}));
  k_.branch(inside, [&] { inFrame([&] { k_.set(result, at(operand, k_.indexAt(from))); }); });
  return k_.get(result);
}

Scalar ElementEmitter::concatenate(const Instruction& instruction, ElementIndex& index) {
  const auto along = static_cast<size_t>(instruction.dimensions()[0]);
  const Dims dims = k_.dimsOf(index);
  const auto result = k_.variable(s_.zero(instruction.shape().elementType()));
  const auto from = [&](auto&& self, size_t i, int64_t offset) -> void {
    const int64_t size = instruction.operand(i)->shape().dimension(along);
    Dims place = dims;
    const auto take = [&] {
      inFrame([&] {
        place[along] = b_.CreateSub(dims[along], k_.int64(offset));
        k_.set(result, at(*instruction.operand(i), k_.indexAt(place)));
      });
    };
    if (i + 1 == instruction.operandCount()) return take();
    k_.branch(b_.CreateICmpSLT(dims[along], k_.int64(offset + size)), take,
              [&] { self(self, i + 1, offset + size); });
  };
  from(from, 0, 0);
  return k_.get(result);
}

Value* ElementEmitter::clampIndex(Value* index, int64_t last) {
  Value* zero = k_.int64(0);
  Value* low = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, index, zero);
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, low, k_.int64(last));
}

// As a signed number; what exceeds it is beyond any dimension.
Value* ElementEmitter::integerAt(const Instruction& instruction, const ElementIndex& index) {
  const ElementType type = instruction.shape().elementType();
  Value* value = at(instruction, index).value;
  if (type == ElementType::U64) {
    Value* most = k_.int64(std::numeric_limits<int64_t>::max());
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, most);
  }
  return b_.CreateIntCast(value, b_.getInt64Ty(), isSigned(type));
}

Dims ElementEmitter::dynamicStart(const Instruction& instruction, size_t first, Shape within,
                                  std::span<const int64_t> sizes) {
  Dims start;
  const bool asVector =
      instruction.operandCount() == first + 1 && instruction.operand(first)->shape().rank() == 1;
  for (size_t d = 0; d < within.rank(); ++d) {
    Value* index =
        asVector ? integerAt(*instruction.operand(first), k_.indexAt({k_.int64(static_cast<int64_t>(d))}))
                 : integerAt(*instruction.operand(first + d), {});
    start.push_back(clampIndex(index, within.dimension(d) - sizes[d]));
  }
  return start;
}

Dims ElementEmitter::startAt(const Instruction& instruction, const Instruction& indices, size_t operandRank,
                             std::span<const int64_t> indexMap, std::span<const int64_t> operandBatching,
                             std::span<const int64_t> indicesBatching, llvm::ArrayRef<Value*> position) {
  const auto rank = static_cast<int64_t>(indices.shape().rank());
  const int64_t vectorDim = instruction.get<Attr::IndexVectorDim>().value_or(rank);
  Dims start(operandRank, k_.int64(0)), place;
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == vectorDim) {
      place.push_back(k_.int64(0));
      continue;
    }
    place.push_back(position[next++]);
    for (size_t i = 0; i < indicesBatching.size(); ++i) {
      if (indicesBatching[i] == d) start[static_cast<size_t>(operandBatching[i])] = place.back();
    }
  }
  for (size_t i = 0; i < indexMap.size(); ++i) {
    if (vectorDim < rank) place[static_cast<size_t>(vectorDim)] = k_.int64(static_cast<int64_t>(i));
    start[static_cast<size_t>(indexMap[i])] = integerAt(indices, k_.indexAt(place));
  }
  return start;
}

Scalar ElementEmitter::gather(const Instruction& instruction, ElementIndex& index) {
  const Instruction& operand = *instruction.operand(0);
  const Shape from = operand.shape();
  const auto offsetDims = instruction.get<Attr::OffsetDims>(),
             collapsed = instruction.get<Attr::CollapsedSliceDims>();
  const auto batching = instruction.get<Attr::OperandBatchingDims>(),
             sizes = instruction.get<Attr::SliceSizes>();
  const auto contains = [](std::span<const int64_t> list, size_t d) {
    return std::ranges::find(list, static_cast<int64_t>(d)) != list.end();
  };
  const Dims dims = k_.dimsOf(index);
  Dims position;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!contains(offsetDims, d)) position.push_back(dims[d]);
  }
  Dims start =
      startAt(instruction, *instruction.operand(1), from.rank(), instruction.get<Attr::StartIndexMap>(),
              batching, instruction.get<Attr::StartIndicesBatchingDims>(), position);
  size_t window = 0;
  for (size_t d = 0; d < from.rank(); ++d) {
    start[d] = clampIndex(start[d], from.dimension(d) - sizes[d]);
    if (!contains(collapsed, d) && !contains(batching, d))
      start[d] = b_.CreateAdd(start[d], dims[static_cast<size_t>(offsetDims[window++])]);
  }
  return at(operand, k_.indexAt(start));
}

}  // namespace hilo
