#include "core/analysis/layouts/layout_moves.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/instruction_card.h"
#include "core/analysis/layouts/wish_search.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

constexpr std::string_view kKinds[] = {"order", "tiles", "same bytes", "memory space", "ownership"};
constexpr std::string_view kOrigins[] = {"program", "layout assignment", "rewrite", "buffers", "placement"};

int64_t memorySpaceOf(Shape shape) { return shape.layout() == nullptr ? 0 : shape.layout()->memorySpace; }

// The array a move makes: of a copy-start what its done gives.
Shape resultOf(const Instruction& move) {
  if (move.opcode() != Opcode::CopyStart) return move.shape();
  const auto parts = move.shape().tupleShapes();
  return parts.empty() ? Shape() : parts[0];
}

bool isMove(const Instruction& i) {
  const bool isKind =
      i.opcode() == Opcode::Copy || i.opcode() == Opcode::Transpose || i.opcode() == Opcode::CopyStart;
  return isKind && i.operandCount() == 1 && i.operand(0)->shape().isArray() && resultOf(i).isArray();
}

LayoutMoveKind kindOf(const Instruction& move) {
  const Shape from = move.operand(0)->shape(), to = resultOf(move);
  if (movesElements(move)) {
    const bool isTransposed = move.opcode() == Opcode::Transpose || !sameMemoryOrder(from, to);
    return isTransposed ? LayoutMoveKind::Order : LayoutMoveKind::Tiles;
  }
  if (memorySpaceOf(from) != memorySpaceOf(to)) return LayoutMoveKind::MemorySpace;
  return move.opcode() == Opcode::Transpose ? LayoutMoveKind::SameBytes : LayoutMoveKind::Ownership;
}

bool onlyMoves(const Computation& fused) {
  return std::ranges::all_of(fused.instructions(), [](const Instruction* i) {
    switch (i->opcode()) {
      case Opcode::Parameter:
      case Opcode::Bitcast:
      case Opcode::Reshape:
      case Opcode::Transpose:
      case Opcode::Copy:
      case Opcode::Tuple:
      case Opcode::GetTupleElement:
        return true;
      default:
        return false;
    }
  });
}

bool isAlone(const Instruction& kernel) {
  if (kernel.opcode() != Opcode::Fusion) return true;
  const auto called = kernel.calledComputations();
  return !called.empty() && called[0] != nullptr && onlyMoves(*called[0]);
}

std::string_view lastOfOpName(const Instruction& i) {
  const std::string_view name = i.opName();
  return name.substr(name.rfind('/') + 1);
}

// Hands a value on without being worth a line of the chain.
bool isPlumbing(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Parameter:
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::Fusion:
    case Opcode::Call:
    case Opcode::AsyncStart:
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
      return true;
    default:
      return false;
  }
}

// Whether the lower of two neighbours on a way is made by working on the upper, and not the same array.
bool worksOn(const ArrayValue& lower, const ArrayValue& upper) {
  return !isPlumbing(*lower.at) && lower.at->opcode() != Opcode::While &&
         lower.at->opcode() != Opcode::Conditional && &lower.at->parent() == &upper.at->parent();
}

LayoutChainLink linkOf(const ArrayValue& value, DimensionAxes axes) {
  return {.instruction = value.at->id(),
          .name = std::string(value.at->name()),
          .opcode = std::string(value.at->opcodeText()),
          .shape = value.shape(),
          .axes = std::move(axes)};
}

// The way from who gives to the move's operand, as links. The first stays, whatever it is.
void addUpper(const std::vector<ArrayValue>& way, const DimensionAxes& ofOperand, AxisNumbers& numbers,
              std::vector<LayoutChainLink>& chain) {
  DimensionAxes axes = ofOperand;
  for (size_t n = 0; n < way.size(); ++n) {
    if (n > 0 && worksOn(way[n - 1], way[n]))
      axes = axesOfOperand(*way[n - 1].at, way[n].shape(), way[n - 1].shape(), axes, numbers);
    if (n + 1 == way.size() || !isPlumbing(*way[n].at)) chain.push_back(linkOf(way[n], axes));
  }
  std::ranges::reverse(chain);
}

// From the move's result, which is there already, to who wants it.
void addLower(const FoundWish& found, const DimensionAxes& ofResult, AxisNumbers& numbers,
              std::vector<LayoutChainLink>& chain) {
  DimensionAxes axes = ofResult;
  for (size_t n = 1; n < found.way.size(); ++n) {
    if (worksOn(found.way[n], found.way[n - 1]))
      axes = axesOfResult(*found.way[n].at, found.way[n - 1].shape(), found.way[n].shape(), axes, numbers);
    if (!isPlumbing(*found.way[n].at)) chain.push_back(linkOf(found.way[n], axes));
  }
  if (found.user != nullptr) {
    chain.push_back({.instruction = found.user->id(),
                     .name = std::string(found.user->name()),
                     .opcode = std::string(found.user->opcodeText()),
                     .shape = found.user->shape(),
                     .axes = {}});
    if (found.user->shape().isArray())
      chain.back().axes =
          axesOfResult(*found.user, found.way.back().shape(), found.user->shape(), axes, numbers);
  } else if (found.wish.kind == LayoutWishKind::EntryResult) {
    chain.push_back(
        {.name = "result", .opcode = "entry result", .shape = found.way.back().shape(), .axes = axes});
  }
}

// Who, of those that a kernel's result goes to, writes over it; null: nobody.
const Instruction* writerOf(const Instruction& kernel, int depth = 8) {
  for (const Instruction* user : kernel.users()) {
    switch (user->opcode()) {
      case Opcode::DynamicUpdateSlice:
      case Opcode::Scatter:
      case Opcode::While:
      case Opcode::Call:
      case Opcode::CustomCall:
      case Opcode::Conditional:
        return user;
      case Opcode::Tuple:
      case Opcode::GetTupleElement:
      case Opcode::Bitcast:
        if (const Instruction* writer = user->isRoot() || depth == 0 ? nullptr : writerOf(*user, depth - 1))
          return writer;
        break;
      default:
        break;
    }
  }
  return nullptr;
}

// Why the same bytes are there twice.
std::string ownershipText(const Instruction& copy, const Instruction& kernel, const FoundWish& above,
                          const FoundWish& below) {
  const std::string_view value = copy.operand(0)->name();
  if (const Instruction* writer = writerOf(kernel))
    return fmt::format("%{} ({}) may write over it, and %{} must stay as it is", writer->name(),
                       writer->opcodeText(), value);
  if (below.wish.kind == LayoutWishKind::EntryResult && above.wish.kind == LayoutWishKind::EntryParameter)
    return fmt::format("the result needs a buffer of its own: it would be the parameter %{}",
                       above.wish.name);
  if (below.wish.kind == LayoutWishKind::EntryResult && above.wish.kind == LayoutWishKind::Made)
    return fmt::format("the result needs a buffer of its own: it would be %{}", above.wish.name);
  if (below.wish.kind == LayoutWishKind::EntryResult)
    return fmt::format("the result needs a buffer of its own, and %{} has another use", value);
  if (!kernel.parent().isEntry())
    return fmt::format("the next turn of the loop or the caller writes where %{} lies", value);
  return fmt::format("what uses it may not share memory with %{}: copy insertion keeps both apart", value);
}

class MoveExplainer {
 public:
  MoveExplainer(const Module& module, const LayoutMovesRequest& request)
      : search_(module), request_(request) {}

  LayoutMove explain(const Instruction& i) const {
    LayoutMove move = factsOf(i);
    const ArrayValue operand{i.operand(0), {}};
    const FoundWish above = search_.above(operand), below = search_.below(valueOf(i), operand);
    move.given = above.wish;
    move.wanted = below.wish;
    addChain(move, i, above, below);
    addText(move, i, above, below);
    move.origin = originOf(i, move);
    if (move.origin == LayoutMoveOrigin::Program && move.wanted.kind == LayoutWishKind::Nobody)
      addProgram(move, i);
    return move;
  }

 private:
  static ArrayValue valueOf(const Instruction& move) {
    for (const Instruction* user : move.users()) {
      if (user->opcode() == Opcode::CopyDone) return {user, {}};
    }
    return {&move, {}};
  }

  LayoutMove factsOf(const Instruction& i) const {
    LayoutMove move{.instruction = i.id(),
                    .name = std::string(i.name()),
                    .opcode = std::string(i.opcodeText()),
                    .computation = std::string(i.parent().name()),
                    .source = sourcePlace(i)};
    const Instruction& kernel = search_.flow().kernelOf(i);
    move.kernel = kernel.id();
    move.kernelName = std::string(kernel.name());
    move.isAlone = isAlone(kernel);
    move.kind = kindOf(i);
    move.from = i.operand(0)->shape();
    move.to = resultOf(i);
    if (move.costs()) move.bytes = move.from.byteSize() + move.to.byteSize();
    return move;
  }

  static void addChain(LayoutMove& move, const Instruction& i, const FoundWish& above,
                       const FoundWish& below) {
    AxisNumbers numbers;
    const DimensionAxes& ofOperand = move.fromAxes = freshAxes(move.from, numbers);
    addUpper(above.way, ofOperand, numbers, move.chain);
    move.movePlace = move.chain.size();
    const DimensionAxes ofResult = axesOfResult(i, move.from, move.to, ofOperand, numbers);
    move.chain.push_back({.instruction = i.id(),
                          .name = move.name,
                          .opcode = move.opcode,
                          .shape = move.to,
                          .axes = ofResult,
                          .isMove = true});
    addLower(below, ofResult, numbers, move.chain);
  }

  void addText(LayoutMove& move, const Instruction& i, const FoundWish& above, const FoundWish& below) const {
    switch (move.kind) {
      case LayoutMoveKind::SameBytes:
        move.text = "its result is the bytes of its operand: the dimensions only get other numbers";
        return;
      case LayoutMoveKind::MemorySpace:
        move.text =
            fmt::format("from memory space {} to {}", memorySpaceOf(move.from), memorySpaceOf(move.to));
        move.given.kind = move.wanted.kind = LayoutWishKind::MemorySpace;
        return;
      case LayoutMoveKind::Ownership:
        move.text = ownershipText(i, search_.flow().kernelOf(i), above, below);
        move.given.kind = move.wanted.kind = LayoutWishKind::Memory;
        return;
      case LayoutMoveKind::Order:
      case LayoutMoveKind::Tiles:
        move.text = fmt::format("{}; {}", move.given.text, move.wanted.text);
        return;
    }
  }

  static void addProgram(LayoutMove& move, const Instruction& i) {
    move.wanted.kind = LayoutWishKind::Program;
    move.wanted.text = fmt::format(
        "the program transposes (%{}), and works on the result in the order of its "
        "dimensions",
        i.name());
    move.text = fmt::format("{}; {}", move.given.text, move.wanted.text);
  }

  LayoutMoveOrigin originOf(const Instruction& i, const LayoutMove& move) const {
    if (move.kind == LayoutMoveKind::MemorySpace) return LayoutMoveOrigin::Placement;
    if (move.kind == LayoutMoveKind::Ownership) return LayoutMoveOrigin::Buffers;
    if (isOfProgram(i)) return LayoutMoveOrigin::Program;
    const bool isRewritten =
        lastOfOpName(i).starts_with("gather") || lastOfOpName(i).starts_with("scatter") ||
        move.given.kind == LayoutWishKind::Gather || move.wanted.kind == LayoutWishKind::Scatter;
    return isRewritten ? LayoutMoveOrigin::Rewrite : LayoutMoveOrigin::LayoutAssignment;
  }

  bool isOfProgram(const Instruction& i) const {
    if (lastOfOpName(i).starts_with("transpose")) return true;
    if (request_.lineage == nullptr || request_.before == nullptr || i.opcode() != Opcode::Transpose)
      return false;
    const auto isTranspose = [&](const LineageLink& link) {
      const Instruction* source = request_.before->instruction(link.id);
      return source != nullptr && source->opcode() == Opcode::Transpose;
    };
    const Instruction& kernel = search_.flow().kernelOf(i);
    return std::ranges::any_of(request_.lineage->sourcesOf(i.id()), isTranspose) ||
           (isAlone(kernel) && std::ranges::any_of(request_.lineage->sourcesOf(kernel.id()), isTranspose));
  }

  WishSearch search_;
  const LayoutMovesRequest& request_;
};

}  // namespace

static_assert(std::size(kKinds) == static_cast<size_t>(LayoutMoveKind::Ownership) + 1);
static_assert(std::size(kOrigins) == static_cast<size_t>(LayoutMoveOrigin::Placement) + 1);
std::string_view layoutMoveKindName(LayoutMoveKind kind) { return kKinds[static_cast<size_t>(kind)]; }
std::string_view layoutMoveOriginName(LayoutMoveOrigin origin) {
  return kOrigins[static_cast<size_t>(origin)];
}

std::vector<LayoutMove> layoutMoves(const Module& module, const LayoutMovesRequest& request) {
  std::vector<LayoutMove> moves;
  const MoveExplainer explainer(module, request);
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (request.cancel.cancelled()) return moves;
      if (isMove(*i)) moves.push_back(explainer.explain(*i));
    }
  }
  return moves;
}

}  // namespace hilo
