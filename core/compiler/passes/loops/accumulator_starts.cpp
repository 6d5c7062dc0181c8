#include "core/compiler/passes/loops/accumulator_starts.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "core/analysis/while_loop.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/loops/loop_parts.h"
#include "core/compiler/passes/scalar_value.h"

namespace hilo {
namespace {

constexpr int64_t kMostTrips = 1 << 16;

// A number repeated, however it lies.
bool isOneNumber(const Instruction* value) {
  while (value->opcode() == Opcode::Bitcast || value->opcode() == Opcode::Copy ||
         value->opcode() == Opcode::Reshape)
    value = value->operand(0);
  if (value->opcode() != Opcode::Broadcast) return false;
  const Instruction* number = value->operand(0);
  while (number->opcode() == Opcode::Convert || number->opcode() == Opcode::BitcastConvert)
    number = number->operand(0);
  return number->opcode() == Opcode::Constant && number->shape().isScalar();
}

// Also of a kernel that does nothing else, or one of its results.
bool isOneNumberStart(const Instruction& start) {
  const bool isElement = start.opcode() == Opcode::GetTupleElement;
  const Instruction& kernel = isElement ? *start.operand(0) : start;
  if (kernel.opcode() != Opcode::Fusion) return isOneNumber(&start);
  const Instruction* root = kernel.get<Attr::Calls>()->root();
  if (kernel.operandCount() > 0 || isElement != (root->opcode() == Opcode::Tuple)) return false;
  return isOneNumber(isElement ? root->operand(static_cast<size_t>(start.tupleIndex())) : root);
}

// The one update on the way of an array through an iteration, and what parameters of kernels stand for.
struct Filling {
  const Instruction* update = nullptr;
  absl::flat_hash_map<const Instruction*, const Instruction*> standsFor;
};

// Follows the array from `value` to `end`; false where anything else is done with it, or it is written twice.
bool follow(const Instruction* value, const Instruction& end, Filling& filling) {
  while (value != &end) {
    if (value->users().size() != 1) return false;
    const Instruction* user = value->users()[0];
    if (user->opcode() == Opcode::DynamicUpdateSlice && filling.update == nullptr) {
      if (user->operand(0) != value) return false;
      filling.update = user;
    } else if (user->opcode() == Opcode::Fusion) {
      const Computation& body = *user->get<Attr::Calls>();
      for (size_t k = 0; k < user->operandCount(); ++k)
        filling.standsFor[body.parameters()[k]] = user->operand(k);
      const auto at = std::ranges::find(user->operands(), value) - user->operands().begin();
      if (!follow(body.parameters()[static_cast<size_t>(at)], *body.root(), filling)) return false;
    } else if (user->opcode() != Opcode::Bitcast) {
      return false;
    }
    value = user;
  }
  return true;
}

// The value of a start in the iteration where the counter has this value.
std::optional<int64_t> startAt(const Instruction& start, int64_t counter, int64_t counterIndex,
                               const Instruction& state, const Filling& filling) {
  const KnownScalar known = [&](const Instruction& i) -> std::optional<int64_t> {
    if (i.opcode() == Opcode::GetTupleElement && i.operand(0) == &state && i.tupleIndex() == counterIndex)
      return counter;
    const auto outer = filling.standsFor.find(&i);
    return outer == filling.standsFor.end() ? std::nullopt : scalarValue(*outer->second, known);
  };
  return scalarValue(start, known);
}

// Whether the updates of all iterations together write every element.
bool fillsAll(const Filling& filling, const InductionVariable& counter, const Instruction& state) {
  const Instruction& update = *filling.update;
  const Shape whole = update.shape(), part = update.operand(1)->shape();
  std::optional<size_t> along;
  for (size_t d = 0; d < whole.rank(); ++d) {
    if (part.dimension(d) == whole.dimension(d)) continue;
    if (along) return false;
    along = d;
  }
  if (!along) return true;
  const int64_t size = whole.dimension(*along), length = part.dimension(*along);
  std::vector<bool> written(static_cast<size_t>(size));
  for (int64_t n = 0; n < counter.trips; ++n) {
    const auto start = startAt(*update.operand(2 + *along), counter.init + n * counter.step,
                               counter.tupleIndex, state, filling);
    if (!start) return false;
    const int64_t from = std::clamp<int64_t>(*start, 0, size - length);
    std::fill_n(written.begin() + from, length, true);
  }
  return std::ranges::find(written, false) == written.end();
}

bool isFilled(const Instruction& loop, int64_t index, const InductionVariable& counter) {
  const Computation& body = *loop.get<Attr::Body>();
  const Instruction& state = *body.parameters()[0];
  const Instruction* value = nullptr;
  for (const Instruction* user : state.users()) {
    if (user->opcode() != Opcode::GetTupleElement) return false;
    if (user->tupleIndex() != index) continue;
    if (value != nullptr) return false;
    value = user;
  }
  if (value == nullptr || body.root()->opcode() != Opcode::Tuple) return false;
  const Instruction* end = body.root()->operand(static_cast<size_t>(index));
  Filling filling;
  return end->users().size() == 1 && value != end && follow(value, *end, filling) &&
         filling.update != nullptr && fillsAll(filling, counter, state);
}

bool isCandidate(const Instruction& start, const InductionVariable& counter) {
  const Shape shape = start.shape();
  return shape.isArray() && shape.rank() > 0 && !shape.isDynamic() && shape.dimension(0) == counter.trips &&
         shape.elementCount() > 0 && start.users().size() == 1 && !start.has(Attr::Sharding) &&
         isOneNumberStart(start);
}

Instruction* openArray(Instruction& start, Instruction& before) {
  Instruction* made = before.parent().create(Opcode::CustomCall, start.shape(), {}, {}, &before);
  made->set<Attr::CustomCallTarget>("AllocateBuffer");
  if (const OpMetadata* metadata = start.get<Attr::Metadata>()) made->set<Attr::Metadata>(metadata);
  return made;
}

}  // namespace

Result<bool> dropAccumulatorStarts(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* loop : whileLoopsOf(*computation)) {
      const auto counter = inductionVariable(*loop);
      Instruction* init = loop->operand(0);
      if (context.cancelled()) return changed;
      if (!counter || counter->trips < 1 || counter->trips > kMostTrips || loop->has(Attr::Sharding) ||
          init->opcode() != Opcode::Tuple)
        continue;
      for (size_t k = 0; k < init->operandCount(); ++k) {
        Instruction& start = *init->operand(k);
        if (!isCandidate(start, *counter) || !isFilled(*loop, static_cast<int64_t>(k), *counter)) continue;
        if (!context.mayChange(start)) return changed;
        context.remark(start, "dropped", fmt::format("%{} fills it before it is read", loop->name()));
        init->setOperand(k, openArray(start, *init));
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace hilo
