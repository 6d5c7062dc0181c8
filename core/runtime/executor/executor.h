// Runs programs: loads the kernels, gives the buffers room, and runs the thunks in the order their buffer
// uses allow, on several threads where it pays, on one device or on several side by side.
#pragma once

#include <memory>
#include <span>

#include "core/base/cancel.h"
#include "core/hlo/ir/device_grid.h"
#include "core/hlo/ir/host_feed.h"
#include "core/hlo/ir/literal.h"
#include "core/runtime/executor/run_watch.h"
#include "core/runtime/program/literal_buffers.h"
#include "core/runtime/program/program.h"
#include "core/runtime/thunk/custom_calls.h"
#include "core/runtime/trace/thunk_trace.h"

namespace hilo {

struct ExecuteOptions {
  CancelToken cancel;
  // One thunk after the other in the order listed.
  bool sequential = false;
  // Filled with what ran, when set. One run at a time.
  ThunkTrace* trace = nullptr;
  // Told what runs, when set. One run at a time.
  RunWatch* watch = nullptr;
  // What infeeds take: one list for all devices or one a device; none: they find nothing. Belongs
  // to the caller.
  std::span<const InfeedValues> infeeds;
  // Bytes the results, where the executor makes them, and the temporaries of all devices may
  // take. Kind "out-of-memory".
  int64_t limitBytes = int64_t{1} << 36;
};

// The arrays one device takes and gives, in the order of their leaves, row-major. They belong to the caller;
// results overlap nothing.
struct DeviceMemory {
  std::vector<const std::byte*> arguments;
  const int32_t* argumentSizes = nullptr;  // as argumentSizePlaces, within bounds; null where there are none
  std::vector<std::byte*> results;
  std::vector<int32_t*> resultSizes;  // as Program::resultSizes
};

// The real sizes of one list of arguments, as argumentSizePlaces.
std::vector<int32_t> argumentSizes(const Program& program, std::span<const Literal> arguments);
// Tells an output the sizes its arrays really have.
void setResultSizes(const Program& program, const DeviceMemory& memory, Literal& output);

// Whether the program can take these arguments on this grid: one list for all or one a device. Error kinds
// "wrong-argument" and "elided-constant".
Status checkArguments(const Program& program, DeviceGrid grid,
                      std::span<const std::vector<Literal>> arguments);

// One program made ready. It may be run from several threads at once.
class Executor {
 public:
  // Error kinds: "malformed-program", "wrong-machine", "unknown-custom-call" (a target nobody has a handler
  // for, by name), and those of ObjectCode.
  static Result<std::unique_ptr<Executor>> make(std::shared_ptr<const Program> program,
                                                const FindCustomCall& findCustomCall = {});
  ~Executor();

  const Program& program() const;
  // Of a saved program, whether its constants are what was saved; looked at once, here or before the first
  // run. Kind "damaged-file".
  Status checkConstants() const;

  // One literal a parameter, of its shape but for layouts; gives what host_feed.h says where the program
  // gives its outfeed. Error kinds: "wrong-argument", "elided-constant", "out-of-memory", "cancelled", and
  // those of the thunks.
  Result<Literal> run(std::span<const Literal> arguments, const ExecuteOptions& options = {}) const;

  // On every device of the grid, each in a thread of its own, with one list of arguments for all or one a
  // device. Gives one output a device, by its number. Error kinds as run(), and "deadlock", which names where
  // each device waits and for whom; the first error stops all.
  Result<std::vector<Literal>> runOnDevices(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                                            const ExecuteOptions& options = {}) const;

  // The same on memory: one a device. Gives what outfeeds gave, a list a device. Kind "misaligned-argument"
  // too: an array begins at a multiple of its elements' size.
  Result<std::vector<std::vector<Literal>>> runOnMemory(DeviceGrid grid,
                                                        std::span<const DeviceMemory> devices,
                                                        const ExecuteOptions& options = {}) const;

  struct State;

 private:
  explicit Executor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hilo
