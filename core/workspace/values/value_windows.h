// The steps of a computation cut into windows, one after the other, so that a walk through its values holds
// what one window makes and what later ones take, and not every value at once.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct ValueWindow {
  std::vector<const Instruction*> steps;  // whose values it makes, in the order of the computation
  std::vector<const Instruction*> tied;   // run along with them for what they do: sends, infeeds
  std::vector<const Instruction*> taken;  // what they are made of: steps of windows before, parameters
  std::vector<const Instruction*> freed;  // what no later window takes: its own, and some it took
  // All values there are while it is looked at, parameters aside: what it makes, and the copies of what
  // windows before made and it or later ones take.
  int64_t heldBytes = 0;
};

// Bytes of what an instruction gives on one device; of a tuple, of its elements.
int64_t valueBytes(Shape shape);

// As few windows as fit: in each, looking at its values takes at most about `roomBytes` on all devices
// together, parameters aside (a comparison has what it makes three times: true, as an engine gave it, and
// where the engine has it; what windows before made and it or later ones take is held in so many `copies`,
// and where there are several the window before is computed along with it). Instructions that belong
// together are never parted: what exchanges data with the host or by sends, random numbers in a row, and an
// array that has fewer elements than its bounds from those that read it. Error kind "memory-limit": not even
// the instruction that is named fits.
Result<std::vector<ValueWindow>> cutIntoWindows(const Computation& computation, int64_t devices,
                                                int64_t copies, int64_t roomBytes);

}  // namespace hilo
