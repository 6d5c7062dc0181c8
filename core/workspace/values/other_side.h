// What another engine makes of a computation that is walked through window by window, from the arguments on.
// It compiles each window as one with the window before, of its own values of what came before both: what it
// makes of instructions on the two sides of a cut is seen, and nothing is computed more than twice.
#pragma once

#include "core/workspace/values/value_walk.h"

namespace hilo {

class OtherSide {
 public:
  // What later windows take, walkThrough() is to hold so often: as the walk has it, and on this side as well
  // until the window after next.
  static constexpr int64_t kCopies = 3;

  OtherSide(ValueWalk& walk, std::string engine) : walk_(walk), engine_(std::move(engine)) {}

  // Its values of the steps of a window and of what they read, until leave(). Asked for in turn.
  Result<const ValueWalk::Values*> valuesOf(const ValueWalk::Stretch& stretch);
  void leave(const ValueWindow& window);

  // Bytes of the arguments that this takes.
  int64_t argumentBytes(const ValueWalk::Stretch& stretch) const;

 private:
  ValueWalk& walk_;
  std::string engine_;
  ValueWalk::Values values_;
  const ValueWindow* before_ = nullptr;
};

}  // namespace hilo
