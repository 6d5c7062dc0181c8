// Elements that are elements of an operand at another place: what moves data and computes nothing.
#include "core/analysis/indexing/operand_indexing.h"
#include "core/base/check.h"
#include "core/compiler/codegen/emit/elements.h"
#include "core/compiler/codegen/emit/index_emitter.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;

Scalar firstOperandElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  return e.at(*instruction.operand(0), index);
}

Scalar tupleElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  return e.allAt(*instruction.operand(0), index)[static_cast<size_t>(instruction.tupleIndex())];
}

Value* clampIndex(KernelBuilder& k, Value* index, int64_t last) {
  Value* zero = k.int64(0);
  Value* low = k.b().CreateBinaryIntrinsic(llvm::Intrinsic::smax, index, zero);
  return k.b().CreateBinaryIntrinsic(llvm::Intrinsic::smin, low, k.int64(last));
}

// A value for each variable of the map; those that are read are brought into their range.
static Dims variablesOf(const IndexingMap& map, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  Dims values = map.dimensionCount() == 0 ? Dims{} : k.dimsOf(index);
  const auto ranges = map.ranges();
  for (size_t i = values.size(); i < map.variables.size(); ++i) {
    const IndexVariable& variable = map.variables[i];
    CHECK(variable.read != nullptr);
    Dims place;
    for (const AffineExpression& at : variable.place)
      place.push_back(IndexEmitter::emit(k, at, values, ranges));
    values.push_back(clampIndex(k, e.integerAt(*variable.read, k.indexAt(place)), variable.range.upper));
  }
  return values;
}

Scalar movedElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  if (instruction.operand(0)->shape().rank() == 0) return e.at(*instruction.operand(0), {});
  const IndexingMap map = *operandIndexing(instruction, 0);
  return e.at(*instruction.operand(0), IndexEmitter(k, map, variablesOf(map, index, e)).place());
}

// Reads the update where the index falls into it, else the operand.
Scalar updatedElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  ScalarEmitter& s = e.kernel().scalars();
  const IndexingMap map = *operandIndexing(instruction, 1);
  IndexEmitter update(k, map, variablesOf(map, index, e));
  const auto result = k.variable(s.zero(instruction.shape().elementType()));
  k.branch(
      update.isDefined(),
      [&] { e.inFrame([&] { k.set(result, e.at(*instruction.operand(1), update.place())); }); },
      [&] { e.inFrame([&] { k.set(result, e.at(*instruction.operand(0), index)); }); });
  return k.get(result);
}

Scalar iotaElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  ScalarEmitter& s = e.kernel().scalars();
  const auto d = static_cast<size_t>(*instruction.get<Attr::IotaDimension>());
  return s.convert(ElementType::S64, instruction.shape().elementType(), {k.dimsOf(index)[d]});
}

Scalar dimensionSizeElement(const Instruction& instruction, ElementIndex&, ElementEmitter& e) {
  llvm::IRBuilder<>& b = e.kernel().b();
  const auto d = static_cast<size_t>(instruction.dimensions()[0]);
  return {b.getInt32(static_cast<uint32_t>(instruction.operand(0)->shape().dimension(d)))};
}

// The same element in memory: by its number there, and where places are known by those too, which takes fewer
// divisions than the number would.
static ElementIndex sameBytes(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  if (from.rank() == 0) return {};
  ElementIndex result{{}, k.linearOf(index, to), from};
  if (index.dims.size() != to.rank() || to.elementCount() == 0) return result;
  if (const auto map = operandIndexing(instruction, 0))
    result.dims = IndexEmitter(k, *map, variablesOf(*map, index, e)).place().dims;
  return result;
}

Scalar reshapedElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  const auto isRowMajor = [](Shape shape) { return sameMemoryOrder(shape, shape.withoutLayout()); };
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  if (to.elementCount() > 0 && isRowMajor(from) && isRowMajor(to))
    return e.at(*instruction.operand(0), sameBytes(instruction, index, e));
  return movedElement(instruction, index, e);
}

Scalar bitcastElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  ScalarEmitter& s = e.kernel().scalars();
  const Instruction& operand = *instruction.operand(0);
  const ElementType from = operand.shape().elementType(), to = instruction.shape().elementType();
  const Scalar element = e.at(operand, sameBytes(instruction, index, e));
  return from == to ? element : s.fromBits(to, s.toBits(from, element));
}

Scalar bitcastConvertElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  llvm::IRBuilder<>& b = e.kernel().b();
  ScalarEmitter& s = e.kernel().scalars();
  const Instruction& operand = *instruction.operand(0);
  const ElementType from = operand.shape().elementType(), to = instruction.shape().elementType();
  const int fromBits = elementBits(from), toBits = elementBits(to);
  if (fromBits == toBits) return s.fromBits(to, s.toBits(from, e.at(operand, index)));
  Dims dims = k.dimsOf(index);
  llvm::Type* wide = b.getIntNTy(static_cast<unsigned>(std::max(fromBits, toBits)));
  if (fromBits > toBits) {
    Value* part = dims.pop_back_val();
    Value* bits = s.toBits(from, e.at(operand, k.indexAt(dims)));
    Value* amount = b.CreateIntCast(b.CreateMul(part, k.int64(toBits)), wide, false);
    return s.fromBits(to,
                      b.CreateTrunc(b.CreateLShr(bits, amount), b.getIntNTy(static_cast<unsigned>(toBits))));
  }
  Value* bits = llvm::ConstantInt::get(wide, 0);
  dims.push_back(nullptr);
  for (int part = 0; part * fromBits < toBits; ++part) {
    dims.back() = k.int64(part);
    Value* piece = b.CreateZExt(s.toBits(from, e.at(operand, k.indexAt(dims))), wide);
    bits = b.CreateOr(bits, b.CreateShl(piece, static_cast<uint64_t>(part * fromBits)));
  }
  return s.fromBits(to, bits);
}

Scalar paddedElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  const IndexingMap map = *operandIndexing(instruction, 0);
  IndexEmitter inside(k, map, variablesOf(map, index, e));
  const auto result = k.variable(e.at(*instruction.operand(1), {}));
  k.branch(inside.isDefined(),
           [&] { e.inFrame([&] { k.set(result, e.at(*instruction.operand(0), inside.place())); }); });
  return k.get(result);
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

Dims dynamicStart(const Instruction& instruction, size_t first, Shape within, std::span<const int64_t> sizes,
                  ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  Dims start;
  const bool asVector =
      instruction.operandCount() == first + 1 && instruction.operand(first)->shape().rank() == 1;
  for (size_t d = 0; d < within.rank(); ++d) {
    Value* index =
        asVector ? e.integerAt(*instruction.operand(first), k.indexAt({k.int64(static_cast<int64_t>(d))}))
                 : e.integerAt(*instruction.operand(first + d), {});
    start.push_back(clampIndex(k, index, within.dimension(d) - sizes[d]));
  }
  return start;
}

Dims startAt(const Instruction& instruction, const Instruction& indices, size_t operandRank,
             std::span<const int64_t> indexMap, std::span<const int64_t> operandBatching,
             std::span<const int64_t> indicesBatching, llvm::ArrayRef<Value*> position, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  const auto rank = static_cast<int64_t>(indices.shape().rank());
  const int64_t vectorDim = instruction.get<Attr::IndexVectorDim>().value_or(rank);
  Dims start(operandRank, k.int64(0)), place;
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == vectorDim) {
      place.push_back(k.int64(0));
      continue;
    }
    place.push_back(position[next++]);
  }
  for (size_t i = 0; i < indexMap.size(); ++i) {
    if (vectorDim < rank) place[static_cast<size_t>(vectorDim)] = k.int64(static_cast<int64_t>(i));
    start[static_cast<size_t>(indexMap[i])] = e.integerAt(indices, k.indexAt(place));
  }
  // The batch goes before an index into the same dimension.
  for (size_t i = 0; i < operandBatching.size(); ++i)
    start[static_cast<size_t>(operandBatching[i])] = place[static_cast<size_t>(indicesBatching[i])];
  return start;
}

}  // namespace hilo
