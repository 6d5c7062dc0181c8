#include "core/compiler/passes/dots/dot_strength_reduction.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// Products of fewer multiplications are not worth a matrix product of the library's.
constexpr int64_t kLeastWork = 10'000'000;

int64_t sizeOf(const Instruction& dot, size_t side, std::span<const int64_t> dims) {
  int64_t size = 1;
  for (const int64_t d : dims) size *= dot.operand(side)->shape().dimension(static_cast<size_t>(d));
  return size;
}

bool isSmall(const Instruction& dot) {
  const DotSide lhs = dotSide(dot, 0), rhs = dotSide(dot, 1);
  const double lines =
      static_cast<double>(sizeOf(dot, 0, lhs.free)) + static_cast<double>(sizeOf(dot, 1, rhs.free));
  return lines * static_cast<double>(sizeOf(dot, 0, lhs.contracting)) < kLeastWork;
}

// Types that have no GEMM fusion.
bool isOfNoFusion(ElementType type) {
  return type == ElementType::F64 || isComplex(type) || (isIntegral(type) && elementBits(type) >= 32);
}

// Loops over columns of 32-bit integers are slow, and no library does them.
bool isOfInteger32(const Instruction& dot) {
  const auto is32 = [](const Instruction& i) { return i.shape().elementType() == ElementType::S32; };
  const std::vector<int64_t> second = {1};
  return is32(dot) && is32(*dot.operand(0)) && is32(*dot.operand(1)) &&
         std::ranges::equal(dot.get<Attr::RhsContractingDims>(), second);
}

bool isKnownType(ElementType type) {
  return (isFloat(type) || isComplex(type) || isIntegral(type)) && elementBits(type) >= 8;
}

ElementType sumTypeOf(ElementType type) {
  return isFloat(type) && elementBits(type) < 32 ? ElementType::F32 : type;
}

// Products in the type of the result, or as that.
bool isPlainAlgorithm(const Instruction& dot) {
  const DotAlgorithm algorithm = dot.get<Attr::Algorithm>().value_or(DotAlgorithm::Unset);
  return algorithm == DotAlgorithm::Unset ||
         (algorithm == DotAlgorithm::F32F32F32 && dot.shape().elementType() == ElementType::F32);
}

// One side has no dimension of its own.
bool isOfVector(const Instruction& i) {
  if (i.opcode() != Opcode::Dot || i.operandCount() != 2 || i.has(Attr::ControlPredecessors)) return false;
  const ElementType type = i.shape().elementType();
  if (!isKnownType(type) || !isKnownType(i.operand(0)->shape().elementType()) ||
      !isKnownType(i.operand(1)->shape().elementType()) || !isPlainAlgorithm(i))
    return false;
  if (!liesRowMajor(i.shape()) || !liesRowMajor(i.operand(0)->shape()) ||
      !liesRowMajor(i.operand(1)->shape()))
    return false;
  const DotSide lhs = dotSide(i, 0), rhs = dotSide(i, 1);
  if ((lhs.free.empty() && rhs.free.empty()) || isOfInteger32(i)) return true;
  return (lhs.free.empty() || rhs.free.empty()) && (isOfNoFusion(type) || isSmall(i));
}

// Batch dimensions, the free ones of both sides, the contracting ones.
struct Product {
  std::vector<int64_t> sizes;
  size_t kept = 0;
};
Product productOf(const Instruction& dot) {
  const DotSide lhs = dotSide(dot, 0), rhs = dotSide(dot, 1);
  Product product;
  const auto add = [&](size_t side, std::span<const int64_t> dims) {
    for (const int64_t d : dims)
      product.sizes.push_back(dot.operand(side)->shape().dimension(static_cast<size_t>(d)));
  };
  add(0, lhs.batch);
  add(0, lhs.free);
  add(1, rhs.free);
  product.kept = product.sizes.size();
  add(0, lhs.contracting);
  return product;
}

Instruction* factor(Instruction& dot, size_t side, const Product& product) {
  const DotSide of = dotSide(dot, side);
  std::vector<int64_t> order = of.batch, places;
  order.insert(order.end(), of.free.begin(), of.free.end());
  order.insert(order.end(), of.contracting.begin(), of.contracting.end());
  const size_t others = dotSide(dot, 1 - side).free.size();
  const size_t before = of.batch.size() + (side == 0 ? of.free.size() : 0);
  for (size_t d = 0; d < order.size(); ++d)
    places.push_back(static_cast<int64_t>(d < before ? d : d + others));
  Instruction* converted = convertTo(dot.operand(side), dot.shape().elementType(), dot);
  Instruction* operand = transposeBy(converted, order, dot);
  return others == 0 ? operand : broadcastTo(operand, product.sizes, places, dot);
}

}  // namespace

Instruction* expandedDot(Instruction& dot) {
  const Product sizes = productOf(dot);
  Instruction* left = factor(dot, 0, sizes);
  Instruction* right = factor(dot, 1, sizes);
  Computation& computation = dot.parent();
  Instruction* product = computation.create(Opcode::Multiply, left->shape(), {left, right}, {}, &dot);
  if (sizes.kept == sizes.sizes.size()) return product;
  const ElementType type = sumTypeOf(dot.shape().elementType());
  Instruction* zero = algebra::makeSplat(dot, Shape::scalar(type).withDefaultLayout(), 0);
  Instruction* sum = computation.create(Opcode::Reduce, dot.shape().withElementType(type),
                                        {convertTo(product, type, dot), zero}, {}, &dot);
  std::vector<int64_t> dims;
  for (size_t d = sizes.kept; d < sizes.sizes.size(); ++d) dims.push_back(static_cast<int64_t>(d));
  sum->set<Attr::Dimensions>(dims);
  sum->set<Attr::ToApply>(additionOf(dot.module(), type, &computation));
  if (const OpMetadata* metadata = dot.get<Attr::Metadata>()) {
    product->set<Attr::Metadata>(metadata);
    sum->set<Attr::Metadata>(metadata);
  }
  return convertTo(sum, dot.shape().elementType(), dot);
}

Result<bool> reduceDotStrength(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* dot : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isOfVector(*dot)) continue;
      if (!context.mayChange(*dot)) return changed;
      Instruction* sum = expandedDot(*dot);
      context.remark(*dot, "reduced", fmt::format("is %{}, of products", sum->name()));
      computation->replaceAllUses(dot, sum);
      computation->remove(dot);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
