#include "core/workspace/layouts/layout_advice.h"

#include <fmt/format.h>

namespace hilo {
namespace {

std::string atSource(const LayoutMove& move) { return move.source.empty() ? "" : " (" + move.source + ")"; }

// The instruction that a link came from, where constraints are tried.
const Instruction* triedOf(const LayoutStudy& study, const LayoutChainLink& link) {
  const auto& tried = study.tried();
  const Instruction* here = link.instruction.valid() ? study.module->instruction(link.instruction) : nullptr;
  if (tried == nullptr || here == nullptr) return nullptr;
  if (here->opcode() == Opcode::Parameter && here->parent().isEntry()) {
    const auto number = static_cast<size_t>(here->parameterNumber());
    const auto parameters = tried->entry()->parameters();
    return number < parameters.size() ? parameters[number] : nullptr;
  }
  const auto sources =
      study.lineage == nullptr ? std::span<const LineageLink>() : study.lineage->sourcesOf(link.instruction);
  for (const LineageLink& source : sources) {
    const Instruction* there = tried->instruction(source.id);
    if (there != nullptr && there->shape().withoutLayout() == here->shape().withoutLayout()) return there;
  }
  return nullptr;
}

// A layout for `link` with which its array lies as `memory`; nothing where it lies so already.
std::optional<DimensionOrder> layoutFor(const LayoutChainLink& link, const std::vector<AxisPiece>& memory) {
  if (!link.shape.isArray()) return std::nullopt;
  auto order = orderLike(link.shape, link.axes, memory);
  if (!order || sameMemoryOrder(inDimensionOrder(link.shape.withDefaultLayout(), *order), link.shape))
    return std::nullopt;
  return order;
}

void addGiven(const LayoutStudy& study, const LayoutMove& move, std::vector<LayoutAdvice>& advice) {
  const bool isParameter = move.given.kind == LayoutWishKind::EntryParameter;
  if (!isParameter && move.given.kind != LayoutWishKind::Dot) return;
  const LayoutChainLink& link = move.chain.front();
  const auto order = layoutFor(link, piecesInMemory(move.to, move.chain[move.movePlace].axes));
  if (!order) return;
  const std::string layout = layoutText(*order);
  LayoutAdvice made{.text = isParameter
                                ? fmt::format("pass %{} as {}: the entry layout, or the layout of the "
                                              "argument in the framework",
                                              link.name, layout)
                                : fmt::format("let %{} give its result as {}", link.name, layout)};
  if (const Instruction* at = triedOf(study, link)) made.constraint = {std::string(at->name()), layout};
  advice.push_back(std::move(made));
}

void addWanted(const LayoutStudy& study, const LayoutMove& move, std::vector<LayoutAdvice>& advice) {
  if (move.wanted.kind != LayoutWishKind::EntryResult) return;
  const auto order = layoutFor(move.chain.back(), piecesInMemory(move.from, move.fromAxes));
  if (!order) return;
  const std::string name = move.wanted.operand < 0 ? "result" : fmt::format("result.{}", move.wanted.operand);
  LayoutAdvice made{.text = fmt::format("let {} be {}: the entry layout, or the layout of the result in the "
                                        "framework",
                                        name, layoutText(*order))};
  if (study.tried() != nullptr) made.constraint = {name, layoutText(*order)};
  advice.push_back(std::move(made));
}

// What only the program can change.
void addForProgram(const LayoutMove& move, std::vector<LayoutAdvice>& advice) {
  const auto has = [&](LayoutWishKind kind) { return move.given.kind == kind || move.wanted.kind == kind; };
  const auto say = [&](std::string text) { advice.push_back({.text = std::move(text), .constraint = {}}); };
  if (move.origin == LayoutMoveOrigin::Program)
    say(
        fmt::format("the program asks for this transpose{}: name the dimensions in the order that both ends "
                    "have, as an einsum does, or take it out",
                    atSource(move)));
  if (has(LayoutWishKind::Itself))
    say("no layout takes it away: the array is needed in both orders at once; of a symmetric result one "
        "triangle is enough");
  if (has(LayoutWishKind::Fft)) say("transform the last dimensions, so that they lie innermost as they come");
  if (has(LayoutWishKind::Sort)) say("let the rows that are sorted be the last dimension");
  if (has(LayoutWishKind::Solver))
    say("solve with the transposed matrix (transpose_a, or left_side the other way), which lies so already");
  if (has(LayoutWishKind::Collective))
    say("cut the dimension that lies outermost, or gather along it, so that each device has one piece of "
        "memory");
  if (has(LayoutWishKind::Gather))
    say("gather along a dimension in front of those that are taken whole, so that slices come in the order "
        "wanted");
  if (has(LayoutWishKind::Scatter)) say("give the updates with the indexed dimension first");
  if (move.wanted.kind == LayoutWishKind::Reduction)
    say("fold the dimensions that lie outermost instead, or let the array be made with those innermost");
  if (has(LayoutWishKind::Library) && advice.empty())
    say("a library call has its operands and results in one order: only calling it otherwise, or making the "
        "array so, helps");
}

}  // namespace

std::vector<LayoutAdvice> adviceFor(const LayoutStudy& study, const LayoutMove& move) {
  std::vector<LayoutAdvice> advice;
  switch (move.kind) {
    case LayoutMoveKind::Order:
      addGiven(study, move, advice);
      addWanted(study, move, advice);
      addForProgram(move, advice);
      break;
    case LayoutMoveKind::Ownership:
      advice.push_back(
          {.text = "donate the argument (jit's donate_argnums), where it is not used afterwards: the "
                   "result may then be its buffer",
           .constraint = {}});
      break;
    case LayoutMoveKind::Tiles:
    case LayoutMoveKind::MemorySpace:
    case LayoutMoveKind::SameBytes:
      break;
  }
  return advice;
}

}  // namespace hilo
