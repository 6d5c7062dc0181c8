// Who accessed which memory, and whether the next may: what a kernel does to memory in an
// order that nothing ensures.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/kernel_checks/clock.h"
#include "core/analysis/kernel_checks/kernel_program.h"
#include "core/base/diagnostic.h"

namespace hilo {

// One access as it comes: by which row of events, as which of them, told by whom.
struct LoggedAccess {
  size_t row = 0;
  uint32_t index = 0;  // of its row, from 1
  KernelAction action = KernelAction::Read;
  size_t group = 0;
  uint32_t line = 0;
};

class AccessLog {
 public:
  AccessLog(const KernelProgram& program, Diagnostics& found);

  // `known` is what its group knows when it asks for it. Kinds: "unordered-accesses", "missing-fence",
  // "overlapping-refs", "used-after-free", "used-before-alloc".
  void access(const KernelAccess& where, const LoggedAccess& by, bool writes, const KernelClock& known);
  // What the group wrote from registers is seen by asynchronous accesses from here on.
  void fence(size_t group);
  void alloc(const KernelEvent& event, size_t group);
  void free(const KernelEvent& event, size_t group);
  // Kind "tensor-memory-left".
  void end();

 private:
  // Of one range that is accessed as such.
  struct Range {
    KernelAccess where;
    LoggedAccess write;               // row of index 0: none
    std::vector<LoggedAccess> reads;  // the last of each row
    std::vector<size_t> unfenced;     // groups that wrote it from registers
  };

  Range& rangeOf(const KernelAccess& where);
  void checkLifetime(const KernelAccess& where, const LoggedAccess& by);
  void checkAgainst(const Range& range, const KernelAccess& where, const LoggedAccess& by, bool writes,
                    const KernelClock& known);
  void conflict(const KernelAccess& where, const LoggedAccess& by, bool writes, const LoggedAccess& before,
                bool wrote);
  void report(const std::string& kind, const std::string& message, uint32_t line);
  std::string whose(const LoggedAccess& by) const;

  enum class Life : uint8_t { Whole, Before, Within, After };
  const KernelProgram& program_;
  Diagnostics& found_;
  std::vector<Range> ranges_;
  std::vector<Life> lives_;  // of refs; whole: it is neither allocated nor freed
};

}  // namespace hilo
