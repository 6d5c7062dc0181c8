#include "core/compiler/passes/loops/element_origins.h"

namespace hilo {
namespace {

const OriginalValueNode* tupleOrigin(const Instruction& tuple) {
  const OriginalValue* origin = tuple.get<Attr::Origin>();
  return origin != nullptr && origin->root.isTuple ? &origin->root : nullptr;
}

void setOrigins(Instruction& tuple, const std::vector<OriginalValueNode>& elements) {
  const OriginalValue* before = tuple.get<Attr::Origin>();
  const OriginalValue origin{.isSyntheticCall = before != nullptr && before->isSyntheticCall,
                             .root = {.isTuple = true, .elements = elements}};
  tuple.set<Attr::Origin>(&origin);
}

void addLeaves(const OriginalValueNode& node, std::vector<OriginalValueNode>& leaves) {
  if (!node.isTuple) leaves.push_back(node);
  for (const OriginalValueNode& element : node.elements) addLeaves(element, leaves);
}

}  // namespace

void takeOriginsOf(const Instruction& from, Instruction& to, const std::vector<bool>& keep) {
  const OriginalValueNode* origin = tupleOrigin(from);
  const bool isWhole = origin != nullptr && origin->elements.size() == keep.size();
  std::vector<OriginalValueNode> kept;
  for (size_t k = 0; isWhole && k < keep.size(); ++k) {
    if (keep[k]) kept.push_back(origin->elements[k]);
  }
  if (isWhole) {
    setOrigins(to, kept);
  } else {
    to.erase(Attr::Origin);
  }
}

void addUnknownOrigin(Instruction& tuple) {
  const OriginalValueNode* origin = tupleOrigin(tuple);
  if (origin == nullptr) return;
  std::vector<OriginalValueNode> elements(origin->elements.begin(), origin->elements.end());
  elements.emplace_back();
  setOrigins(tuple, elements);
}

void takeFlatOrigins(const Instruction& from, Instruction& to) {
  const OriginalValueNode* origin = tupleOrigin(from);
  if (origin == nullptr) return;
  std::vector<OriginalValueNode> leaves;
  addLeaves(*origin, leaves);
  setOrigins(to, leaves);
}

}  // namespace hilo
