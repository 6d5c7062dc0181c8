// Runs programs: loads the kernels, gives the buffers room, and runs the thunks in the order their buffer
// uses allow, on several threads where it pays.
#pragma once

#include <memory>
#include <span>

#include "core/base/cancel.h"
#include "core/hlo/ir/literal.h"
#include "core/runtime/program/program.h"

namespace hilo {

// When one thunk of the run was executed. Nested thunks are listed too, each time they run.
struct ThunkTiming {
  uint32_t sequence = 0, thunk = 0;     // places in the program
  int64_t startNs = 0, durationNs = 0;  // start: since the run began
};

struct ExecuteOptions {
  CancelToken cancel;
  // One thunk after the other in the order listed.
  bool sequential = false;
  // Filled with what ran, in no promised order, when set.
  std::vector<ThunkTiming>* timings = nullptr;
  // Bytes the temporaries may take. Kind "out-of-memory".
  int64_t limitBytes = int64_t{1} << 36;
};

// One program made ready. run() may be called from several threads at once.
class Executor {
 public:
  // Error kinds: "malformed-program", "wrong-machine", and those of ObjectCode.
  static Result<std::unique_ptr<Executor>> make(std::shared_ptr<const Program> program);
  ~Executor();

  const Program& program() const;

  // One literal a parameter, of its shape but for layouts. Error kinds: "wrong-argument", "elided-constant",
  // "out-of-memory", "cancelled", and those of the thunks.
  Result<Literal> run(std::span<const Literal> arguments, const ExecuteOptions& options = {}) const;

 private:
  struct State;
  explicit Executor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hilo
