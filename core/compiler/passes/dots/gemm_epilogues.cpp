#include "core/compiler/passes/dots/gemm_epilogues.h"

#include <algorithm>

#include "core/compiler/passes/dots/gelu_match.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/constants.h"
#include "core/compiler/passes/simplify/algebra/made.h"

namespace hilo {
namespace {

// A call's D, or a view of it: a slice that cuts off ends, then a bitcast.
struct Product {
  Instruction* value = nullptr;    // what the epilogue reads
  Instruction* element = nullptr;  // D
  Instruction *slice = nullptr, *bitcast = nullptr;
  const GemmCall* call = nullptr;
};

bool isReadOnce(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

bool cutsOffEnds(const Instruction& slice) {
  return std::ranges::all_of(slice.get<Attr::Slice>(),
                             [](const SliceRange& d) { return d.start == 0 && d.stride == 1; });
}

bool hasEpilogues(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 ||
         type == ElementType::F64;
}

class Epilogues {
 public:
  Epilogues(Computation& computation, GemmCalls& calls, PassContext& context)
      : computation_(computation), calls_(calls), context_(context) {}

  bool fuse(Instruction& i) {
    switch (i.opcode()) {
      case Opcode::Multiply:
        return fuseFactor(i) || fuseGelu(i);
      case Opcode::Add:
        return fuseVector(i) || fuseMatrix(i);
      case Opcode::Maximum:
        return fuseRelu(i);
      default:
        return false;
    }
  }

 private:
  std::optional<Product> productOf(Instruction* value) const {
    Product of{.value = value};
    Instruction* at = value;
    if (at->opcode() == Opcode::Bitcast &&
        elementBits(at->shape().elementType()) == elementBits(at->operand(0)->shape().elementType()))
      of.bitcast = at, at = at->operand(0);
    if (at->opcode() == Opcode::Slice) of.slice = at, at = at->operand(0);
    if (at->opcode() != Opcode::GetTupleElement || at->get<Attr::Index>() != 0) return std::nullopt;
    const auto call = calls_.find(at->operand(0));
    if (call == calls_.end() || (of.slice != nullptr && !cutsOffEnds(*of.slice))) return std::nullopt;
    of.element = at;
    of.call = &call->second;
    return of;
  }

  // The product among the two operands that nobody else reads, and the other operand.
  std::optional<std::pair<Product, Instruction*>> onlyUseIn(const Instruction& i) const {
    for (size_t side = 0; side < 2; ++side) {
      const auto of = productOf(i.operand(side));
      if (!of || i.operand(0) == i.operand(1) || !isReadOnce(*of->value) || !isReadOnce(*of->element))
        continue;
      if (of->slice != nullptr && !isReadOnce(*of->slice)) continue;
      return std::pair(*of, i.operand(1 - side));
    }
    return std::nullopt;
  }

  bool fuseFactor(Instruction& multiply) {
    const auto found = onlyUseIn(multiply);
    if (!found) return false;
    const auto& [product, factor] = *found;
    const Instruction* scalar = algebra::scalarBehind(*factor);
    const GemmConfig& config = product.call->config;
    const bool isPlain = config.beta == 0 && !config.addsBias && config.function.empty();
    if (scalar == nullptr || scalar->opcode() != Opcode::Constant || !isReadOnce(*factor) || !isPlain ||
        product.value != product.element || !isFloatOrComplex(multiply.shape().elementType()))
      return false;
    const auto number = complexOf(*scalar);
    if (!number || !context_.mayChange(multiply)) return false;
    GemmCall call = *product.call;
    call.config.alpha *= *number;
    return replace(multiply, product, call, "its constant factor is part of the call");
  }

  bool fuseVector(Instruction& add) {
    const auto found = onlyUseIn(add);
    if (!found || found->second->opcode() != Opcode::Broadcast) return false;
    const auto& [product, broadcast] = *found;
    GemmCall call = *product.call;
    const int64_t size = vectorSize(product, *broadcast);
    if (size == 0 || call.config.addsBias || !call.config.function.empty() ||
        !hasEpilogues(product.element->shape().elementType()) || !context_.mayChange(add))
      return false;
    Instruction* bias = broadcast->operand(0);
    if (bias->shape().dimension(0) < size)
      bias = padTo(bias, std::array{size},
                   algebra::makeSplat(add, Shape::scalar(bias->shape().elementType()), 0), add);
    call.operands.push_back(bias);
    call.config.addsBias = true;
    return replace(add, product, call, "adds a vector as well");
  }

  // How many numbers the call would add along D's densest dimension, where the broadcast repeats a vector
  // over all others; 0 where it does not.
  static int64_t vectorSize(const Product& product, const Instruction& broadcast) {
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
    // A bitcast keeps the order of elements, so that its densest dimension is D's where both have one size.
    if (product.bitcast != nullptr && (product.slice != nullptr || given != size)) return 0;
    return given <= size ? size : 0;
  }

  bool fuseMatrix(Instruction& add) {
    const auto found = onlyUseIn(add);
    if (!found) return false;
    const auto& [product, bias] = *found;
    GemmCall call = *product.call;
    const ElementType type = product.element->shape().elementType();
    // A broadcast would be written to memory for this; behind a bitcast XLA does so all the same.
    const bool isRepeated = bias->opcode() == Opcode::Broadcast && product.bitcast == nullptr;
    if (isRepeated || call.config.beta != 0 || !call.config.function.empty() || !isFloatOrComplex(type) ||
        !context_.mayChange(add))
      return false;
    const bool mayWrite = mayBeWritten(*bias) && bias->shape() == product.element->shape();
    Instruction* matrix = bias;
    if (product.bitcast != nullptr)
      matrix = bitcastTo(matrix, (product.slice != nullptr ? product.slice : product.element)->shape(), add);
    if (product.slice != nullptr)
      matrix = padTo(matrix, product.element->shape().dimensions(),
                     algebra::makeSplat(add, Shape::scalar(type), 0), add);
    call.operands.insert(call.operands.begin() + 2, matrix);
    call.config.beta = 1;
    return replace(add, product, call, "adds a matrix as well", mayWrite);
  }

  // Nothing else reads it and it is no parameter, whose place belongs to the caller.
  static bool mayBeWritten(const Instruction& bias) {
    return isReadOnce(bias) && bias.opcode() != Opcode::Parameter && bias.opcode() != Opcode::Constant;
  }

  bool fuseRelu(Instruction& maximum) {
    const auto found = onlyUseIn(maximum);
    if (!found || algebra::scalarBehind(*found->second) == nullptr || !algebra::isAll(*found->second, 0))
      return false;
    const Product& product = found->first;
    if (!product.call->config.function.empty() || !hasEpilogues(product.element->shape().elementType()) ||
        (product.slice != nullptr && product.bitcast != nullptr) || !context_.mayChange(maximum))
      return false;
    GemmCall call = *product.call;
    call.config.function = "RELU";
    return replace(maximum, product, call, "its relu is part of the call");
  }

  bool fuseGelu(Instruction& multiply) {
    for (size_t side = 0; side < 2; ++side) {
      const auto product = productOf(multiply.operand(side));
      if (!product || !product->call->config.function.empty() ||
          (product->slice != nullptr && product->bitcast != nullptr) ||
          !hasEpilogues(product->element->shape().elementType()))
        continue;
      const auto readers = geluReaders(multiply, *product->value);
      if (readers.empty() || !context_.mayChange(multiply)) continue;
      GemmCall call = *product->call;
      call.config.function = "GELU";
      const bool isReadBeside = product->value->users().size() > readers.size() || product->value->isRoot() ||
                                (product->value != product->element && !isReadOnce(*product->element));
      if (isReadBeside) call.config.keepsSum = true, call.results.push_back(call.results[0]);
      return replaceGelu(multiply, *product, call);
    }
    return false;
  }

  bool replaceGelu(Instruction& multiply, const Product& product, const GemmCall& call) {
    Instruction& first = *product.element->operand(0);
    Instruction* before = first.next();
    context_.remark(multiply, "fused", "its gelu is part of the call");
    Instruction* made = makeGemmCall(call, first, *before);
    Instruction* sum = call.config.keepsSum ? elementOfTuple(made, 1, *before) : nullptr;
    Instruction* result = viewed(product, elementOfTuple(made, 0, *before), multiply);
    Instruction* old = product.element;
    computation_.replaceAllUses(&multiply, result);
    sweep(multiply);
    if (sum != nullptr) computation_.replaceAllUses(old, sum), sweep(*old);
    calls_.emplace(made, call);
    return true;
  }

  Instruction* viewed(const Product& product, Instruction* value, Instruction& before) {
    if (product.slice != nullptr) value = computation_.createLike(*product.slice, std::array{value}, &before);
    if (product.bitcast != nullptr)
      value = computation_.createLike(*product.bitcast, std::array{value}, &before);
    return value;
  }

  bool replace(Instruction& i, const Product& product, const GemmCall& call, std::string_view what,
               bool writesMatrix = false) {
    context_.remark(i, "fused", std::string(what));
    const Instruction& old = *product.element->operand(0);
    Instruction* made = makeGemmCall(call, old, i);
    if (old.has(Attr::OutputToOperandAliasing))
      made->set<Attr::OutputToOperandAliasing>(old.get<Attr::OutputToOperandAliasing>());
    if (writesMatrix) {
      constexpr int64_t kFirst[] = {0};
      made->set<Attr::OutputToOperandAliasing>(std::array{AliasEntry{.outputIndex = kFirst, .parameter = 2}});
    }
    calls_.emplace(made, call);
    computation_.replaceAllUses(&i, viewed(product, elementOfTuple(made, 0, i), i));
    sweep(i);
    return true;
  }

  // What nothing reads any more goes, and then what only it read.
  void sweep(Instruction& dead) {
    if (!dead.users().empty() || dead.isRoot() || dead.opcode() == Opcode::Parameter) return;
    const std::vector<Instruction*> operands(dead.operands().begin(), dead.operands().end());
    calls_.erase(&dead);
    computation_.remove(&dead);
    removed_.insert(&dead);
    for (Instruction* operand : operands) {
      if (!removed_.contains(operand)) sweep(*operand);
    }
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

 public:
  bool isGone(const Instruction* i) const { return removed_.contains(i); }

 private:
  Computation& computation_;
  GemmCalls& calls_;
  PassContext& context_;
  absl::flat_hash_set<const Instruction*> removed_;
};

}  // namespace

bool fuseGemmEpilogues(Computation& computation, GemmCalls& calls, bool addsBias, PassContext& context) {
  Epilogues epilogues(computation, calls, context);
  std::vector<Instruction*> candidates;
  for (Instruction* i : computation.instructions()) candidates.push_back(i);
  bool changed = false;
  for (Instruction* i : candidates) {
    if (context.cancelled()) return changed;
    if (!epilogues.isGone(i) && (addsBias || i->opcode() != Opcode::Add))
      changed = epilogues.fuse(*i) || changed;
  }
  return changed;
}

}  // namespace hilo
