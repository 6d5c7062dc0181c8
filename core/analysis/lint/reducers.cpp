// Whether a reducer's result depends on the order or grouping of its terms, asked of the reducer itself: it
// is evaluated on a few small numbers, whose sums and products every element type holds, in both orders and
// both groupings. A difference is a proof; no difference is none.

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <optional>

#include "core/analysis/lint/rules.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/eval/kernel.h"

namespace hilo {
namespace {

using State = std::vector<Literal>;  // one scalar for each array that is reduced

double numberOf(const Literal& scalar) {
  double number = 0;
  convertElements(&number, ElementType::F64, scalar.bytes().data(), scalar.shape().elementType(), 1);
  return number;
}

bool isReal(Shape shape) { return shape.isScalar() && !isComplex(shape.elementType()); }

std::string textOf(const State& state) {
  std::vector<std::string> numbers;
  for (const Literal& scalar : state) numbers.push_back(fmt::format("{}", numberOf(scalar)));
  return numbers.size() == 1 ? numbers[0] : fmt::format("({})", fmt::join(numbers, ", "));
}

class Reducer {
 public:
  explicit Reducer(const Computation& computation) : computation_(computation) {}

  // Parameters are accumulators and then as many terms, all of them real scalars.
  bool canBeAsked() const {
    const auto parameters = computation_.parameters();
    return !parameters.empty() && parameters.size() % 2 == 0 &&
           std::ranges::all_of(parameters, [](const Instruction* p) { return isReal(p->shape()); });
  }

  // `first` and what follows it, one number for each array.
  State sample(int first) const {
    State state;
    for (size_t i = 0; i < computation_.parameters().size() / 2; ++i) {
      Literal scalar(Shape::scalar(computation_.parameters()[i]->shape().elementType()));
      const double number = first + 10 * static_cast<double>(i);
      convertElements(scalar.mutableBytes().data(), scalar.shape().elementType(), &number, ElementType::F64,
                      1);
      state.push_back(std::move(scalar));
    }
    return state;
  }

  std::optional<State> apply(const State& a, const State& b) const {
    std::vector<Literal> arguments = a;
    arguments.insert(arguments.end(), b.begin(), b.end());
    EvalOptions options;
    options.maxSteps = 10'000;
    options.maxLiveBytes = 1 << 20;
    auto result = evaluateComputation(computation_, arguments, options);
    if (!result) return std::nullopt;
    State state;
    if (result->isTuple()) {
      state.assign(result->elements().begin(), result->elements().end());
    } else {
      state.push_back(*std::move(result));
    }
    const bool fits = state.size() == a.size() &&
                      std::ranges::all_of(state, [](const Literal& l) { return isReal(l.shape()); });
    return fits ? std::optional(std::move(state)) : std::nullopt;
  }

  static bool agree(const State& a, const State& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      const double x = numberOf(a[i]), y = numberOf(b[i]);
      const double allowed = 8 * epsilonOf(a[i].shape().elementType()) * std::max(std::abs(x), std::abs(y));
      if (x != y && !(std::isnan(x) && std::isnan(y)) && !(std::abs(x - y) <= allowed)) return false;
    }
    return true;
  }

 private:
  const Computation& computation_;
};

// "f(2, 3) = -1 and f(3, 2) = 1"; nullopt: none was found, or the reducer cannot be evaluated alone.
std::optional<std::string> orderCounts(const Reducer& reducer, bool termsMaySwapWithState) {
  constexpr std::array<std::array<int, 3>, 3> kSamples = {{{2, 3, 5}, {0, 1, 1}, {1, 0, 0}}};
  for (const auto& numbers : kSamples) {
    const State a = reducer.sample(numbers[0]), b = reducer.sample(numbers[1]),
                c = reducer.sample(numbers[2]);
    const auto ab = reducer.apply(a, b), ba = reducer.apply(b, a);
    const auto ac = reducer.apply(a, c), bc = reducer.apply(b, c);
    if (!ab || !ba || !ac || !bc) return std::nullopt;
    const auto abThenC = reducer.apply(*ab, c), acThenB = reducer.apply(*ac, b),
               aThenBc = reducer.apply(a, *bc);
    if (!abThenC || !acThenB || !aThenBc) return std::nullopt;
    const std::string x = textOf(a), y = textOf(b), z = textOf(c);
    if (!Reducer::agree(*abThenC, *acThenB))
      return fmt::format("f(f({0}, {1}), {2}) = {3} and f(f({0}, {2}), {1}) = {4}", x, y, z, textOf(*abThenC),
                         textOf(*acThenB));
    if (!termsMaySwapWithState) continue;
    if (!Reducer::agree(*ab, *ba))
      return fmt::format("f({0}, {1}) = {2} and f({1}, {0}) = {3}", x, y, textOf(*ab), textOf(*ba));
    if (!Reducer::agree(*abThenC, *aThenBc))
      return fmt::format("f(f({0}, {1}), {2}) = {3} and f({0}, f({1}, {2})) = {4}", x, y, z, textOf(*abThenC),
                         textOf(*aThenBc));
  }
  return std::nullopt;
}

const Computation* reducerOf(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::AllReduce:
    case Opcode::AllReduceStart:
    case Opcode::ReduceScatter:
      return instruction.get<Attr::ToApply>();
    case Opcode::Scatter:
      return instruction.get<Attr::UniqueIndices>().value_or(false) ? nullptr
                                                                    : instruction.get<Attr::ToApply>();
    case Opcode::SelectAndScatter:
      return instruction.get<Attr::Scatter>();
    default:
      return nullptr;
  }
}

// A scatter updates its operand by one term after the other, and never two terms with each other.
bool combinesTerms(Opcode opcode) { return opcode != Opcode::Scatter && opcode != Opcode::SelectAndScatter; }

}  // namespace

void lintReducers(const Module& module, LintFindings& found) {
  absl::flat_hash_map<std::pair<const Computation*, bool>, std::optional<std::string>> asked;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const Computation* reducer = reducerOf(*instruction);
      if (reducer == nullptr) continue;
      const bool combines = combinesTerms(instruction->opcode());
      const auto [answer, isNew] = asked.try_emplace(std::pair(reducer, combines));
      if (isNew) {
        const Reducer f(*reducer);
        if (f.canBeAsked()) answer->second = orderCounts(f, combines);
      }
      if (!answer->second) continue;
      found.push_back({.instruction = instruction,
                       .message = fmt::format(
                           "the result of {} {} depends on the order of its terms: with f = "
                           "{}, {}",
                           instruction->opcodeText(), instruction->name(), reducer->name(), *answer->second),
                       .notes = {combines ? "XLA takes terms in an order and grouping of its own: make the "
                                            "reducer commutative and associative"
                                          : "XLA applies updates of one element in any order: make the order "
                                            "not matter, or say unique_indices=true where indices are"}});
    }
  }
}

}  // namespace hilo
