#include "core/hlo/expand/block_scaling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hilo::library {
namespace {

// Row-major where `like` has a layout, so that a module with layouts keeps having them.
Shape arrayLike(Shape like, ElementType type, std::span<const int64_t> dims) {
  const Shape made = Shape::array(type, dims);
  return like.layout() == nullptr ? made : made.withDefaultLayout();
}

// In the order of `shape`, without its size of an element: a wider type has its own.
Shape typed(Shape shape, ElementType type) {
  const Shape made = Shape::array(type, shape.dimensions());
  if (shape.layout() == nullptr) return made;
  const Layout order{.minorToMajor = shape.layout()->minorToMajor};
  return made.withLayout(&order);
}

Instruction* convertTo(const Expansion& call, Instruction* value, ElementType type) {
  if (value->shape().elementType() == type) return value;
  return call.add(Opcode::Convert, typed(value->shape(), type), {value});
}

// The largest exponent of a finite number (OCP's emax).
std::optional<int> largestExponent(ElementType type) {
  switch (type) {
    case ElementType::F4E2M1FN:
    case ElementType::F6E2M3FN:
      return 2;
    case ElementType::F8E3M4:
      return 3;
    case ElementType::F6E3M2FN:
    case ElementType::F8E4M3B11FNUZ:
      return 4;
    case ElementType::F8E4M3:
    case ElementType::F8E4M3FNUZ:
      return 7;
    case ElementType::F8E4M3FN:
      return 8;
    case ElementType::F8E5M2:
    case ElementType::F8E5M2FNUZ:
    case ElementType::F16:
      return 15;
    case ElementType::BF16:
    case ElementType::F32:
      return 127;
    default:
      return std::nullopt;
  }
}

// [rows, blocks] in the order of `shape` with `size` elements of a block behind each other.
Shape blocksOf(Shape shape, int64_t size) {
  std::vector<int64_t> dims(shape.dimensions().begin(), shape.dimensions().end());
  const auto last = static_cast<int64_t>(dims.size());
  dims.push_back(size);
  const Shape made = Shape::array(shape.elementType(), dims);
  if (shape.layout() == nullptr) return made;
  Layout order{.minorToMajor = shape.layout()->minorToMajor};
  order.minorToMajor.insert(std::ranges::find(order.minorToMajor, last - 1), last);
  return made.withLayout(&order);
}

// Each scale as often as its block has elements.
Instruction* spread(const Expansion& call, Instruction* scales, int64_t size, Shape to) {
  std::vector<int64_t> own(scales->shape().rank());
  std::iota(own.begin(), own.end(), 0);
  Instruction* blocks = call.broadcast(scales, blocksOf(scales->shape(), size), own);
  return call.add(Opcode::Reshape, to, {blocks});
}

bool leadAlike(Shape a, Shape b) {
  const auto x = a.dimensions(), y = b.dimensions();
  return x.size() == y.size() && !x.empty() &&
         std::ranges::equal(x.first(x.size() - 1), y.first(y.size() - 1));
}

Result<int64_t> neededBlockSize(const Expansion& call, Shape values, Shape scales) {
  const auto size = blockSizeOf(values, scales);
  if (!size || !leadAlike(values, scales))
    return call.malformed(fmt::format("scales {} by {}", toString(values), toString(scales)));
  return *size;
}

Result<Instruction*> dequantized(const Expansion& call, const ScaledOperand& operand, ElementType type) {
  if (operand.scales == nullptr) return operand.values;
  TRY(const int64_t size, neededBlockSize(call, operand.values->shape(), operand.scales->shape()));
  Instruction* values = convertTo(call, operand.values, type);
  Instruction* scales = convertTo(call, operand.scales, type);
  return call.binary(Opcode::Multiply, values, spread(call, scales, size, values->shape()));
}

// The scales of blocks there are, of scales that may be padded.
Result<ScaledOperand> cutScales(const Expansion& call, ScaledOperand operand,
                                std::optional<int64_t> blockSize) {
  if (operand.scales == nullptr) return operand;
  const Shape values = operand.values->shape(), scales = operand.scales->shape();
  std::vector<int64_t> sizes(values.dimensions().begin(), values.dimensions().end());
  sizes.back() =
      blockSize ? (values.dimensions().back() + *blockSize - 1) / *blockSize : scales.dimensions().back();
  if (std::ranges::equal(sizes, scales.dimensions())) return operand;
  std::vector<SliceRange> ranges;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] > scales.dimension(d))
      return call.malformed(fmt::format("scales {} by {}", toString(values), toString(scales)));
    ranges.push_back({.start = 0, .limit = sizes[d]});
  }
  operand.scales = call.add(Opcode::Slice, arrayLike(scales, scales.elementType(), sizes), {operand.scales});
  operand.scales->set<Attr::Slice>(ranges);
  return operand;
}

Status checkOperand(const Expansion& call, const ScaledOperand& operand) {
  if (operand.scales == nullptr) return {};
  const Shape values = operand.values->shape(), scales = operand.scales->shape();
  const bool isBatched = values.rank() == 3;
  if (scales.rank() == values.rank() && (!isBatched || values.dimension(0) == scales.dimension(0)) &&
      values.dimension(values.rank() - 2) <= scales.dimension(values.rank() - 2))
    return {};
  return call.malformed(fmt::format("scales {} by {}", toString(values), toString(scales)));
}

Shape productShape(const ScaledDot& dot, ElementType type) {
  const Shape lhs = dot.lhs.values->shape(), rhs = dot.rhs.values->shape();
  std::vector<int64_t> dims(lhs.dimensions().begin(), lhs.dimensions().end());
  dims.back() = rhs.dimension(rhs.rank() - 2);
  return arrayLike(lhs, type, dims);
}

// The dot of what the operands stand for, in `type`, times the global scale.
Result<Instruction*> productOf(const Expansion& call, const ScaledDot& dot, ElementType type) {
  TRY(Instruction * lhs, dequantized(call, dot.lhs, type));
  TRY(Instruction * rhs, dequantized(call, dot.rhs, type));
  Instruction* product = call.add(Opcode::Dot, productShape(dot, type), {lhs, rhs});
  const auto last = static_cast<int64_t>(lhs->shape().rank()) - 1;
  product->set<Attr::LhsContractingDims>(std::array{last});
  product->set<Attr::RhsContractingDims>(std::array{last});
  if (last == 2) {
    product->set<Attr::LhsBatchDims>(std::array<int64_t, 1>{0});
    product->set<Attr::RhsBatchDims>(std::array<int64_t, 1>{0});
  }
  if (dot.globalScale == nullptr) return product;
  Instruction* scale = convertTo(call, dot.globalScale, type);
  return call.binary(Opcode::Multiply, product, call.broadcastScalar(scale, product->shape()));
}

// Undoes what the rewriter does for cuDNN.
Result<Instruction*> plainScales(const Expansion& call, Instruction* scales) {
  const Shape shape = scales->shape();
  if (shape.dimension(shape.rank() - 2) % 128 != 0 || shape.dimensions().back() % 4 != 0)
    return call.malformed(fmt::format("has scales {}, which are no tiles of 128 by 4", toString(shape)));
  const ScaleSwizzle swizzle = scaleSwizzle(shape);
  const ElementType type = shape.elementType();
  Instruction* tiles = call.add(Opcode::Reshape, arrayLike(shape, type, swizzle.swizzled), {scales});
  Instruction* rows = call.add(Opcode::Transpose, arrayLike(shape, type, swizzle.plain), {tiles});
  rows->set<Attr::Dimensions>(ScaleSwizzle::kOrder);
  return call.add(Opcode::Reshape, typed(shape, type), {rows});
}

}  // namespace

std::optional<int64_t> blockSizeOf(Shape values, Shape scales) {
  if (values.rank() == 0 || values.rank() != scales.rank()) return std::nullopt;
  const int64_t elements = values.dimensions().back(), blocks = scales.dimensions().back();
  if (elements <= 0 || blocks <= 0 || elements % blocks != 0) return std::nullopt;
  return elements / blocks;
}

ScaleSwizzle scaleSwizzle(Shape scales) {
  const int64_t batch = scales.rank() == 3 ? scales.dimension(0) : 1;
  const int64_t rows = scales.dimension(scales.rank() - 2) / 128, columns = scales.dimensions().back() / 4;
  return {.plain = {batch, rows, 4, 32, columns, 4}, .swizzled = {batch, rows, columns, 32, 4, 4}};
}

Result<ScaledDot> readScaledDot(const Expansion& call) {
  TRY_STATUS(call.needsArrays(3, 5));
  ScaledDot dot{.lhs = {call.operand(0), call.operand(2)}, .rhs = {call.operand(1)}};
  if (call.operandCount() > 3) dot.rhs.scales = call.operand(3);
  if (call.operandCount() > 4) dot.globalScale = call.operand(4);
  const Shape lhs = dot.lhs.values->shape(), rhs = dot.rhs.values->shape();
  const bool isDot = (lhs.rank() == 2 || lhs.rank() == 3) && rhs.rank() == lhs.rank() &&
                     lhs.dimensions().back() == rhs.dimensions().back() &&
                     (lhs.rank() == 2 || lhs.dimension(0) == rhs.dimension(0));
  if (!isDot) return call.malformed(fmt::format("multiplies {} and {}", toString(lhs), toString(rhs)));
  TRY_STATUS(checkOperand(call, dot.lhs));
  TRY_STATUS(checkOperand(call, dot.rhs));
  if (dot.globalScale != nullptr && !dot.globalScale->shape().isScalar())
    return call.malformed("has a global scale that is no scalar");
  TRY(const CallConfig config, call.config());
  const auto sizes = config.part("block_scaled_dot_backend_config").dimensions("block_size");
  if (!sizes || sizes->size() > 1 || (sizes->size() == 1 && (*sizes)[0] <= 0))
    return call.malformed("has a block_size that is no positive number");
  if (!sizes->empty()) dot.blockSize = (*sizes)[0];
  return dot;
}

// Operand: values. Results: their quotients by the scales, the scales: the largest magnitude of a block over
// 2^emax of the quotients' type. A block of zeros has the scale 0, which f8e8m0fnu has not: it is NaN there,
// and so are the block's quotients, as with XLA.
Result<Instruction*> expandQuantize(Expansion& call) {
  TRY_STATUS(call.needsArrays(1, 1));
  TRY_STATUS(call.needsResults(2, 2));
  const Shape input = call.operand(0)->shape(), values = call.result(0), scales = call.result(1);
  if (input.rank() == 0 || !std::ranges::equal(input.dimensions(), values.dimensions()))
    return call.malformed(fmt::format("makes {} of {}", toString(values), toString(input)));
  TRY(const int64_t size, neededBlockSize(call, values, scales));
  const auto exponent = largestExponent(values.elementType());
  if (!exponent || !isFloat(input.elementType()))
    return call.malformed(fmt::format("makes {} of {}", toString(values), toString(input)));
  std::vector<int64_t> dims(scales.dimensions().begin(), scales.dimensions().end());
  dims.push_back(size);
  Instruction* blocks =
      call.add(Opcode::Reshape, arrayLike(input, input.elementType(), dims), {call.operand(0)});
  Instruction* magnitudes = call.unary(Opcode::Abs, blocks);
  Instruction* amax =
      call.reduce(magnitudes, std::array{static_cast<int64_t>(input.rank())}, Opcode::Maximum, 0);
  amax->setShape(arrayLike(input, input.elementType(), scales.dimensions()));
  Instruction* bound = call.splat(amax->shape(), std::ldexp(1.0, *exponent));
  Instruction* narrow = convertTo(call, call.binary(Opcode::Divide, amax, bound), scales.elementType());
  Instruction* wide = spread(call, convertTo(call, narrow, input.elementType()), size, input);
  Instruction* quotients = call.binary(Opcode::Divide, call.operand(0), wide);
  return call.give({convertTo(call, quotients, values.elementType()), narrow});
}

// Operands: values, scales. Result: their products.
Result<Instruction*> expandDequantize(Expansion& call) {
  TRY_STATUS(call.needsArrays(2, 2));
  TRY_STATUS(call.needsResults(1, 1));
  TRY(Instruction * product,
      dequantized(call, {call.operand(0), call.operand(1)}, call.result(0).elementType()));
  return call.give({product});
}

// The dot is computed in the type of its result, as XLA's expansion does.
Result<Instruction*> expandBlockScaledDot(Expansion& call) {
  TRY_STATUS(call.needsResults(1, 1));
  TRY(ScaledDot dot, readScaledDot(call));
  const ElementType type = call.result(0).elementType();
  if (dot.globalScale != nullptr && dot.globalScale->shape().elementType() != type)
    return call.malformed("has a global scale of another type than its result");
  TRY(dot.lhs, cutScales(call, dot.lhs, dot.blockSize));
  TRY(dot.rhs, cutScales(call, dot.rhs, dot.blockSize));
  TRY(Instruction * product, productOf(call, dot, type));
  return call.give({product});
}

// Scales swizzled and padded; the types say how long a block is. Results: the product, workspace.
Result<Instruction*> expandCudnnScaledDot(Expansion& call) {
  TRY_STATUS(call.needsOperands(4, 5));
  TRY_STATUS(call.needsResults(1, 2));
  TRY(ScaledDot dot, readScaledDot(call));
  for (ScaledOperand* operand : {&dot.lhs, &dot.rhs}) {
    TRY(operand->scales, plainScales(call, operand->scales));
    const int64_t size = operand->scales->shape().elementType() == ElementType::F8E8M0FNU ? 32 : 16;
    TRY(*operand, cutScales(call, *operand, size));
  }
  TRY(Instruction * product, productOf(call, dot, ElementType::F32));
  return call.give({convertTo(call, product, call.result(0).elementType())});
}

}  // namespace hilo::library
