#include "core/compiler/spmd/shardy/op_steps.h"

namespace hilo::sdy {
namespace {

bool movesMemory(const Instruction& instruction) {
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  return target == "MoveToDevice" || target == "MoveToHost";
}

// Operations whose result has the operand's elements, in the operand's order or moved as a whole.
Direction inPlace(const GraphNode& node, bool anyUse) {
  const Direction free = anyUse || node.operandsUsedOnce ? Direction::Both : Direction::None;
  const bool isTie = node.kind == GraphNode::Kind::Edge || node.kind == GraphNode::Kind::Entrance ||
                     node.kind == GraphNode::Kind::Exit;
  if (isTie || node.isElementwise || movesMemory(*node.instruction)) return free;
  switch (node.instruction->opcode()) {
    case Opcode::Reshape:
    case Opcode::Transpose:
      return free;
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
      return both(free, Direction::Forward);
    default:
      return Direction::None;
  }
}

Direction atStep(const GraphNode& node, size_t factor, int step) {
  const bool isBroadcast = node.kind == GraphNode::Kind::Operation && !node.isElementwise &&
                           node.instruction->opcode() == Opcode::Broadcast;
  const Direction allButForward = isBroadcast ? Direction::Backward : Direction::Both;
  switch (step) {
    case 0:
      return inPlace(node, false);
    case 1:
      return inPlace(node, true);
    case 2:
      return node.rule.factors[factor].kind == RuleFactor::Kind::Pass ? allButForward : Direction::None;
    case 3:
      return allButForward;
    default:
      return Direction::Both;
  }
}

}  // namespace

Direction directionAt(const GraphNode& node, size_t factor, int step) {
  if (node.rule.factors[factor].isBlocked) return Direction::None;
  if (node.kind == GraphNode::Kind::Barrier) return node.allowed;
  if (node.kind == GraphNode::Kind::Result) return Direction::Both;
  Direction direction = Direction::None;
  for (int s = 0; s <= step; ++s) direction = either(direction, atStep(node, factor, s));
  return direction;
}

std::string ruleText(const GraphNode& node, size_t factor) {
  constexpr std::string_view kKinds[] = {"", " (summed)", " (gathered)", " (moved)"};
  const std::string_view kind = kKinds[static_cast<size_t>(node.rule.factors[factor].kind)];
  switch (node.kind) {
    case GraphNode::Kind::Result:
      return "result";
    case GraphNode::Kind::Entrance:
    case GraphNode::Kind::Exit:
      return "manual";
    case GraphNode::Kind::Barrier:
      return "barrier";
    case GraphNode::Kind::Edge:
      return std::string(node.instruction->opcodeText());
    case GraphNode::Kind::Operation:
      break;
  }
  return fmt::format("{} factor {}{}", node.instruction->opcodeText(), factor, kind);
}

}  // namespace hilo::sdy
