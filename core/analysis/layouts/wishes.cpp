#include "core/analysis/layouts/wishes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/dimension_order.h"
#include "core/analysis/instruction_card.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

constexpr std::string_view kNames[] = {
    "entry parameter", "entry result", "library call", "fft",        "sort",       "dot",
    "convolution",     "solver",       "reduction",    "collective", "gather",     "scatter",
    "slices",          "host",         "itself",       "beside",     "other copy", "made",
    "nobody",          "memory",       "memory space", "unknown",    "program"};
static_assert(std::size(kNames) == kLayoutWishKindCount);

LayoutWish wishOf(const Instruction& i, LayoutWishKind kind, int operand, Shape shape, std::string text) {
  return {.kind = kind,
          .instruction = i.id(),
          .name = std::string(i.name()),
          .opcode = std::string(i.opcodeText()),
          .operand = operand,
          .layout = toString(shape),
          .text = std::move(text),
          .source = sourcePlace(i)};
}

// The operation that is started or done by an asynchronous opcode.
Opcode wholeOf(const Instruction& i) { return asyncFacts(i.opcode()).whole; }

// Kinds that both give and take orders of their own.
std::optional<LayoutWishKind> kindOf(const Instruction& i) {
  switch (wholeOf(i)) {
    case Opcode::CustomCall:
      return carriedOperands(i).empty() ? std::optional(LayoutWishKind::Library) : std::nullopt;
    case Opcode::Fft:
      return LayoutWishKind::Fft;
    case Opcode::Sort:
    case Opcode::TopK:
      return LayoutWishKind::Sort;
    case Opcode::Dot:
    case Opcode::RaggedDot:
    case Opcode::ScaledDot:
      return LayoutWishKind::Dot;
    case Opcode::Convolution:
      return LayoutWishKind::Convolution;
    case Opcode::Cholesky:
    case Opcode::TriangularSolve:
      return LayoutWishKind::Solver;
    case Opcode::AllGather:
    case Opcode::AllToAll:
    case Opcode::ReduceScatter:
    case Opcode::RaggedAllToAll:
      return LayoutWishKind::Collective;
    case Opcode::Gather:
      return LayoutWishKind::Gather;
    case Opcode::Infeed:
    case Opcode::Outfeed:
    case Opcode::Send:
    case Opcode::SendDone:
    case Opcode::Recv:
    case Opcode::RecvDone:
      return LayoutWishKind::Host;
    default:
      return std::nullopt;
  }
}

std::string libraryName(const Instruction& call) {
  const std::string_view target = call.get<Attr::CustomCallTarget>();
  return target.empty() ? std::string(call.opcodeText()) : std::string(target);
}

// Of a done what its start says.
std::string alongText(const Instruction& collective) {
  const Instruction* whole = &collective;
  while (asyncFacts(whole->opcode()).step != AsyncStep::Whole &&
         asyncFacts(whole->opcode()).step != AsyncStep::Start && whole->operandCount() > 0)
    whole = whole->operand(0);
  const auto dims = whole->dimensions();
  if (dims.empty()) return "as one piece of memory for each device";
  const bool joins = wholeOf(*whole) == Opcode::AllGather;
  return fmt::format("with dimension {}, along which it {}, outermost: one piece of memory a device", dims[0],
                     joins ? "joins" : "cuts");
}

// What an operation does with the order of what it takes (or gives), as the end of a sentence.
std::string reasonOf(const Instruction& i, LayoutWishKind kind, bool gives) {
  const std::string what = gives ? "gives its result" : "takes its operand";
  switch (kind) {
    case LayoutWishKind::Library:
      return fmt::format("{} {} in the order that the library has", libraryName(i), what);
    case LayoutWishKind::Fft:
      return fmt::format("the FFT {} with the transformed dimensions innermost", what);
    case LayoutWishKind::Sort:
      return fmt::format("the {} {} in the order of its dimensions", i.opcodeText(), what);
    case LayoutWishKind::Dot:
      return fmt::format("the {} {} as a matrix: rows, columns and batches in one stride each",
                         i.opcodeText(), what);
    case LayoutWishKind::Convolution:
      return fmt::format("the convolution {} in the order that its kernels are for", what);
    case LayoutWishKind::Solver:
      return fmt::format("the {} {} with the rows of a matrix side by side", i.opcodeText(), what);
    case LayoutWishKind::Collective:
      return fmt::format("the {} {} {}", i.opcodeText(), what, alongText(i));
    case LayoutWishKind::Gather:
      return gives ? "the gather writes one slice after the other"
                   : "the gather reads slices that lie together, in the order of the indices";
    case LayoutWishKind::Scatter:
      return "the scatter reads its updates one slice after the other";
    case LayoutWishKind::Host:
      return fmt::format("the {} exchanges it in the order that the other side has", i.opcodeText());
    default:
      return std::string(i.opcodeText());
  }
}

bool isMade(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Constant:
    case Opcode::Iota:
    case Opcode::Broadcast:
    case Opcode::Rng:
    case Opcode::RngBitGenerator:
    case Opcode::RngGetAndUpdateState:
    case Opcode::PartitionId:
    case Opcode::ReplicaId:
      return true;
    default:
      return false;
  }
}

// Most of its elements are new: it is made in any order, whatever is broadcast.
bool makesMost(const Instruction& i) {
  return i.opcode() == Opcode::Broadcast && i.operandCount() == 1 && i.operand(0)->shape().isArray() &&
         i.operand(0)->shape().elementCount() < i.shape().elementCount() / 2;
}

// A dynamic-slice of one index of the outermost dimension, all of the others.
bool takesOneBlock(const Instruction& slice) {
  if (slice.opcode() != Opcode::DynamicSlice || !slice.shape().isArray()) return false;
  const Shape from = slice.operand(0)->shape(), to = slice.shape();
  if (!from.isArray() || from.rank() != to.rank()) return false;
  bool isFirst = true;
  for (const int64_t dimension : majorToMinor(from)) {
    const auto d = static_cast<size_t>(dimension);
    if (from.dimension(d) == 1) continue;
    if (to.dimension(d) != (isFirst ? 1 : from.dimension(d))) return false;
    isFirst = false;
  }
  return !isFirst;
}

bool isUpdates(const Instruction& scatter, size_t operand) { return operand > scatter.operandCount() / 2; }

}  // namespace

std::string_view layoutWishKindName(LayoutWishKind kind) { return kNames[static_cast<size_t>(kind)]; }

bool foldsInnermost(const Instruction& reduce) {
  const Shape shape = reduce.operand(0)->shape();
  if (!shape.isArray() || reduce.opcode() != Opcode::Reduce) return false;
  const DimensionOrder order = majorToMinor(shape);
  bool seenKept = false, folds = false;
  for (size_t n = order.size(); n-- > 0;) {
    if (shape.dimension(static_cast<size_t>(order[n])) == 1) continue;
    const bool isFolded = std::ranges::find(reduce.dimensions(), order[n]) != reduce.dimensions().end();
    if (isFolded && seenKept) return false;
    seenKept |= !isFolded;
    folds |= isFolded;
  }
  return folds;
}

std::optional<LayoutWish> givenBy(const ValueFlow& flow, const ArrayValue& value) {
  const Instruction& i = *value.at;
  const Shape shape = value.shape();
  const auto wish = [&](LayoutWishKind kind, std::string text) {
    return wishOf(i, kind, -1, shape, std::move(text));
  };
  if (i.opcode() == Opcode::Parameter) {
    if (!flow.isInput(i)) return std::nullopt;
    return i.parent().isEntry() ? wish(LayoutWishKind::EntryParameter,
                                       fmt::format("%{} comes as the entry layout states it", i.name()))
                                : wish(LayoutWishKind::Made,
                                       fmt::format("%{} belongs to a computation nobody calls", i.name()));
  }
  if (movesElements(i))
    return wish(LayoutWishKind::OtherMove, fmt::format("%{} put it in this order", i.name()));
  if (const auto kind = kindOf(i))
    return wish(*kind, fmt::format("%{}: {}", i.name(), reasonOf(i, *kind, true)));
  if (i.opcode() == Opcode::Opaque)
    return wish(LayoutWishKind::Unknown, fmt::format("%{} is an operation Hilo does not know", i.name()));
  if (isMade(i) && (carriedOperands(i).empty() || makesMost(i)))
    return wish(
        LayoutWishKind::Made,
        fmt::format("%{}: the {} could be made in any order, and is made in this", i.name(), i.opcodeText()));
  return std::nullopt;
}

std::optional<LayoutWish> wantedBy(const ValueFlow& flow, const ArrayUse& use, const ArrayValue& value) {
  const Shape shape = value.shape();
  if (use.user == nullptr) {
    const int number = value.path.empty() ? -1 : value.path[0];
    LayoutWish wish{.kind = LayoutWishKind::EntryResult, .operand = number, .layout = toString(shape)};
    wish.text = number < 0 ? "the entry layout states the order of the result"
                           : fmt::format("the entry layout states the order of result {}", number);
    return wish;
  }
  const Instruction& user = *use.user;
  const auto operand = static_cast<int>(use.operand);
  const auto wish = [&](LayoutWishKind kind, std::string text) {
    return wishOf(user, kind, operand, shape, std::move(text));
  };
  if (movesElements(user))
    return wish(LayoutWishKind::OtherMove, fmt::format("%{} moves it on", user.name()));
  if (user.opcode() == Opcode::Scatter && isUpdates(user, use.operand))
    return wish(LayoutWishKind::Scatter,
                fmt::format("%{}: {}", user.name(), reasonOf(user, LayoutWishKind::Scatter, false)));
  if (use.operand == 0 && takesOneBlock(user) && flow.isInLoop(user))
    return wish(LayoutWishKind::Slices,
                fmt::format("%{}: the loop takes a slice each turn, which lies together so", user.name()));
  if (user.opcode() == Opcode::Reduce && foldsInnermost(user))
    return wish(LayoutWishKind::Reduction,
                fmt::format("%{}: the reduction sums elements that lie side by side", user.name()));
  if (const auto kind = kindOf(user))
    return wish(*kind, fmt::format("%{}: {}", user.name(), reasonOf(user, *kind, false)));
  if (user.opcode() == Opcode::Opaque)
    return wish(LayoutWishKind::Unknown, fmt::format("%{} is an operation Hilo does not know", user.name()));
  return std::nullopt;
}

}  // namespace hilo
