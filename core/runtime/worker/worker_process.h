// A worker as whoever started it sees it. Whatever happens to the process is a Diagnostic here:
//
//   "worker-crashed"  a signal ended it; in which thunk, and what the other threads were at
//   "time-limit"      it took longer than allowed: what each device is at and whom it waits for
//   "out-of-memory"   over the limit of memory
//   "cancelled"       cancelled: it was killed
//   "no-worker"       it could not be started
//
// and what running a program gives anyway (executor.h). After a failure that ended it the next run starts
// another. One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/runtime/device/open_device.h"
#include "core/runtime/executor/executor.h"
#include "core/runtime/executor/spare_memory.h"
#include "core/runtime/trace/run_mode.h"
#include "core/runtime/worker/message_socket.h"
#include "core/runtime/worker/worker_messages.h"
#include "core/runtime/worker/worker_options.h"

namespace hilo {

class WorkerProcess {
 public:
  // `infeeds`: what infeeds take in every run, as ExecuteOptions has them. `device`: what
  // the program runs on.
  WorkerProcess(std::shared_ptr<const Program> program, WorkerOptions options,
                std::vector<InfeedValues> infeeds = {}, DeviceChoice device = {});
  ~WorkerProcess();

  const Program& program() const { return *program_; }
  // Arguments as Executor::runOnDevices takes them. They cross over when they are others than the last time.
  Result<std::vector<Literal>> run(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                                   const CancelToken& cancel, RunMode mode = {});
  // Of the last run that ended well.
  const WorkerDone& lastRun() const { return last_; }

 private:
  struct Process;
  Status start(const CancelToken& cancel);
  Status load(const CancelToken& cancel);
  Status prepare(DeviceGrid grid, std::span<const std::vector<Literal>> arguments, const CancelToken& cancel);
  Result<Message> ask(WorkerMessage kind, std::span<const std::byte> bytes, int file,
                      const CancelToken& cancel, int64_t limitNs = 0);
  Diagnostic whyGone();

  std::shared_ptr<const Program> program_;
  WorkerOptions options_;
  std::vector<InfeedValues> infeeds_;
  DeviceChoice device_;
  std::unique_ptr<Process> process_;
  std::shared_ptr<SpareMemory> spareResults_ = std::make_shared<SpareMemory>(0);
  WorkerDone last_;
};

}  // namespace hilo
