#include "core/workspace/values/other_side.h"

#include <absl/container/flat_hash_set.h>

namespace hilo {
namespace {

void append(std::vector<const Instruction*>& to, const std::vector<const Instruction*>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Result<const ValueWalk::Values*> OtherSide::valuesOf(const ValueWalk::Stretch& stretch) {
  const ValueWindow& window = stretch.window;
  if (values_.of.empty()) values_ = walk_.parameterValues(stretch.computation, stretch.arguments);
  std::vector<const Instruction*> taken, looked = window.steps, tied = window.tied;
  absl::flat_hash_set<const Instruction*> again;
  if (before_ != nullptr) {
    again.insert(before_->steps.begin(), before_->steps.end());
    append(taken, before_->taken);
    append(tied, before_->tied);
  }
  for (const Instruction* value : window.taken) (again.contains(value) ? looked : taken).push_back(value);
  TRY_STATUS(walk_.add(values_, {stretch.computation, taken, looked, tied}, engine_));
  return &values_;
}

// What a window took is taken again along with the next one; what it made for itself alone is not.
void OtherSide::leave(const ValueWindow& window) {
  const absl::flat_hash_set<const Instruction*> freed(window.freed.begin(), window.freed.end());
  std::vector<const Instruction*> over;
  if (before_ != nullptr) over = before_->freed;
  for (const Instruction* step : window.steps) {
    if (freed.contains(step)) over.push_back(step);
  }
  values_.drop(over);
  before_ = &window;
}

int64_t OtherSide::argumentBytes(const ValueWalk::Stretch& stretch) const {
  absl::flat_hash_set<const Instruction*> taken(stretch.window.taken.begin(), stretch.window.taken.end());
  if (before_ != nullptr) taken.insert(before_->taken.begin(), before_->taken.end());
  int64_t bytes = 0;
  for (const Instruction* value : taken) {
    if (value->opcode() == Opcode::Parameter)
      bytes += static_cast<int64_t>(stretch.arguments.size()) * valueBytes(value->shape());
  }
  return bytes;
}

}  // namespace hilo
