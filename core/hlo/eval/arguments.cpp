#include "core/hlo/eval/arguments.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "core/hlo/eval/kernel.h"
#include "core/hlo/eval/value_hints.h"

namespace hilo {
namespace {

// SplitMix64 (Steele et al., Fast splittable pseudorandom number generators; OOPSLA 2014): the same on every
// platform, unlike the standard library's distributions.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}

  uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(bits() % static_cast<uint64_t>(std::max<int64_t>(limit, 1)));
  }
  // In (0, 1).
  double fraction() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  double normal() {
    return std::sqrt(-2 * std::log(fraction())) * std::cos(2 * std::numbers::pi * fraction());
  }

 private:
  uint64_t state_;
};

constexpr int64_t kSmallIntegers = 8;
constexpr int64_t kBlock = 4096;

// Matrices get the spread that keeps products of many of them of about unit size.
double spreadOf(Shape shape) {
  if (shape.rank() < 2) return 1;
  return 1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, shape.dimension(shape.rank() - 2))));
}

// Calls fill(first, count) for one block of elements after the other, until it is cancelled.
template <typename Fill>
void forEachBlock(int64_t elements, const CancelToken& cancel, Fill fill) {
  for (int64_t start = 0; start < elements && !cancel.cancelled(); start += kBlock)
    fill(start, std::min(kBlock, elements - start));
}

void fillFloats(Literal& literal, const ValueHint& hint, Numbers& numbers, const CancelToken& cancel) {
  const Shape shape = literal.shape();
  const int64_t parts = isComplex(shape.elementType()) ? 2 : 1;
  const ElementType type = parts == 2 ? complexComponent(shape.elementType()) : shape.elementType();
  const bool positive = hint.positive || type == ElementType::F8E8M0FNU;
  const double spread = spreadOf(shape);
  const int64_t count = shape.elementCount() * parts;
  std::byte* out = literal.mutableBytes().data();
  std::vector<double> block(kBlock);
  forEachBlock(count, cancel, [&](int64_t start, int64_t size) {
    for (int64_t i = 0; i < size; ++i)
      block[i] = positive ? 0.5 + numbers.fraction() : numbers.normal() * spread;
    convertElements(out + start * elementStorageBytes(type), type, block.data(), ElementType::F64, size);
  });
}

void fillIntegers(Literal& literal, const ValueHint& hint, Numbers& numbers, const CancelToken& cancel) {
  const Shape shape = literal.shape();
  const ElementType type = shape.elementType();
  const int bits = elementBits(type) - (isSigned(type) ? 1 : 0);
  const int64_t typeLimit = bits >= 62 ? std::numeric_limits<int64_t>::max() : int64_t{1} << bits;
  const int64_t groups = shape.rank() > 0 ? std::max<int64_t>(1, shape.dimension(shape.rank() - 1)) : 1;
  int64_t limit = std::min(hint.limit, typeLimit);
  if (hint.limit == std::numeric_limits<int64_t>::max())
    limit = std::min(limit, hint.isSortKey ? int64_t{1} << 20 : kSmallIntegers);
  const int64_t lowest = std::min(hint.lowest, limit - 1);
  const int64_t count = shape.elementCount();
  std::byte* out = literal.mutableBytes().data();
  std::vector<int64_t> block(kBlock);
  forEachBlock(count, cancel, [&](int64_t start, int64_t size) {
    for (int64_t i = 0; i < size; ++i) {
      if (hint.isGroupSizes) {
        block[i] = hint.groupRows / groups;
      } else if (hint.isBits) {
        block[i] = static_cast<int64_t>(numbers.bits());
      } else {
        block[i] = lowest + numbers.below(limit - lowest);
      }
    }
    convertElements(out + start * elementStorageBytes(type), type, block.data(), ElementType::S64, size);
  });
}

class Generator {
 public:
  // What the element at a path of a value is for.
  using HintOf = std::function<ValueHint(std::span<const int64_t> path)>;

  Generator(uint64_t seed, int64_t limitBytes, CancelToken cancel)
      : seed_(seed), limitBytes_(limitBytes), cancel_(std::move(cancel)) {}

  Result<Literal> valueOf(Shape shape, uint64_t which, const HintOf& hintOf) {
    path_.clear();
    Numbers numbers(seed_ ^ (which * 0xd1342543de82ef95u + 1));
    return leafOrTuple(shape, hintOf, numbers);
  }

 private:
  Result<Literal> leafOrTuple(Shape shape, const HintOf& hintOf, Numbers& numbers) {
    if (shape.isTuple()) {
      std::vector<Literal> elements;
      for (size_t i = 0; i < shape.tupleShapes().size(); ++i) {
        path_.push_back(static_cast<int64_t>(i));
        TRY(Literal element, leafOrTuple(shape.tupleShapes()[i], hintOf, numbers));
        path_.pop_back();
        elements.push_back(std::move(element));
      }
      return Literal::tuple(std::move(elements));
    }
    TRY(Literal literal, Literal::tryMake(shape.withoutLayout(), limitBytes_));
    limitBytes_ -= static_cast<int64_t>(literal.bytes().size());
    if (shape.isToken()) return literal;
    const ValueHint hint = hintOf(path_);
    if (isFloat(shape.elementType()) || isComplex(shape.elementType())) {
      fillFloats(literal, hint, numbers, cancel_);
    } else if (shape.elementType() == ElementType::Pred) {
      for (std::byte& byte : literal.mutableBytes()) byte = std::byte(numbers.bits() >> 63);
    } else {
      fillIntegers(literal, hint, numbers, cancel_);
    }
    if (cancel_.cancelled()) return fail("cancelled", "making arguments was cancelled");
    return literal;
  }

  uint64_t seed_;
  int64_t limitBytes_;
  CancelToken cancel_;
  std::vector<int64_t> path_;
};

// Values of instructions of one module, which tells what they are for.
class ModuleGenerator {
 public:
  ModuleGenerator(const Module& module, uint64_t seed, int64_t limitBytes, const CancelToken& cancel)
      : tracer_(module), generator_(seed, limitBytes, cancel) {}
  Result<Literal> valueOf(const Instruction& value, uint64_t which) {
    return generator_.valueOf(value.shape(), which,
                              [&](std::span<const int64_t> path) { return tracer_.trace(value, path); });
  }

 private:
  ValueTracer tracer_;
  Generator generator_;
};

}  // namespace

Result<GeneratedArguments> fillElidedConstants(const Module& module, uint64_t seed, int64_t limitBytes,
                                               const CancelToken& cancel) {
  GeneratedArguments made;
  std::optional<ModuleGenerator> generator;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const Literal* literal =
          instruction->opcode() == Opcode::Constant ? instruction->get<Attr::Literal>() : nullptr;
      if (literal == nullptr || !literal->isElided()) continue;
      if (!generator) generator.emplace(module, seed, limitBytes, cancel);
      TRY(Literal value, generator->valueOf(*instruction, uint64_t{1} << 32 | instruction->id().value));
      made.constants.emplace(instruction, std::move(value));
      made.notes.push_back(fmt::format("{} was elided: filled from seed {}", instruction->name(), seed));
    }
  }
  return made;
}

Result<GeneratedArguments> makeArguments(const Module& module, uint64_t seed, int64_t limitBytes,
                                         const CancelToken& cancel) {
  if (module.entry() == nullptr) return fail("malformed-module", "the module has no entry computation");
  TRY(GeneratedArguments made, fillElidedConstants(module, seed, limitBytes, cancel));
  ModuleGenerator generator(module, seed, limitBytes, cancel);
  uint64_t number = 0;
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (parameter == nullptr) return fail("malformed-module", "the entry computation lacks a parameter");
    TRY(Literal value, generator.valueOf(*parameter, number++));
    made.arguments.push_back(std::move(value));
  }
  return made;
}

Result<std::vector<Literal>> makeArguments(std::span<const Shape> parameters, uint64_t seed,
                                           int64_t limitBytes, const CancelToken& cancel) {
  Generator generator(seed, limitBytes, cancel);
  std::vector<Literal> arguments;
  for (const Shape parameter : parameters) {
    TRY(Literal value, generator.valueOf(parameter, arguments.size(), [](auto) { return ValueHint(); }));
    arguments.push_back(std::move(value));
  }
  return arguments;
}

}  // namespace hilo
