#include "core/compiler/passes/collectives/ragged_all_to_all.h"

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isNarrow(const Instruction& i) {
  return i.opcode() == Opcode::RaggedAllToAll && i.operand(2)->shape().elementType() != ElementType::S64;
}

Instruction* widened(Instruction& exchange) {
  std::vector<Instruction*> operands(exchange.operands().begin(), exchange.operands().end());
  for (size_t k = 2; k < operands.size(); ++k)
    operands[k] = convertTo(operands[k], ElementType::S64, exchange);
  return exchange.parent().createLike(exchange, operands, &exchange);
}

bool isDecomposed(const Instruction& i) {
  if (i.opcode() != Opcode::RaggedAllToAll || i.operand(0)->shape().elementCount() == 0) return false;
  const auto devices = groupSizeOf(i);
  const int64_t updates = i.operand(2)->shape().dimension(0);
  return devices && *devices > 0 && updates > 0 && updates % *devices == 0;
}

std::vector<int64_t> sizesOf(const Instruction& value) {
  return {value.shape().dimensions().begin(), value.shape().dimensions().end()};
}

// One ragged-all-to-all in parts. An update is what one device has for another; each has as many for each.
class Decomposition {
 public:
  explicit Decomposition(Instruction& exchange)
      : exchange_(exchange),
        devices_(*groupSizeOf(exchange)),
        updates_(exchange.operand(2)->shape().dimension(0)),
        longest_(exchange.operand(0)->shape().dimension(0)) {}

  Instruction* make() {
    Instruction* places = offsetsHere();
    Instruction* received = exchangePadded();
    Instruction* output = padded(exchange_.operand(1));
    for (int64_t k = 0; k < updates_; ++k) output = withUpdate(output, received, places, k);
    return cutTo(output, sizesOf(exchange_), exchange_);
  }

 private:
  int64_t each() const { return updates_ / devices_; }

  // Senders say where in the receiver's output an update begins; this device is told for its own.
  Instruction* offsetsHere() {
    Instruction* offsets = reshapeTo(exchange_.operand(4), std::vector<int64_t>{devices_, each()}, exchange_);
    Instruction* here = createAmongSame(exchange_, Opcode::AllToAll, offsets->shape(), offsets, exchange_);
    const int64_t first[] = {0};
    here->set<Attr::Dimensions>(first);
    return reshapeTo(here, std::vector<int64_t>{updates_}, exchange_);
  }

  // A tuple with an array for each device, of its updates, each followed by whatever comes behind it.
  Instruction* exchangePadded() {
    Instruction* input = padded(exchange_.operand(0));
    std::vector<Instruction*> sent;
    std::vector<Shape> shapes;
    for (int64_t device = 0; device < devices_; ++device) {
      sent.push_back(updatesFor(device, input));
      shapes.push_back(sent.back()->shape());
    }
    Instruction* all = createAmongSame(exchange_, Opcode::AllToAll,
                                       devices_ == 1 ? shapes[0] : Shape::tuple(shapes), sent[0], exchange_);
    for (size_t k = 1; k < sent.size(); ++k) all->appendOperand(sent[k]);
    return all;
  }

  Instruction* updatesFor(int64_t device, Instruction* input) {
    const std::vector<int64_t> size = sizesOf(*exchange_.operand(0));
    std::vector<int64_t> one = size;
    one.insert(one.begin(), 1);
    std::vector<Instruction*> parts;
    for (int64_t k = 0; k < each(); ++k) {
      Instruction* part = create(Opcode::DynamicSlice, exchange_.operand(0)->shape(),
                                 startingAt(input, exchange_.operand(2), device * each() + k));
      part->set<Attr::DynamicSliceSizes>(size);
      parts.push_back(reshapeTo(part, one, exchange_));
    }
    if (parts.size() == 1) return parts[0];
    one[0] = each();
    Instruction* all = create(Opcode::Concatenate, like(exchange_.operand(0), one), parts);
    const int64_t first[] = {0};
    all->set<Attr::Dimensions>(first);
    return all;
  }

  // {value, the number `k` of `offsets`, 0, ...}
  std::vector<Instruction*> startingAt(Instruction* value, Instruction* offsets, int64_t k) {
    std::vector<Instruction*> operands = {value, elementOf(offsets, k, exchange_)};
    if (value->shape().rank() > 1) {
      Instruction* zero =
          exchange_.parent().createConstant(Literal::scalar(ElementType::S64, int64_t{0}), &exchange_);
      operands.resize(value->shape().rank() + 1, zero);
    }
    return operands;
  }

  Instruction* withUpdate(Instruction* output, Instruction* received, Instruction* places, int64_t k) {
    Instruction* updates = devices_ == 1 ? received : elementOfTuple(received, k / each(), exchange_);
    std::vector<Instruction*> operands =
        startingAt(broadcastTo(zero(), sizesOf(*output), {}, exchange_), places, k);
    operands.insert(operands.begin() + 1, rowOf(updates, k % each()));
    Instruction* update = create(Opcode::DynamicUpdateSlice, output->shape(), operands);
    return create(Opcode::Select, output->shape(), std::vector{rowsOf(places, k, output), update, output});
  }

  Instruction* rowOf(Instruction* updates, int64_t k) {
    std::vector<int64_t> sizes = sizesOf(*updates);
    std::vector<SliceRange> ranges;
    for (const int64_t size : sizes) ranges.push_back({.start = 0, .limit = size});
    ranges[0] = {.start = k, .limit = k + 1};
    if (sizes[0] != 1) {
      sizes[0] = 1;
      updates = create(Opcode::Slice, like(updates, sizes), std::vector{updates});
      updates->set<Attr::Slice>(ranges);
    }
    sizes.erase(sizes.begin());
    return reshapeTo(updates, sizes, exchange_);
  }

  // True in the rows of the output that update `k` fills: offset <= row < offset + size.
  Instruction* rowsOf(Instruction* places, int64_t k, Instruction* output) {
    const std::vector<int64_t> sizes = sizesOf(*output);
    Instruction* start = elementOf(places, k, exchange_);
    Instruction* size = elementOf(exchange_.operand(5), k, exchange_);
    Instruction* end = create(Opcode::Add, start->shape(), std::vector{start, size});
    Instruction* row = create(Opcode::Iota, arrayLike(output->shape(), ElementType::S64, sizes), {});
    row->set<Attr::IotaDimension>(0);
    const Shape flags = arrayLike(output->shape(), ElementType::Pred, sizes);
    const auto compared = [&](Instruction* bound, ComparisonDirection direction) {
      Instruction* flag =
          create(Opcode::Compare, flags, std::vector{row, broadcastTo(bound, sizes, {}, exchange_)});
      flag->set<Attr::Direction>(direction);
      return flag;
    };
    return create(
        Opcode::And, flags,
        std::vector{compared(start, ComparisonDirection::Ge), compared(end, ComparisonDirection::Lt)});
  }

  // With room behind it for the longest update.
  Instruction* padded(Instruction* value) {
    std::vector<int64_t> sizes = sizesOf(*value);
    sizes[0] += longest_;
    return padTo(value, sizes, zero(), exchange_);
  }
  Instruction* zero() {
    return exchange_.parent().createConstant(
        Literal(Shape::scalar(exchange_.operand(0)->shape().elementType())), &exchange_);
  }
  static Shape like(const Instruction* value, std::span<const int64_t> sizes) {
    return arrayLike(value->shape(), value->shape().elementType(), sizes);
  }
  Instruction* create(Opcode opcode, Shape shape, std::span<Instruction* const> operands) {
    return exchange_.parent().create(opcode, shape, operands, {}, &exchange_);
  }

  Instruction& exchange_;
  int64_t devices_, updates_, longest_;
};

Instruction* decomposed(Instruction& exchange) { return Decomposition(exchange).make(); }

}  // namespace

Result<bool> canonicalizeRaggedAllToAlls(Module& module, PassContext& context) {
  return rewriteEach(module, context, "widened", isNarrow, widened);
}

Result<bool> decomposeRaggedAllToAlls(Module& module, PassContext& context) {
  for (const Computation* computation : unfusedComputations(module)) {
    for (const Instruction* i : computation->instructions()) {
      if (isNarrow(*i)) {
        return fail(
            "unsupported-type",
            fmt::format("{} has offsets that are no s64; ragged-all-to-all-canonicalizer makes them so",
                        i->name()));
      }
    }
  }
  return rewriteEach(module, context, "decomposed", isDecomposed, decomposed);
}

}  // namespace hilo
