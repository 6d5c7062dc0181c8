// Where the devices of one evaluation exchange literals (devices.h). What crosses from device to device is
// copied, so that no two threads share a literal's bytes.
#pragma once

#include "core/hlo/eval/evaluate.h"
#include "core/hlo/ir/rendezvous.h"

namespace hilo {

extern template class Rendezvous<Literal>;

// The operands each member brought to a collective, in the group's order.
using Contributions = std::vector<std::vector<Literal>>;

class DeviceExchange : public Rendezvous<Literal> {
 public:
  // `unreceivedLimitBytes` bounds what is sent but not yet received (kind "memory-limit").
  DeviceExchange(DeviceGrid grid, CancelToken cancel, int64_t unreceivedLimitBytes);

  // Brings copies of `mine` to the collective at `instruction` and waits for the rest of the group. `group`
  // lists devices, `device` among them, without repetition.
  Result<std::shared_ptr<const Contributions>> exchange(int64_t device, const Instruction& instruction,
                                                        std::span<const int64_t> group,
                                                        std::span<const Literal> mine);
  Status sendCopy(const Instruction& instruction, Route route, const Literal& value);
  Result<Literal> receiveNext(int64_t device, const Instruction& instruction, Route route);
};

}  // namespace hilo
