#include "core/analysis/rounding_bound.h"

#include <absl/container/flat_hash_map.h>

#include <cmath>

#include "core/analysis/expected_rounding.h"
#include "core/analysis/taken_branch.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/literal_access.h"
#include "core/hlo/expand/dot_algorithm.h"
#include "core/hlo/expand/library_calls.h"

namespace hilo {
namespace {

bool isRounded(ElementType type) { return isFloat(type) || isComplex(type); }

// out = make(a, b), element by element, a few at a time.
template <typename Number, typename Make>
void combineElements(Literal& out, const Literal& a, const Literal& b, Make make) {
  constexpr ElementType kNumber = kIsComplexElement<Number> ? ElementType::C128 : ElementType::F64;
  constexpr int64_t kBlock = 1024;
  const ElementType type = a.shape().elementType(), other = b.shape().elementType();
  const auto at = [](const Literal& literal, ElementType type, int64_t i) {
    return literal.bytes().data() + i * elementStorageBytes(type);
  };
  std::byte* const to = out.mutableBytes().data();
  std::array<Number, kBlock> values, others;
  for (int64_t first = 0; first < a.shape().elementCount(); first += kBlock) {
    const int64_t count = std::min(kBlock, a.shape().elementCount() - first);
    convertElements(values.data(), kNumber, at(a, type, first), type, count);
    convertElements(others.data(), kNumber, at(b, other, first), other, count);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) values[i] = make(values[i], others[i]);
    convertElements(to + first * elementStorageBytes(type), type, values.data(), kNumber, count);
  }
}

// a's shape, each float or complex number made of those of a and b; the rest is a's.
template <typename Make>
Literal combined(const Literal& a, const Literal& b, Make make) {
  if (a.isTuple()) {
    std::vector<Literal> elements;
    for (size_t i = 0; i < a.elements().size(); ++i)
      elements.push_back(combined(a.elements()[i], b.elements()[i], make));
    return Literal::tuple(std::move(elements));
  }
  if (!a.shape().isArray() || !isRounded(a.shape().elementType())) return a;
  Literal result(a.shape());
  if (isComplex(a.shape().elementType())) {
    combineElements<std::complex<double>>(result, a, b, make);
  } else {
    combineElements<double>(result, a, b, make);
  }
  return result;
}

Literal zerosLike(const Literal& value) {
  if (!value.isTuple()) return value.shape().isArray() ? Literal(value.shape()) : value;
  std::vector<Literal> elements;
  for (const Literal& element : value.elements()) elements.push_back(zerosLike(element));
  return Literal::tuple(std::move(elements));
}

bool isZero(const Literal& bound) {
  if (bound.isTuple()) return std::ranges::all_of(bound.elements(), isZero);
  return std::ranges::all_of(bound.bytes(), [](std::byte b) { return b == std::byte{0}; });
}

// Of what was added up in another order or with operands moved: where one is not finite nothing is known.
Literal moved(const Literal& bound, const Literal& value, const Literal& other) {
  const Literal distance = combined(value, other, [](auto x, auto y) {
    const double by = std::abs(x - y);
    return std::isfinite(by) ? by : 0;
  });
  return combined(bound, distance, [](auto x, auto y) { return std::max(std::real(x), std::real(y)); });
}

Literal sum(const Literal& a, const Literal& b) {
  return combined(a, b, [](auto x, auto y) { return x + y; });
}

// Whether an operand's sign belongs to a term, and not to what chooses among them.
bool isTerm(const Instruction& instruction, size_t operand) {
  return instruction.opcode() != Opcode::SelectAndScatter || operand != 0;
}

std::vector<const Instruction*> distinctOperands(const Instruction& instruction) {
  std::vector<const Instruction*> operands(instruction.operands().begin(), instruction.operands().end());
  std::ranges::sort(operands);
  operands.erase(std::ranges::unique(operands).begin(), operands.end());
  return operands;
}

bool isExpanded(const Instruction& instruction) {
  return instruction.opcode() == Opcode::CustomCall || hasAlgorithmOfItsOwn(instruction);
}

}  // namespace

Literal magnitudesOf(const Literal& value) {
  return combined(value, value, [](auto x, auto) { return std::abs(x); });
}

Literal roundingOf(const Literal& value) {
  if (value.isTuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : value.elements()) elements.push_back(roundingOf(element));
    return Literal::tuple(std::move(elements));
  }
  if (!value.shape().isArray() || !isRounded(value.shape().elementType())) return zerosLike(value);
  const double unit = defaultTolerance(value.shape().elementType()).relative;
  return combined(value, value, [unit](auto x, auto) {
    const double magnitude = std::abs(x);
    return std::isfinite(magnitude) ? unit * magnitude : 0;
  });
}

RoundingBound::RoundingBound(DeviceGrid grid, int64_t device, int64_t mostBytes, CancelToken cancel)
    : grid_(grid), device_(device), cancel_(std::move(cancel)), mostBytes_(mostBytes) {}

Result<Literal> RoundingBound::evaluated(const Instruction& instruction,
                                         std::span<const Literal> operands) const {
  std::vector<const Literal*> pointers;
  for (const Literal& operand : operands) pointers.push_back(&operand);
  return evaluateInstruction(instruction, pointers, options());
}

EvalOptions RoundingBound::options() const {
  return {.cancel = cancel_,
          .maxLiveBytes = mostBytes_,
          .replicaId = device_ / grid_.partitions,
          .partitionId = device_ % grid_.partitions};
}

Result<Literal> RoundingBound::of(const Instruction& instruction, std::span<const Literal> operands,
                                  const Literal& value) {
  std::vector<Literal> exact;
  for (const Literal& operand : operands) exact.push_back(zerosLike(operand));
  return ofInstruction(instruction, {operands, exact}, value);
}

Result<Literal> RoundingBound::ofRoot(const Computation& computation, std::span<const Literal> arguments) {
  std::vector<Literal> exact;
  for (const Literal& argument : arguments) exact.push_back(zerosLike(argument));
  return through(computation, {arguments, exact});
}

// Goes along with the evaluation: a value and its bound are dropped where the last instruction has read them.
Result<Literal> RoundingBound::through(const Computation& computation, Operands arguments) {
  struct Known {
    Literal value, bound;
    size_t readers = 0;
  };
  absl::flat_hash_map<const Instruction*, Known> known;
  const auto boundOf = [&](const Instruction& instruction, const Literal& value) -> Result<Literal> {
    if (instruction.opcode() == Opcode::Parameter)
      return arguments.bounds[static_cast<size_t>(instruction.parameterNumber())];
    std::vector<Literal> operands, off;
    for (const Instruction* operand : instruction.operands()) {
      operands.push_back(known.at(operand).value);
      off.push_back(known.at(operand).bound);
    }
    return ofInstruction(instruction, {operands, off}, value);
  };
  Status followed;
  EvalOptions observing = options();
  observing.observe = [&](const Instruction& instruction, const Literal& value) {
    if (!followed) return;
    auto bound = boundOf(instruction, value);
    if (!bound) {
      followed = std::unexpected(std::move(bound).error());
      return;
    }
    known[&instruction] = {value, *std::move(bound), instruction.users().size()};
    for (const Instruction* operand : distinctOperands(instruction)) {
      if (--known.at(operand).readers == 0 && operand != computation.root()) known.erase(operand);
    }
  };
  TRY_STATUS(evaluateComputation(computation, arguments.values, observing));
  TRY_STATUS(followed);
  return known.at(computation.root()).bound;
}

Result<Literal> RoundingBound::ofInstruction(const Instruction& instruction, Operands operands,
                                             const Literal& value) {
  switch (instruction.opcode()) {
    case Opcode::Tuple:
      return Literal::tuple({operands.bounds.begin(), operands.bounds.end()});
    case Opcode::GetTupleElement:
      return operands.bounds[0].elements()[static_cast<size_t>(instruction.tupleIndex())];
    case Opcode::AddDependency:
    case Opcode::Domain:
    case Opcode::OptBarrier:
      return operands.bounds[0];
    case Opcode::Call:
    case Opcode::Fusion:
      return through(*instruction.calledComputations()[0], operands);
    case Opcode::Conditional: {
      const TakenBranch taken = takenBranch(instruction, operands.values[0]);
      return through(*taken.computation, {operands.values.subspan(taken.number + 1, 1),
                                          operands.bounds.subspan(taken.number + 1, 1)});
    }
    case Opcode::While:
      return ofLoop(instruction, operands);
    default:
      break;
  }
  if (!isExpanded(instruction)) return ofOperation(instruction, operands, value);
  TRY(const auto expansion, expandedAlone(instruction));
  return through(*expansion->entry(), operands);
}

Result<Literal> RoundingBound::ofOperation(const Instruction& instruction, Operands operands,
                                           const Literal& value) {
  if (addsTerms(instruction)) return ofSum(instruction, operands);
  Literal bound = roundsNothing(instruction.opcode()) ? zerosLike(value) : roundingOf(value);
  std::vector<Literal> tried(operands.values.begin(), operands.values.end());
  for (size_t i = 0; i < tried.size(); ++i) {
    if (isZero(operands.bounds[i])) continue;
    Literal own = zerosLike(value);
    for (const double sign : {1., -1.}) {
      tried[i] =
          combined(operands.values[i], operands.bounds[i], [sign](auto x, auto by) { return x + sign * by; });
      TRY(const Literal other, evaluated(instruction, tried));
      own = moved(own, value, other);
    }
    tried[i] = operands.values[i];
    bound = sum(bound, own);
  }
  return bound;
}

// The operation adds up magnitudes as it adds up terms.
Result<Literal> RoundingBound::ofSum(const Instruction& instruction, Operands operands) {
  std::vector<Literal> magnitudes;
  for (size_t i = 0; i < operands.values.size(); ++i) {
    magnitudes.push_back(isTerm(instruction, i) ? magnitudesOf(operands.values[i]) : operands.values[i]);
  }
  TRY(const Literal terms, evaluated(instruction, magnitudes));
  Literal bound = roundingOf(terms);
  for (size_t i = 0; i < magnitudes.size(); ++i) {
    if (isZero(operands.bounds[i]) || !isTerm(instruction, i)) continue;
    const Literal kept = std::exchange(magnitudes[i], operands.bounds[i]);
    TRY(const Literal off, evaluated(instruction, magnitudes));
    bound = sum(bound, magnitudesOf(off));
    magnitudes[i] = kept;
  }
  return bound;
}

Result<Literal> RoundingBound::ofLoop(const Instruction& loop, Operands operands) {
  std::vector<Literal> state = {operands.values[0]}, off = {operands.bounds[0]};
  while (true) {
    TRY(const Literal goesOn, evaluateComputation(*loop.get<Attr::Condition>(), state, options()));
    if (goesOn.bytes()[0] == std::byte{0}) return off[0];
    TRY(Literal bound, through(*loop.get<Attr::Body>(), {state, off}));
    TRY(state[0], evaluateComputation(*loop.get<Attr::Body>(), state, options()));
    off[0] = std::move(bound);
  }
}

}  // namespace hilo
