#include "core/compiler/passes/dots/gemm_epilogues.h"

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/dots/f8_epilogues.h"
#include "core/compiler/passes/dots/gelu_match.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool hasEpilogues(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 ||
         type == ElementType::F64;
}

class Epilogues {
 public:
  explicit Epilogues(GemmProducts& products) : products_(products), context_(products.context()) {}

  bool fuse(Instruction& i) {
    switch (i.opcode()) {
      case Opcode::Multiply:
        return fuseFactor(i) || fuseF8Scale(i, products_) || fuseGelu(i);
      case Opcode::Divide:
        return fuseF8Scale(i, products_);
      case Opcode::Add:
        return fuseVector(i) || fuseMatrix(i);
      case Opcode::Maximum:
        return fuseRelu(i);
      case Opcode::Convert:
        return fuseF8Conversion(i, products_);
      default:
        return false;
    }
  }

 private:
  bool fuseFactor(Instruction& multiply) {
    const auto found = products_.onlyUseIn(multiply);
    if (!found) return false;
    const auto& [product, factor] = *found;
    const Instruction* scalar = algebra::scalarBehind(*factor);
    if (scalar == nullptr || scalar->opcode() != Opcode::Constant || !isReadOnce(*factor) ||
        !product.call->config.isProduct() || !product.isWhole() || !isFloatOrComplex(product.type()))
      return false;
    const auto number = complexOf(*scalar);
    if (!number || !context_.mayChange(multiply)) return false;
    GemmCall call = *product.call;
    call.config.alpha *= *number;
    return products_.replace(multiply, product, call, "its constant factor is part of the call");
  }

  bool fuseVector(Instruction& add) {
    const auto found = products_.onlyUseIn(add);
    if (!found || found->second->opcode() != Opcode::Broadcast) return false;
    const auto& [product, broadcast] = *found;
    GemmCall call = *product.call;
    const int64_t size = vectorSize(product, *broadcast);
    Instruction* bias = call.isF8() ? f8Bias(call, *broadcast->operand(0)) : broadcast->operand(0);
    if (size == 0 || bias == nullptr || call.config.addsBias || !call.config.function.empty() ||
        !hasEpilogues(product.type()) || !context_.mayChange(add))
      return false;
    if (bias->shape().dimension(0) < size)
      bias = padTo(bias, std::array{size},
                   algebra::makeSplat(add, Shape::scalar(bias->shape().elementType()), 0), add);
    call.operands.push_back(bias);
    call.config.addsBias = true;
    return products_.replace(add, product, call, "adds a vector as well");
  }

  // How many numbers the call would add along D's densest dimension, where the broadcast repeats a vector
  // over all others; 0 where it does not.
  static int64_t vectorSize(const GemmProduct& product, const Instruction& broadcast) {
    const Shape sum = product.element->shape(), read = broadcast.shape();
    const auto along = broadcast.get<Attr::Dimensions>();
    // As many dimensions as A: then B has columns, along which the vector lies.
    const bool hasColumns = sum.rank() == product.call->operands[0]->shape().rank() && sum.rank() >= 2;
    if (along.size() != 1 || !hasColumns) return 0;
    const auto densest = [](Shape shape) {
      return shape.layout() == nullptr ? static_cast<int64_t>(shape.rank()) - 1
                                       : shape.layout()->minorToMajor[0];
    };
    if (along[0] != densest(read)) return 0;
    const int64_t size = sum.dimension(static_cast<size_t>(densest(sum)));
    const int64_t given = read.dimension(static_cast<size_t>(along[0]));
    // A bitcast keeps the order of elements, so that its densest dimension is that of what it reads where
    // both have one size.
    const Shape kept = product.slice != nullptr ? product.slice->shape() : sum;
    if (product.bitcast != nullptr && given != kept.dimension(static_cast<size_t>(densest(kept)))) return 0;
    return given <= size ? size : 0;
  }

  bool fuseMatrix(Instruction& add) {
    const auto found = products_.onlyUseIn(add);
    if (!found) return false;
    const auto& [product, bias] = *found;
    GemmCall call = *product.call;
    const ElementType type = product.type();
    // A broadcast would be written to memory for this; behind a bitcast XLA does so all the same.
    const bool isRepeated = bias->opcode() == Opcode::Broadcast && product.bitcast == nullptr;
    if (isRepeated || call.config.beta != 0 || !call.config.function.empty() || !isFloatOrComplex(type) ||
        elementBits(type) <= 8 || !context_.mayChange(add))
      return false;
    const bool mayWrite = mayBeWritten(*bias);
    Instruction* matrix = bias;
    if (product.bitcast != nullptr)
      matrix = bitcastTo(matrix, (product.slice != nullptr ? product.slice : product.element)->shape(), add);
    if (product.slice != nullptr)
      matrix = padTo(matrix, product.element->shape().dimensions(),
                     algebra::makeSplat(add, Shape::scalar(type), 0), add);
    call.operands.insert(call.operands.begin() + 2, matrix);
    call.config.beta = 1;
    call.writesMatrix = mayWrite && matrix->shape() == product.element->shape();
    return products_.replace(add, product, call, "adds a matrix as well");
  }

  // Nothing else reads it and it is no parameter, whose place belongs to the caller.
  static bool mayBeWritten(const Instruction& bias) {
    return isReadOnce(bias) && bias.opcode() != Opcode::Parameter && bias.opcode() != Opcode::Constant;
  }

  bool fuseRelu(Instruction& maximum) {
    const auto found = products_.onlyUseIn(maximum);
    if (!found || algebra::scalarBehind(*found->second) == nullptr || !algebra::isAll(*found->second, 0))
      return false;
    const GemmProduct& product = found->first;
    const bool hasRelu = hasEpilogues(product.type()) || isF8Result(product.type());
    if (!product.call->config.function.empty() || !hasRelu ||
        (product.slice != nullptr && product.bitcast != nullptr) || !context_.mayChange(maximum))
      return false;
    GemmCall call = *product.call;
    call.config.function = "RELU";
    return products_.replace(maximum, product, call, "its relu is part of the call");
  }

  bool fuseGelu(Instruction& multiply) {
    for (size_t side = 0; side < 2; ++side) {
      const auto product = products_.of(multiply.operand(side));
      if (!product || !product->call->config.function.empty() ||
          (product->slice != nullptr && product->bitcast != nullptr) || !hasEpilogues(product->type()))
        continue;
      const auto readers = geluReaders(multiply, *product->value);
      if (readers.empty() || !context_.mayChange(multiply)) continue;
      GemmCall call = *product->call;
      call.config.function = "GELU";
      const bool isReadBeside = product->value->users().size() > readers.size() || product->value->isRoot() ||
                                (!product->isWhole() && !isReadOnce(*product->element));
      if (isReadBeside) call.config.keepsSum = true, call.results.push_back(call.results[0]);
      return replaceGelu(multiply, *product, call);
    }
    return false;
  }

  bool replaceGelu(Instruction& multiply, const GemmProduct& product, const GemmCall& call) {
    Instruction* before = product.element->operand(0)->next();
    context_.remark(multiply, "fused", "its gelu is part of the call");
    Instruction* made = products_.make(call, product, *before);
    Instruction* sum = call.config.keepsSum ? elementOfTuple(made, 1, *before) : nullptr;
    products_.supersede(multiply, products_.viewed(product, elementOfTuple(made, 0, *before), multiply));
    if (sum != nullptr) products_.supersede(*product.element, sum);
    return true;
  }

  static bool isFloatOrComplex(ElementType type) { return isFloat(type) || isComplex(type); }

  static std::optional<std::complex<double>> complexOf(const Instruction& scalar) {
    if (scalar.literal().isElided()) return std::nullopt;
    switch (scalar.shape().elementType()) {
      case ElementType::C64:
        return std::complex<double>(scalar.literal().data<std::complex<float>>()[0]);
      case ElementType::C128:
        return scalar.literal().data<std::complex<double>>()[0];
      default:
        return algebra::splatValue(scalar);
    }
  }

  GemmProducts& products_;
  PassContext& context_;
};

}  // namespace

bool fuseGemmEpilogues(Computation& computation, GemmCalls& calls, bool addsBias, PassContext& context) {
  GemmProducts products(computation, calls, context);
  Epilogues epilogues(products);
  std::vector<Instruction*> candidates;
  for (Instruction* i : computation.instructions()) candidates.push_back(i);
  bool changed = false;
  for (Instruction* i : candidates) {
    if (context.cancelled()) return changed;
    if (!products.isGone(i) && (addsBias || i->opcode() != Opcode::Add))
      changed = epilogues.fuse(*i) || changed;
  }
  return changed;
}

}  // namespace hilo
