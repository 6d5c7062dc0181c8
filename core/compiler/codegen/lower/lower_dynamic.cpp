// Arrays with fewer elements than their bounds. Memory is for the bounds; the real sizes are values of
// their own that travel beside the array. Only operations that heed them may read such an array: the
// fact HeedsSizes (hlo/ir/op_facts.h). A loop's state and a branch's result have memory for their sizes as
// for their elements.
#include <fmt/format.h>

#include "core/compiler/codegen/lower/lowerings.h"
#include "core/compiler/codegen/lower/real_sizes.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;

namespace {

Shape sizeShape() { return Shape::scalar(ElementType::S32); }

}  // namespace

namespace {

std::unexpected<Diagnostic> refuseDynamic(const Instruction& instruction, std::string what) {
  Place place;
  place.computation = std::string(instruction.parent().name());
  place.instruction = std::string(instruction.name());
  return fail(
      "unsupported-dynamic-shape",
      fmt::format("{} {}, an array with fewer elements than its bounds", instruction.opcodeText(), what),
      place);
}

}  // namespace

bool readsRealSizes(const Instruction& instruction, const LoweringContext& context) {
  return std::ranges::any_of(instruction.operands(), [&](const Instruction* operand) {
    return std::ranges::any_of(context.valuesOf(*operand), &LeafValue::isDynamic);
  });
}

Status checkDynamicOperands(const Instruction& instruction, const LoweringContext& context) {
  if (hasFact(instruction.opcode(), OpFact::HeedsSizes)) return {};
  for (const Instruction* operand : instruction.operands()) {
    if (std::ranges::any_of(context.valuesOf(*operand), &LeafValue::isDynamic))
      return refuseDynamic(instruction, fmt::format("of {}", operand->name()));
  }
  return {};
}

Status checkSizesFit(const Instruction& instruction, const LeafValues& values) {
  const auto shapes = arrayLeaves(instruction.shape());
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t d = 0; d < values[i].sizes.size(); ++d) {
      if (values[i].sizes[d] != nullptr && !shapes[i].isDynamicDimension(d))
        return refuseDynamic(instruction, "hands on what its computation made");
    }
  }
  return {};
}

std::vector<SlabPointer> newSizes(Shape array, LoweringContext& context) {
  std::vector<SlabPointer> sizes;
  for (size_t d = 0; array.isDynamic() && d < array.rank(); ++d)
    sizes.push_back(array.isDynamicDimension(d) ? context.newLeaf(sizeShape()).slab : nullptr);
  return sizes;
}

static LeafValue sizeOf(const LeafValue& array, Shape shape, size_t dimension, LoweringContext& context) {
  if (!array.sizes.empty() && array.sizes[dimension] != nullptr) return {array.sizes[dimension], false};
  return context.constantLeaf(
      Literal::scalar<int32_t>(ElementType::S32, static_cast<int32_t>(shape.dimension(dimension))));
}

void copySizes(const Instruction& why, const LeafValue& from, Shape array, const std::vector<SlabPointer>& to,
               LoweringContext& context) {
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] != nullptr) context.copy(why, sizeOf(from, array, d, context), {to[d]});
  }
}

FoldedSizes foldedSizes(const Instruction& instruction, const LoweringContext& context) {
  FoldedSizes found;
  if (instruction.opcode() != Opcode::Reduce) return found;
  const LeafValue& input = context.leafOf(*instruction.operand(0));
  for (size_t d = 0; d < input.sizes.size(); ++d) {
    if (input.sizes[d] == nullptr) continue;
    found.dimensions.push_back(d);
    found.sizes.push_back({input.sizes[d], false});
  }
  return found;
}

void passSizesOn(const Instruction& instruction, LoweringContext& context) {
  const auto dynamic = std::ranges::find_if(instruction.operands(), [&](const Instruction* operand) {
    const LeafValues& leaves = context.valuesOf(*operand);
    return leaves.size() == 1 && leaves[0].isDynamic();
  });
  if (dynamic == instruction.operands().end()) return;
  const std::vector<SlabPointer> from = context.leafOf(**dynamic).sizes;
  std::vector<SlabPointer> to(arrayLeaves(instruction.shape())[0].rank());
  const auto dimensions = instruction.dimensions();
  switch (instruction.opcode()) {
    case Opcode::Broadcast:
      for (size_t d = 0; d < dimensions.size(); ++d) to[static_cast<size_t>(dimensions[d])] = from[d];
      break;
    case Opcode::Transpose:
      for (size_t d = 0; d < dimensions.size(); ++d) to[d] = from[static_cast<size_t>(dimensions[d])];
      break;
    case Opcode::Reduce:
      for (size_t d = 0, kept = 0; d < from.size(); ++d) {
        if (std::ranges::find(dimensions, static_cast<int64_t>(d)) == dimensions.end()) to[kept++] = from[d];
      }
      break;
    default:
      to = from;
      break;
  }
  for (LeafValue& leaf : context.values[&instruction]) leaf.sizes = to;
}

// A scalar, no larger than the bound, as a size.
static LeafValue sizeLeaf(const Instruction& why, const Instruction& size, int64_t bound,
                          LoweringContext& context) {
  const LeafValue made = context.newLeaf(sizeShape());
  context.addKernelOn(why, {context.leafOf(size)}, {made}, 1, 100, [&](KernelBuilder& k) {
    const Scalar given = k.load(0, size.shape(), {});
    Value* wide = k.scalars().convert(size.shape().elementType(), ElementType::S64, given).value;
    Value* low = k.b().CreateBinaryIntrinsic(llvm::Intrinsic::smax, wide, k.int64(0));
    Value* real = k.b().CreateBinaryIntrinsic(llvm::Intrinsic::smin, low, k.int64(bound));
    k.store(1, sizeShape(), {}, {k.b().CreateTrunc(real, k.b().getInt32Ty())});
  });
  return made;
}

Status lowerSetDimensionSize(const Instruction& instruction, LoweringContext& context) {
  const Instruction &operand = *instruction.operand(0), &size = *instruction.operand(1);
  const auto d = static_cast<size_t>(instruction.dimensions()[0]);
  LeafValue value =
      context.arranged(instruction, {context.leafOf(operand)}, operand.shape(), instruction.shape())[0];
  value.sizes.resize(operand.shape().rank());
  const int64_t bound = operand.shape().dimension(d);
  const bool isWhole = size.opcode() == Opcode::Constant && !size.literal().isElided() &&
                       size.shape() == sizeShape() && size.literal().data<int32_t>()[0] >= bound;
  value.sizes[d] = isWhole ? nullptr : sizeLeaf(instruction, size, bound, context).slab;
  context.values[&instruction] = {std::move(value)};
  return {};
}

Status lowerGetDimensionSize(const Instruction& instruction, LoweringContext& context) {
  const Instruction& operand = *instruction.operand(0);
  context.values[&instruction] = {sizeOf(context.leafOf(operand), operand.shape(),
                                         static_cast<size_t>(instruction.dimensions()[0]), context)};
  return {};
}

// The operand's real elements in row-major order become the result's.
Status lowerDynamicReshape(const Instruction& instruction, LoweringContext& context) {
  const Instruction& operand = *instruction.operand(0);
  const Shape from = operand.shape(), to = instruction.shape();
  LeafValue result = context.newLeaf(to);
  LeafValues reads;
  for (size_t d = 0; d < from.rank(); ++d) reads.push_back(sizeOf(context.leafOf(operand), from, d, context));
  for (size_t d = 0; d < to.rank(); ++d) {
    reads.push_back(sizeLeaf(instruction, *instruction.operand(d + 1), to.dimension(d), context));
    result.sizes.push_back(reads.back().slab);
  }
  const int data = static_cast<int>(reads.size()), out = data + 1;
  reads.push_back(context.leafOf(operand));
  const auto write = [&](KernelBuilder& k) {
    auto& b = k.b();
    Dims sizes;
    for (size_t i = 0; i + 1 < reads.size(); ++i) {
      Value* size = k.load(static_cast<int>(i), sizeShape(), {}).value;
      sizes.push_back(b.CreateSExt(size, b.getInt64Ty()));
    }
    k.loop(k.begin(), k.end(), [&](Value* i) {
      ElementIndex index{{}, i, to};
      Value *isReal = b.getTrue(), *linear = k.int64(0);
      for (size_t d = 0; d < to.rank(); ++d) {
        Value *at = k.dimsOf(index)[d], *size = sizes[from.rank() + d];
        isReal = b.CreateAnd(isReal, b.CreateICmpSLT(at, size));
        linear = b.CreateAdd(b.CreateMul(linear, size), at);
      }
      const auto element = k.variable(k.scalars().zero(to.elementType()));
      k.branch(isReal, [&] {
        Dims place(from.rank());
        Value* rest = linear;
        for (size_t d = from.rank(); d-- > 0;) {
          Value* size = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, sizes[d], k.int64(1));
          place[d] = b.CreateURem(rest, size);
          rest = b.CreateUDiv(rest, size);
        }
        // More elements than the operand has is a mistake of the module's; nothing outside is read for it.
        k.branch(b.CreateICmpEQ(rest, k.int64(0)),
                 [&] { k.set(element, k.load(data, from, k.indexAt(place))); });
      });
      k.store(out, to, index, k.get(element));
    });
  };
  context.addKernelOn(instruction, reads, {result}, to.elementCount(), 10 * to.elementCount(), write);
  context.values[&instruction] = {std::move(result)};
  return {};
}

}  // namespace hilo
