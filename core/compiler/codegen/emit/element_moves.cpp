// Elements that are elements of an operand at another place: what moves data and computes nothing.
#include "core/analysis/indexing/operand_indexing.h"
#include "core/base/check.h"
#include "core/compiler/codegen/emit/element_emitter.h"
#include "core/compiler/codegen/emit/index_emitter.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;

Scalar ElementEmitter::firstOperand(const Instruction& instruction, ElementIndex& index) {
  return at(*instruction.operand(0), index);
}

Scalar ElementEmitter::tupleElement(const Instruction& instruction, ElementIndex& index) {
  return allAt(*instruction.operand(0), index)[static_cast<size_t>(instruction.tupleIndex())];
}

// A value for each variable of the map; those that are read are brought into their range.
Dims ElementEmitter::variablesOf(const IndexingMap& map, ElementIndex& index) {
  Dims values = map.dimensionCount() == 0 ? Dims{} : k_.dimsOf(index);
  const auto ranges = map.ranges();
  for (size_t i = values.size(); i < map.variables.size(); ++i) {
    const IndexVariable& variable = map.variables[i];
    CHECK(variable.read != nullptr);
    Dims place;
    for (const AffineExpression& at : variable.place)
      place.push_back(IndexEmitter::emit(k_, at, values, ranges));
    values.push_back(clampIndex(integerAt(*variable.read, k_.indexAt(place)), variable.range.upper));
  }
  return values;
}

Scalar ElementEmitter::moved(const Instruction& instruction, ElementIndex& index) {
  if (instruction.operand(0)->shape().rank() == 0) return at(*instruction.operand(0), {});
  const IndexingMap map = *operandIndexing(instruction, 0);
  return at(*instruction.operand(0), IndexEmitter(k_, map, variablesOf(map, index)).place());
}

// Reads the update where the index falls into it, else the operand.
Scalar ElementEmitter::dynamicUpdateSlice(const Instruction& instruction, ElementIndex& index) {
  const IndexingMap map = *operandIndexing(instruction, 1);
  IndexEmitter update(k_, map, variablesOf(map, index));
  const auto result = k_.variable(s_.zero(instruction.shape().elementType()));
  k_.branch(
      update.isDefined(),
      [&] { inFrame([&] { k_.set(result, at(*instruction.operand(1), update.place())); }); },
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

// The same element in memory: by its number there, and where places are known by those too, which takes fewer
// divisions than the number would.
ElementIndex ElementEmitter::sameBytes(const Instruction& instruction, ElementIndex& index) {
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  if (from.rank() == 0) return {};
  ElementIndex result{{}, k_.linearOf(index, to), from};
  if (index.dims.size() != to.rank() || to.elementCount() == 0) return result;
  if (const auto map = operandIndexing(instruction, 0))
    result.dims = IndexEmitter(k_, *map, variablesOf(*map, index)).place().dims;
  return result;
}

Scalar ElementEmitter::reshape(const Instruction& instruction, ElementIndex& index) {
  const auto isRowMajor = [](Shape shape) { return sameMemoryOrder(shape, shape.withoutLayout()); };
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  if (to.elementCount() > 0 && isRowMajor(from) && isRowMajor(to))
    return at(*instruction.operand(0), sameBytes(instruction, index));
  return moved(instruction, index);
}

Scalar ElementEmitter::bitcast(const Instruction& instruction, ElementIndex& index) {
  const Instruction& operand = *instruction.operand(0);
  const ElementType from = operand.shape().elementType(), to = instruction.shape().elementType();
  const Scalar element = at(operand, sameBytes(instruction, index));
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
  const IndexingMap map = *operandIndexing(instruction, 0);
  IndexEmitter inside(k_, map, variablesOf(map, index));
  const auto result = k_.variable(at(*instruction.operand(1), {}));
  k_.branch(inside.isDefined(),
            [&] { inFrame([&] { k_.set(result, at(*instruction.operand(0), inside.place())); }); });
  return k_.get(result);
}

Scalar ElementEmitter::concatenate(const Instruction& instruction, ElementIndex& index) {
  const auto along = static_cast<size_t>(instruction.dimensions()[0]);
  const Dims dims = k_.dimsOf(index);
  if (const auto chosen = chosen_.find(&instruction); chosen != chosen_.end()) {
    Dims place = dims;
    place[along] = b_.CreateSub(dims[along], k_.int64(chosen->second.begin));
    return at(*instruction.operand(chosen->second.operand), k_.indexAt(place));
  }
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

}  // namespace hilo
