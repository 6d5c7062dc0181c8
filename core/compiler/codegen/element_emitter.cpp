#include "core/compiler/codegen/element_emitter.h"

#include "core/base/check.h"
#include "core/runtime/program/program.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;

const Instruction& ElementEmitter::resolve(const Instruction& instruction) const {
  const auto alias = aliases_.find(&instruction);
  return alias == aliases_.end() ? instruction : resolve(*alias->second);
}

const std::vector<Scalar>* ElementEmitter::known(const Key& key) const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const auto found = frame->values.find(key);
    if (found != frame->values.end()) return &found->second;
    if (frame->isBarrier) return nullptr;
  }
  return nullptr;
}

void ElementEmitter::addRealSize(const Instruction& leaf, size_t d, int size) {
  Value* count = k_.load(size, Shape::scalar(ElementType::S32), {}).value;
  realSizes_[{&leaf, d}] = b_.CreateSExt(count, b_.getInt64Ty());
}

void ElementEmitter::nestInFrame(llvm::ArrayRef<int64_t> sizes,
                                 const std::function<void(llvm::ArrayRef<Value*>)>& body) {
  k_.nest(sizes, [&](llvm::ArrayRef<Value*> indices) { inFrame([&] { body(indices); }); });
}

std::vector<Scalar> ElementEmitter::allAt(const Instruction& unresolved, ElementIndex index) {
  const Instruction& instruction = resolve(unresolved);
  if (const auto found = bound_.find(&instruction); found != bound_.end()) return {found->second};
  Key key{&instruction, {}};
  if (index.linear != nullptr) {
    key.index = {index.linear};
  } else {
    key.index.append(index.dims.begin(), index.dims.end());
  }
  if (const auto* values = known(key)) return *values;
  std::vector<Scalar> values;
  overflowed_ |= ++emitted_ > kMostEmitted || depth_ >= kDeepest;
  if (overflowed_) {
    if (!instruction.shape().isTuple()) return {s_.zero(instruction.shape().elementType())};
    for (const Shape part : instruction.shape().tupleShapes()) values.push_back(s_.zero(part.elementType()));
    return values;
  }
  if (const auto leaf = leaves_.find(&instruction); leaf != leaves_.end()) {
    values = {k_.load(leaf->second.buffer, leaf->second.shape, index)};
  } else if (const auto kept = kept_.find(&instruction); kept != kept_.end()) {
    values = {keptElement(instruction, kept->second, index)};
  } else {
    ++depth_;
    values = emitAll(instruction, index);
    --depth_;
  }
  frames_.back().values[key] = values;
  return values;
}

Scalar ElementEmitter::at(const Instruction& instruction, ElementIndex index) {
  const auto values = allAt(instruction, std::move(index));
  CHECK(values.size() == 1);
  return values[0];
}

std::vector<Scalar> ElementEmitter::apply(const Computation& computation, llvm::ArrayRef<Scalar> arguments) {
  const auto outer = bound_;
  const auto parameters = computation.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) bound_[parameters[i]] = arguments[i];
  std::vector<Scalar> results;
  const auto emitBody = [&] {
    // In order, so that a long chain of operations is no deep recursion.
    for (const Instruction* inner : computation.instructions()) {
      if (inner->shape().isScalar()) allAt(*inner, {});
    }
    results = allAt(*computation.root(), {});
  };
  inFrame(emitBody, true);
  bound_ = outer;
  return results;
}

std::vector<Scalar> ElementEmitter::emitAll(const Instruction& instruction, ElementIndex& index) {
  switch (instruction.opcode()) {
    case Opcode::Tuple: {
      std::vector<Scalar> all;
      for (const Instruction* operand : instruction.operands()) all.push_back(at(*operand, index));
      return all;
    }
    case Opcode::Reduce:
      return reduce(instruction, index);
    case Opcode::ReduceWindow:
      return reduceWindow(instruction, index);
    case Opcode::Call:
    case Opcode::Fusion: {
      // Of scalars, inside an applied computation.
      std::vector<Scalar> arguments;
      for (const Instruction* operand : instruction.operands()) arguments.push_back(at(*operand, {}));
      return apply(*instruction.calledComputations()[0], arguments);
    }
    case Opcode::Conditional:
      return conditional(instruction);
    case Opcode::Map: {
      std::vector<Scalar> arguments;
      for (const Instruction* operand : instruction.operands()) arguments.push_back(at(*operand, index));
      return apply(*instruction.get<Attr::ToApply>(), arguments);
    }
    default:
      return {emit(instruction, index)};
  }
}

Scalar ElementEmitter::emit(const Instruction& instruction, ElementIndex& index) {
  const Shape shape = instruction.shape();
  const auto operand = [&](size_t i) -> const Instruction& { return *instruction.operand(i); };
  const auto dims = [&]() -> const Dims& { return k_.dimsOf(index); };
  switch (instruction.opcode()) {
    case Opcode::Constant:
      return constant(instruction);
    case Opcode::GetTupleElement:
      return allAt(operand(0), index)[static_cast<size_t>(instruction.tupleIndex())];
    case Opcode::Copy:
    case Opcode::OptBarrier:
    case Opcode::AddDependency:
    case Opcode::Domain:
      return at(operand(0), index);
    case Opcode::Broadcast:
      return broadcast(instruction, index);
    case Opcode::Reshape:
      return reshape(instruction, index);
    case Opcode::Bitcast:
      return bitcast(instruction, index);
    case Opcode::BitcastConvert:
      return bitcastConvert(instruction, index);
    case Opcode::Pad:
      return pad(instruction, index);
    case Opcode::Concatenate:
      return concatenate(instruction, index);
    case Opcode::Gather:
      return gather(instruction, index);
    case Opcode::Dot:
      return dot(instruction, index);
    case Opcode::ScaledDot:
      return scaledDot(instruction, index);
    case Opcode::RaggedDot:
      return raggedDot(instruction, index);
    case Opcode::Convolution:
      return convolution(instruction, index);
    case Opcode::RngBitGenerator:
      return randomBits(instruction, index);
    case Opcode::Transpose: {
      Dims from(shape.rank());
      for (size_t d = 0; d < from.size(); ++d)
        from[static_cast<size_t>(instruction.dimensions()[d])] = dims()[d];
      return at(operand(0), k_.indexAt(from));
    }
    case Opcode::Slice: {
      Dims from;
      const auto ranges = instruction.get<Attr::Slice>();
      for (size_t d = 0; d < shape.rank(); ++d)
        from.push_back(
            b_.CreateAdd(b_.CreateMul(dims()[d], k_.int64(ranges[d].stride)), k_.int64(ranges[d].start)));
      return at(operand(0), k_.indexAt(from));
    }
    case Opcode::Reverse: {
      Dims from = dims();
      for (const int64_t d : instruction.dimensions())
        from[static_cast<size_t>(d)] =
            b_.CreateSub(k_.int64(shape.dimension(static_cast<size_t>(d)) - 1), from[static_cast<size_t>(d)]);
      return at(operand(0), k_.indexAt(from));
    }
    case Opcode::DynamicSlice: {
      Dims from = dynamicStart(instruction, 1, operand(0).shape(), shape.dimensions());
      for (size_t d = 0; d < from.size(); ++d) from[d] = b_.CreateAdd(from[d], dims()[d]);
      return at(operand(0), k_.indexAt(from));
    }
    case Opcode::DynamicUpdateSlice: {
      // Reads the update where the index falls into it, else the operand.
      const Shape update = operand(1).shape();
      const Dims start = dynamicStart(instruction, 2, shape, update.dimensions());
      Value* inside = b_.getTrue();
      Dims from;
      for (size_t d = 0; d < start.size(); ++d) {
        from.push_back(b_.CreateSub(dims()[d], start[d]));
        inside = b_.CreateAnd(inside, b_.CreateICmpULT(from.back(), k_.int64(update.dimension(d))));
      }
      const auto result = k_.variable(s_.zero(shape.elementType()));
      k_.branch(
          inside, [&] { inFrame([&] { k_.set(result, at(operand(1), k_.indexAt(from))); }); },
          [&] { inFrame([&] { k_.set(result, at(operand(0), index)); }); });
      return k_.get(result);
    }
    case Opcode::Iota: {
      const auto d = static_cast<size_t>(*instruction.get<Attr::IotaDimension>());
      return s_.convert(ElementType::S64, shape.elementType(), {dims()[d]});
    }
    case Opcode::GetDimensionSize: {
      const auto d = static_cast<size_t>(instruction.dimensions()[0]);
      return {b_.getInt32(static_cast<uint32_t>(operand(0).shape().dimension(d)))};
    }
    default:
      return elementwise(instruction, index);
  }
}

Scalar ElementEmitter::elementwise(const Instruction& instruction, ElementIndex& index) {
  const ElementType type = instruction.operand(0)->shape().elementType();
  llvm::SmallVector<Scalar, 3> x;
  for (const Instruction* operand : instruction.operands()) {
    // A scalar operand (of select and clamp) serves every element.
    const bool isScalar = operand->shape().rank() == 0;
    x.push_back(at(*operand, isScalar ? ElementIndex{} : index));
  }
  switch (instruction.opcode()) {
    case Opcode::Select:
      return s_.select(x[0].value, x[1], x[2]);
    case Opcode::Clamp:
      return s_.clamp(type, x[0], x[1], x[2]);
    case Opcode::Convert:
      return s_.convert(type, instruction.shape().elementType(), x[0]);
    case Opcode::Compare:
      return {s_.compare(*instruction.get<Attr::Direction>(),
                         instruction.get<Attr::ComparisonTypeKind>() == ComparisonType::TotalOrder, type,
                         x[0], x[1])};
    case Opcode::StochasticConvert:
      return stochasticConvert(instruction, x[0], x[1]);
    case Opcode::ReducePrecision:
      return s_.reducePrecision(type, x[0], *instruction.get<Attr::ExponentBits>(),
                                *instruction.get<Attr::MantissaBits>());
    default:
      return x.size() == 1 ? s_.unary(instruction.opcode(), type, x[0])
                           : s_.binary(instruction.opcode(), type, x[0], x[1]);
  }
}

Scalar ElementEmitter::stochasticConvert(const Instruction& instruction, Scalar x, Scalar random) {
  const ElementType from = instruction.operand(0)->shape().elementType(),
                    to = instruction.shape().elementType();
  Value* bits = b_.CreateZExt(random.value, b_.getInt64Ty());
  Value* rounded = s_.call("hilo_stochastic_convert", b_.getInt64Ty(),
                           {s_.convert(from, ElementType::F64, x).value, bits,
                            b_.getInt32(static_cast<uint32_t>(elementBits(from))),
                            b_.getInt32(static_cast<uint32_t>(elementBits(to)))});
  return s_.convert(ElementType::S64, to, {rounded});
}

// Of scalars, inside an applied computation.
std::vector<Scalar> ElementEmitter::conditional(const Instruction& instruction) {
  const Instruction& selector = *instruction.operand(0);
  Value* choice = at(selector, {}).value;
  std::vector<const Computation*> branches = branchesOf(instruction);
  std::vector<KernelBuilder::Variable> results;
  for (const Shape leaf : arrayLeaves(instruction.shape()))
    results.push_back(k_.variable(s_.zero(leaf.elementType())));
  const auto take = [&](size_t branch) {
    inFrame([&] {
      const auto values = apply(*branches[branch], allAt(*instruction.operand(branch + 1), {}));
      for (size_t i = 0; i < results.size(); ++i) k_.set(results[i], values[i]);
    });
  };
  const auto choose = [&](auto&& self, size_t branch) -> void {
    if (branch + 1 == branches.size()) return take(branch);
    const bool byPred = selector.shape().elementType() == ElementType::Pred;
    Value* isThis = byPred ? choice : b_.CreateICmpEQ(choice, b_.getInt32(static_cast<uint32_t>(branch)));
    k_.branch(isThis, [&] { take(branch); }, [&] { self(self, branch + 1); });
  };
  choose(choose, 0);
  std::vector<Scalar> values;
  for (const auto& result : results) values.push_back(k_.get(result));
  return values;
}

Scalar ElementEmitter::constant(const Instruction& instruction) {
  // Larger constants are leaves.
  CHECK(instruction.shape().elementCount() == 1);
  return s_.constant(instruction.shape().elementType(), instruction.literal().bytes().data());
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
