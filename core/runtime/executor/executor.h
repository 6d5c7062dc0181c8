// Runs programs: loads the kernels, gives the buffers room, and runs the thunks in the order their buffer
// uses allow, on several threads where it pays, on one device or on several side by side.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/base/cancel.h"
#include "core/hlo/ir/device_grid.h"
#include "core/hlo/ir/host_feed.h"
#include "core/hlo/ir/literal.h"
#include "core/runtime/device/open_device.h"
#include "core/runtime/executor/run_watch.h"
#include "core/runtime/executor/spare_memory.h"
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
  // Given what a device that checks its work found, when set. One run at a time.
  Diagnostics* findings = nullptr;
  // Given the most bytes that one device held at once, when set (Device::takeMostHeldBytes). One run at a
  // time: the device counts for whoever asks it.
  int64_t* mostHeldBytes = nullptr;
  // Bytes the results, where the executor makes them, and the temporaries of all devices may
  // take. Kind "out-of-memory".
  int64_t limitBytes = int64_t{1} << 36;
  // How long a device may wait for the others of a collective; 0: for ever. Kind "rendezvous-timeout".
  std::chrono::milliseconds rendezvousLimit{0};
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

// A program made ready to run, on whatever runs it.
class ProgramRunner {
 public:
  virtual ~ProgramRunner() = default;
  virtual const Program& program() const = 0;
  // Of a saved program, whether its constants are what was saved; looked at once, here or before the first
  // run. Kind "damaged-file".
  virtual Status checkConstants() const = 0;

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
  virtual Result<std::vector<std::vector<Literal>>> runOnMemory(DeviceGrid grid,
                                                                std::span<const DeviceMemory> devices,
                                                                const ExecuteOptions& options = {}) const = 0;

 protected:
  // Whether a run that ends well has written every element of the results.
  virtual bool writesAllResults() const = 0;

 private:
  Result<std::vector<Literal>> newOutputs(size_t count) const;
  // Keeps no more than the results of one run; a result may outlive it.
  std::shared_ptr<SpareMemory> spareResults_ = std::make_shared<SpareMemory>(0);
};

// On the processor of this machine, or on the device that is chosen; a program for several devices also on
// those that follow it, as far as there are any. Error kinds: those of Executor::make, of
// DeviceExecutor::make and of `openDevice`; "unknown-device" without one.
Result<std::unique_ptr<ProgramRunner>> makeRunner(std::shared_ptr<const Program> program,
                                                  const DeviceChoice& device, const OpenDevice& openDevice,
                                                  const FindCustomCall& findCustomCall);

// The error of a run on a device that checks, with what it found until then in the notes.
Diagnostic withFindings(Diagnostic error, const Diagnostics& findings);

// Runs `device` of each number of the grid, in a thread of its own where there are several, with a
// communicator between them. The first error stops all. Gives what outfeeds gave.
using RunOneDevice =
    std::function<Status(Communicator& communicator, int64_t device, std::vector<Literal>& outfeed)>;
Result<std::vector<std::vector<Literal>>> runSideBySide(DeviceGrid grid, const ExecuteOptions& options,
                                                        const RunOneDevice& runDevice);

// One program on the processor of this machine. It may be run from several threads at once.
class Executor : public ProgramRunner {
 public:
  // Error kinds: "malformed-program", "wrong-machine", "unknown-custom-call" (a target nobody has a handler
  // for, by name), and those of ObjectCode.
  static Result<std::unique_ptr<Executor>> make(std::shared_ptr<const Program> program,
                                                const FindCustomCall& findCustomCall = {});
  ~Executor() override;

  const Program& program() const override;
  Status checkConstants() const override;
  Result<std::vector<std::vector<Literal>>> runOnMemory(DeviceGrid grid,
                                                        std::span<const DeviceMemory> devices,
                                                        const ExecuteOptions& options = {}) const override;

  struct State;

 protected:
  bool writesAllResults() const override;

 private:
  explicit Executor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hilo
