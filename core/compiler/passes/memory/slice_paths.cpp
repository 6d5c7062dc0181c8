#include "core/compiler/passes/memory/slice_paths.h"

#include <algorithm>

#include "core/analysis/contiguous_slice.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr int64_t kAlignment = 256;  // of buffers on a GPU

bool renames(const Instruction& i) {
  return i.opcode() == Opcode::Bitcast || i.opcode() == Opcode::GetTupleElement;
}

bool isKnownSlice(const Instruction& slicing) {
  const Shape part =
      slicing.opcode() == Opcode::DynamicUpdateSlice ? slicing.operand(1)->shape() : slicing.shape();
  const bool isTied = slicing.has(Attr::ControlPredecessors) || slicing.wasControlPredecessor();
  return !isTied && isContiguousSlice(slicing) && isPlainArray(slicing.operand(0)->shape()) &&
         isPlainArray(part) && elementBits(part.elementType()) >= 8 && part.byteSize() % kAlignment == 0 &&
         (slicing.opcode() == Opcode::Slice ||
          !gpuConfig(slicing, "dynamic_slice_config", "byte_offset").empty());
}

// What a get-tuple-element takes from tuples, through the barriers around them; null where it is not known.
Instruction* behindTuples(Instruction* element) {
  std::vector<int64_t> indices;
  Instruction* at = element;
  for (; at->opcode() == Opcode::GetTupleElement; at = at->operand(0)) indices.push_back(at->tupleIndex());
  while (at->opcode() == Opcode::OptBarrier && at->operandCount() == 1) at = at->operand(0);
  for (auto index = indices.rbegin(); index != indices.rend(); ++index) {
    if (at->opcode() != Opcode::Tuple) return nullptr;
    at = at->operand(static_cast<size_t>(*index));
  }
  return at;
}

std::vector<Instruction*> pathTo(Instruction* operand, bool throughBarriers) {
  std::vector<Instruction*> path;
  Instruction* at = operand;
  while (renames(*at)) {
    const bool mayPass = throughBarriers && at->opcode() == Opcode::GetTupleElement;
    if (Instruction* behind = mayPass ? behindTuples(at) : nullptr) {
      at = behind;
      continue;
    }
    path.push_back(at);
    at = at->operand(0);
  }
  const bool isSlice = at->opcode() == Opcode::Slice || at->opcode() == Opcode::DynamicSlice;
  if (!isSlice || !isKnownSlice(*at)) return {};
  path.push_back(at);
  std::ranges::reverse(path);
  return path;
}

bool givesResult(const Instruction& i) {
  const Instruction* root = i.parent().root();
  return &i == root || (root->opcode() == Opcode::Tuple &&
                        std::ranges::find(root->operands(), &i) != root->operands().end());
}

// Whether `update` writes this value, and only as what is written.
bool isWrittenBy(const Instruction& update, const Instruction* value) {
  return update.operand(1) == value && std::ranges::count(update.operands(), value) == 1;
}

// The way from a value through one of its users to where it is written; an empty one where that is nowhere.
SlicedResult wayFrom(Instruction* value, Instruction* user) {
  SlicedResult way;
  for (; user->opcode() == Opcode::Bitcast; value = user, user = user->users()[0]) {
    if (user->users().size() != 1 || user->isRoot()) return {};
    way.path.push_back(user);
  }
  if (user->opcode() != Opcode::DynamicUpdateSlice || !isWrittenBy(*user, value) || !isKnownSlice(*user) ||
      !givesResult(*user))
    return {};
  way.update = user;
  return way;
}

SlicedResult wayFrom(Instruction* value) {
  for (Instruction* user : value->users()) {
    if (SlicedResult way = wayFrom(value, user); way.update != nullptr) return way;
  }
  return {};
}

SlicedResult elementOf(const Instruction& call, int64_t index, bool writes) {
  SlicedResult result{.index = index};
  for (Instruction* user : call.users()) {
    if (user->opcode() != Opcode::GetTupleElement || user->tupleIndex() != index) continue;
    if (result.element == nullptr) result.element = user;
    SlicedResult way = writes ? wayFrom(user) : SlicedResult();
    if (way.update == nullptr) continue;
    way.index = index;
    way.element = user;
    return way;
  }
  return result;
}

}  // namespace

bool SlicePaths::hasUpdates() const {
  return std::ranges::any_of(results, [](const SlicedResult& of) { return of.update != nullptr; });
}

bool SlicePaths::isEmpty() const { return operands.empty() && !hasUpdates(); }

SlicePaths slicePathsOf(Instruction& call, const DynamicSliceFusionSettings& settings) {
  SlicePaths paths;
  for (size_t n = 0; settings.reads && n < call.operandCount(); ++n) {
    auto path = pathTo(call.operand(n), settings.throughBarriers);
    if (!path.empty()) paths.operands.push_back({n, std::move(path)});
  }
  if (call.shape().isTuple()) {
    for (size_t n = 0; n < call.shape().tupleShapes().size(); ++n)
      paths.results.push_back(elementOf(call, static_cast<int64_t>(n), settings.writes));
  } else {
    paths.results.push_back(settings.writes ? wayFrom(&call) : SlicedResult());
  }
  return paths;
}

}  // namespace hilo
