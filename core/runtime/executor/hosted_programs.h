// Programs for this machine's processor within another program.
#pragma once

#include <memory>
#include <vector>

#include "core/runtime/executor/executor.h"

namespace hilo {

class HostedPrograms {
 public:
  // Error kinds: those of deserialize and of Executor::make. One that holds others
  // itself is a "malformed-program".
  static Result<HostedPrograms> make(const Program& program, const FindCustomCall& findCustomCall);

  // On one device, whatever the grid of the run is. Any thread.
  Status run(uint32_t program, std::vector<const std::byte*> operands, std::vector<std::byte*> results,
             const ExecuteOptions& options) const;

 private:
  bool fits(const Thunk& thunk) const;

  std::vector<std::unique_ptr<Executor>> executors_;
};

}  // namespace hilo
