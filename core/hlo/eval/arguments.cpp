#include "core/hlo/eval/arguments.h"

#include "core/hlo/eval/seeded_elements.h"

namespace hilo {
namespace {

// Says how much is made of all there is to make, a hundred times at most.
class Progress {
 public:
  Progress(double bytes, std::function<void(double fraction)> tell) : bytes_(bytes), tell_(std::move(tell)) {}
  void now(double made) {
    if (!tell_ || made - told_ < bytes_ / 100) return;
    told_ = made;
    tell_(std::min(1.0, made / bytes_));
  }

 private:
  double bytes_, told_ = 0;
  std::function<void(double fraction)> tell_;
};

class Generator {
 public:
  // What the element at a path of a value is for.
  using HintOf = std::function<ValueHint(std::span<const int64_t> path)>;

  // `bytes` in all are to be made.
  Generator(uint64_t seed, const MakingOptions& options, double bytes)
      : seed_(seed),
        limitBytes_(options.limitBytes),
        cancel_(options.cancel),
        progress_(bytes, options.progress) {}

  Result<Literal> valueOf(Shape shape, uint64_t which, const HintOf& hintOf) {
    path_.clear();
    SeededNumbers numbers(seed_ ^ (which * 0xd1342543de82ef95u + 1));
    return leafOrTuple(shape, hintOf, numbers);
  }

 private:
  Result<Literal> leafOrTuple(Shape shape, const HintOf& hintOf, SeededNumbers& numbers) {
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
    const auto bytes = static_cast<int64_t>(literal.bytes().size());
    limitBytes_ -= bytes;
    if (shape.isToken()) return literal;
    TRY_STATUS(fillSeeded(literal, hintOf(path_), numbers, [&](int64_t made) -> Status {
      if (cancel_.cancelled()) return fail("cancelled", "making arguments was cancelled");
      progress_.now(bytesMade_ + static_cast<double>(made));
      return {};
    }));
    bytesMade_ += static_cast<double>(bytes);
    return literal;
  }

  uint64_t seed_;
  int64_t limitBytes_;
  CancelToken cancel_;
  Progress progress_;
  double bytesMade_ = 0;
  std::vector<int64_t> path_;
};

// A value of a module to make, and its number among the seed's.
struct Wanted {
  const Instruction* value;
  uint64_t which;
};

// Without sizes of 1, which passes add and remove as they like. Arrays alone have any.
Shape withoutOnes(Shape shape) {
  if (shape.isTuple()) {
    std::vector<Shape> elements;
    for (const Shape element : shape.tupleShapes()) elements.push_back(withoutOnes(element));
    return Shape::tuple(elements);
  }
  if (!shape.isArray() || shape.isDynamic()) return shape;
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  std::erase(sizes, 1);
  return Shape::array(shape.elementType(), sizes);
}

// Of all arrays of these sizes, whatever their elements: parameters have the numbers below.
uint64_t numberOfSizes(Shape shape) {
  uint64_t number = uint64_t{1} << 32;
  const auto add = [&](uint64_t part) { number = (number ^ part) * 0x100000001b3u; };
  if (shape.isTuple()) {
    for (const Shape element : shape.tupleShapes()) add(numberOfSizes(element));
  } else if (shape.isArray()) {
    for (const int64_t size : shape.dimensions()) add(static_cast<uint64_t>(size));
  }
  return number | uint64_t{1} << 32;
}

// The same elements, in a shape of as many.
Literal inShape(Shape shape, Literal value) {
  if (value.shape() == shape) return value;
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (size_t i = 0; i < shape.tupleShapes().size(); ++i)
      elements.push_back(inShape(shape.tupleShapes()[i], value.elements()[i]));
    return Literal::tuple(std::move(elements));
  }
  Literal shaped(shape);
  std::ranges::copy(value.bytes(), shaped.mutableBytes().begin());
  return shaped;
}

std::vector<Wanted> elidedConstants(const Module& module) {
  std::vector<Wanted> elided;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const Literal* literal =
          instruction->opcode() == Opcode::Constant ? instruction->get<Attr::Literal>() : nullptr;
      if (literal != nullptr && literal->isElided())
        elided.push_back({instruction, numberOfSizes(withoutOnes(instruction->shape()))});
    }
  }
  return elided;
}

// Constants into their place, parameters into theirs.
Result<GeneratedArguments> makeAll(const Module& module, std::span<const Wanted> wanted, uint64_t seed,
                                   const MakingOptions& options) {
  GeneratedArguments made;
  if (wanted.empty()) return made;
  double bytes = 0;
  for (const Wanted& each : wanted) bytes += static_cast<double>(each.value->shape().byteSize());
  const ValueTracer tracer(module);
  Generator generator(seed, options, bytes);
  for (const auto& [instruction, which] : wanted) {
    const bool isParameter = instruction->opcode() == Opcode::Parameter;
    const Shape shape = instruction->shape();
    TRY(Literal value,
        generator.valueOf(isParameter ? shape : withoutOnes(shape), which,
                          [&](std::span<const int64_t> path) { return tracer.trace(*instruction, path); }));
    if (isParameter) {
      made.arguments.push_back(std::move(value));
    } else {
      made.constants.emplace(instruction, inShape(shape.withoutLayout(), std::move(value)));
      made.notes.push_back(fmt::format("{} was elided: filled from seed {}", instruction->name(), seed));
    }
  }
  return made;
}

}  // namespace

Result<GeneratedArguments> fillElidedConstants(const Module& module, uint64_t seed,
                                               const MakingOptions& options) {
  return makeAll(module, elidedConstants(module), seed, options);
}

Result<GeneratedArguments> makeArguments(const Module& module, uint64_t seed, const MakingOptions& options) {
  if (module.entry() == nullptr) return fail("malformed-module", "the module has no entry computation");
  std::vector<Wanted> wanted = elidedConstants(module);
  uint64_t number = 0;
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (parameter == nullptr) return fail("malformed-module", "the entry computation lacks a parameter");
    wanted.push_back({parameter, number++});
  }
  return makeAll(module, wanted, seed, options);
}

Result<std::vector<Literal>> makeArguments(std::span<const Shape> parameters, uint64_t seed,
                                           const MakingOptions& options) {
  double bytes = 0;
  for (const Shape parameter : parameters) bytes += static_cast<double>(parameter.byteSize());
  Generator generator(seed, options, bytes);
  std::vector<Literal> arguments;
  for (const Shape parameter : parameters) {
    TRY(Literal value, generator.valueOf(parameter, arguments.size(), [](auto) { return ValueHint(); }));
    arguments.push_back(std::move(value));
  }
  return arguments;
}

}  // namespace hilo
