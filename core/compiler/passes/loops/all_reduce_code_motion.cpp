#include "core/compiler/passes/loops/all_reduce_code_motion.h"

#include "core/analysis/call_graph.h"
#include "core/analysis/well_formed.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/pass/next_channel.h"
#include "core/compiler/passes/loops/loop_parts.h"
#include "core/compiler/passes/loops/reduction_uses.h"

namespace hilo {
namespace {

class Mover {
 public:
  Mover(Instruction& loop, const AllReduceMotionOptions& options, PassContext& context)
      : loop_(loop), options_(options), context_(context) {}

  Result<bool> run(int64_t& channel) {
    if (candidates().empty()) return false;
    if (const std::string_view fixed = whyLoopIsFixed(loop_); !fixed.empty()) {
      context_.remark(loop_, "missed", fmt::format("nothing leaves it: {}", fixed));
      return false;
    }
    PassContext unheard;
    if (find(context_).empty()) return false;
    TRY(parts_, takeLoopApart(loop_));
    for (const auto& [reduction, use] : find(unheard)) {
      if (!context_.mayChange(*reduction)) break;
      context_.remark(*reduction, "moved", fmt::format("behind %{}", loop_.name()));
      if (const auto* sums = std::get_if<AccumulatedReduction>(&use)) {
        for (size_t i = 0; i < sums->elements.size(); ++i)
          addBehind(*reduction, sums->elements[i], sums->scattered[i], channel);
      } else {
        reduceBehind(*reduction, std::get<StoredReduction>(use), channel);
      }
      takeOut(*reduction);
    }
    restoreOrder(parts_);
    return true;
  }

 private:
  using Use = std::variant<std::monostate, AccumulatedReduction, StoredReduction>;

  std::vector<Instruction*> candidates() const {
    std::vector<Instruction*> found;
    for (Instruction* i : loop_.get<Attr::Body>()->instructions()) {
      if (i->opcode() == Opcode::AllReduce ||
          (options_.reduceScatters && i->opcode() == Opcode::ReduceScatter))
        found.push_back(i);
    }
    return found;
  }

  std::vector<std::pair<Instruction*, Use>> find(PassContext& context) const {
    const UniformValues uniform(loop_);
    std::vector<std::pair<Instruction*, Use>> found;
    for (Instruction* reduction : candidates()) {
      ReductionUse use = findReductionUse(*reduction, loop_, uniform, options_.followsScatters);
      std::string reason = std::move(use.reason);
      if (reduction->get<Attr::ConstrainLayout>().value_or(false)) reason = "its layout is fixed";
      if (reason.empty()) reason = whyInTheWay(use.use, found, *reduction);
      if (reason.empty()) {
        found.emplace_back(reduction, std::move(use.use));
      } else {
        context.remark(*reduction, "missed", fmt::format("stays in its loop: {}", reason));
      }
    }
    return found;
  }

  // Two of one element: stores apart from each other are fine.
  std::string whyInTheWay(const Use& use, const std::vector<std::pair<Instruction*, Use>>& found,
                          const Instruction& reduction) const {
    if (const auto* stored = std::get_if<StoredReduction>(&use)) {
      int64_t bytes = elementStorageBytes(reduction.shape().elementType());
      for (const int64_t size : stored->sizes) bytes = saturatingMultiply(bytes, size);
      if (bytes > options_.maxStoredBytes) return "one for all iterations would be too large";
    }
    for (const auto& [other, otherUse] : found) {
      const auto* a = std::get_if<StoredReduction>(&use);
      const auto* b = std::get_if<StoredReduction>(&otherUse);
      if (a != nullptr && b != nullptr && a->element == b->element && overlap(*a, *b))
        return fmt::format("%{} is stored over it", other->name());
      const auto* x = std::get_if<AccumulatedReduction>(&use);
      const auto* y = std::get_if<AccumulatedReduction>(&otherUse);
      if (x == nullptr || y == nullptr) continue;
      for (const int64_t element : x->elements) {
        if (std::ranges::find(y->elements, element) != y->elements.end())
          return fmt::format("%{} is added to the same accumulator", other->name());
      }
    }
    return {};
  }
  static bool overlap(const StoredReduction& a, const StoredReduction& b) {
    for (size_t d = 0; d < a.offsets.size(); ++d) {
      if (a.offsets[d] + a.sizes[d] <= b.offsets[d] || b.offsets[d] + b.sizes[d] <= a.offsets[d])
        return false;
    }
    return true;
  }
  static int64_t saturatingMultiply(int64_t a, int64_t b) {
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
  }

  // In the loop, the device's own value takes the reduction's place.
  void takeOut(Instruction& reduction) {
    Computation& body = *parts_.body;
    Instruction* own = reduction.operand(0);
    if (reduction.opcode() == Opcode::AllReduce) {
      body.replaceAllUses(&reduction, own);
    } else {
      const int64_t scattered = reduction.get<Attr::Dimensions>()[0];
      widen(reduction, own, scattered, own->shape().dimension(static_cast<size_t>(scattered)));
    }
    body.remove(&reduction);
  }

  // The users of a part of an array, up to the additions, become users of all of it.
  void widen(Instruction& part, Instruction* whole, int64_t scattered, int64_t size) {
    const std::vector<Instruction*> users(part.users().begin(), part.users().end());
    for (Instruction* user : users) {
      for (size_t i = 0; i < user->operandCount(); ++i) {
        if (user->operand(i) == &part) user->setOperand(i, whole);
      }
      const int64_t dimension = dimensionAfter(*user, scattered);
      user->setShape(withSize(user->shape(), dimension, size));
      if (user->opcode() == Opcode::Select) widenChoice(*user, whole);
      if (user->opcode() != Opcode::Add) widen(*user, user, dimension, size);
    }
  }
  // A select between `value` and zero by one predicate: both of the size it now has.
  void widenChoice(Instruction& select, const Instruction* value) {
    Computation& body = *parts_.body;
    const Shape predicates = select.shape().withElementType(ElementType::Pred);
    Instruction* choice =
        body.create(Opcode::Broadcast, predicates, {select.operand(0)->operand(0)}, {}, &select);
    choice->set<Attr::Dimensions>(std::span<const int64_t>());
    Instruction* zero = makeZero(body, select.shape());
    select.setOperand(0, choice);
    select.setOperand(select.operand(1) == value ? 2 : 1, zero);
  }
  static Shape withSize(Shape shape, int64_t dimension, int64_t size) {
    std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
    sizes[static_cast<size_t>(dimension)] = size;
    return Shape::array(shape.elementType(), sizes, shape.layout());
  }

  Instruction* convert(Instruction* value, ElementType type) {
    if (value->shape().elementType() == type) return value;
    return parts_.outside().create(Opcode::Convert, value->shape().withElementType(type), {value});
  }

  Instruction* reduce(const Instruction& reduction, Instruction* value, Shape shape, int64_t& channel) {
    Instruction* made = parts_.outside().createLike(reduction, {&value, 1});
    made->setShape(shape);
    if (made->has(Attr::ChannelId)) made->set<Attr::ChannelId>(channel++);
    return made;
  }

  void addBehind(const Instruction& reduction, int64_t element, int64_t scattered, int64_t& channel) {
    const auto index = static_cast<size_t>(element);
    Instruction* start = parts_.init->operand(index);
    const auto readers = elementsAfterLoop(parts_, element);
    const bool scatters = reduction.opcode() == Opcode::ReduceScatter;
    if (scatters) {
      const auto split = static_cast<size_t>(reduction.get<Attr::Dimensions>()[0]);
      setCarriedShape(element,
                      withSize(start->shape(), scattered, reduction.operand(0)->shape().dimension(split)));
    }
    const Shape carried = parts_.parameter->shape().tupleShapes()[index];
    parts_.init->setOperand(index, makeZero(parts_.outside(), carried));
    const ElementType type = reduction.shape().elementType();
    Instruction* sum = convert(elementAfterLoop(parts_, element), type);
    sum = reduce(reduction, sum, scatters ? start->shape().withElementType(type) : sum->shape(), channel);
    if (scatters) sum->set<Attr::Dimensions>({&scattered, 1});
    sum = convert(sum, start->shape().elementType());
    replaceReaders(readers, parts_.outside().create(Opcode::Add, start->shape(), {start, sum}));
  }

  void setCarriedShape(int64_t element, Shape shape) {
    for (Instruction* tuple :
         {parts_.init, parts_.loop, parts_.parameter, parts_.root, parts_.condition->parameters()[0]}) {
      std::vector<Shape> shapes(tuple->shape().tupleShapes().begin(), tuple->shape().tupleShapes().end());
      shapes[static_cast<size_t>(element)] = shape;
      tuple->setShape(Shape::tuple(shapes));
    }
    for (Instruction* reader : elementsInBody(parts_, element)) reader->setShape(shape);
  }

  void reduceBehind(const Instruction& reduction, const StoredReduction& stored, int64_t& channel) {
    Computation& outside = parts_.outside();
    const auto readers = elementsAfterLoop(parts_, stored.element);
    Instruction* whole = elementAfterLoop(parts_, stored.element);
    Instruction* part = whole;
    const bool isWhole = std::ranges::equal(stored.sizes, whole->shape().dimensions());
    if (!isWhole) {
      std::vector<SliceRange> ranges;
      for (size_t d = 0; d < stored.sizes.size(); ++d)
        ranges.push_back({stored.offsets[d], stored.offsets[d] + stored.sizes[d], 1});
      part = outside.create(Opcode::Slice, Shape::array(whole->shape().elementType(), stored.sizes), {whole});
      part->set<Attr::Slice>(std::span<const SliceRange>(ranges));
    }
    part = convert(part, reduction.shape().elementType());
    part = reduce(reduction, part, part->shape(), channel);
    part = convert(part, whole->shape().elementType());
    if (!isWhole) {
      std::vector<Instruction*> operands = {whole, part};
      for (const int64_t offset : stored.offsets)
        operands.push_back(makeInteger(outside, Shape::scalar(ElementType::S64), offset));
      part = outside.create(Opcode::DynamicUpdateSlice, whole->shape(), operands);
    }
    replaceReaders(readers, part);
  }

  // Later ones read what earlier ones left.
  void replaceReaders(std::span<Instruction* const> readers, Instruction* result) {
    for (Instruction* reader : readers) parts_.outside().replaceAllUses(reader, result);
    parts_.outside().removeAll(readers);
  }

  Instruction& loop_;
  const AllReduceMotionOptions& options_;
  PassContext& context_;
  LoopParts parts_;
};

}  // namespace

Result<bool> moveAllReducesOutOfLoops(Module& module, PassContext& context,
                                      const AllReduceMotionOptions& options) {
  if (module.isScheduled()) {
    return fail("already-scheduled", "all-reduces leave loops before the module is scheduled", {},
                {"use the module from before scheduling"});
  }
  TRY_STATUS(requireWellFormed(module));
  TRY(const CallGraph graph, CallGraph::build(module));
  int64_t channel = nextChannel(module);
  bool changed = false;
  // Inner loops first: what leaves one may leave the next.
  const auto onMain = mainComputations(module);
  const absl::flat_hash_set<const Computation*> main(onMain.begin(), onMain.end());
  for (Computation* computation : graph.postOrder()) {
    if (!main.contains(computation)) continue;
    for (Instruction* loop : whileLoopsOf(*computation)) {
      if (context.cancelled()) return changed;
      TRY(const bool moved, Mover(*loop, options, context).run(channel));
      changed |= moved;
    }
  }
  return changed;
}

}  // namespace hilo
