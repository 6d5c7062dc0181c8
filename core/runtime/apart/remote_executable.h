// A module compiled and run by an engine at the other end of a line. A line that is lost is made again and
// the run repeated: nothing of it is lost but time.
//
// Error kinds besides the engine's own:
//   "line-lost"       it was lost again and again; what ssh said is in the notes
//   "engine-crashed"  the process of an engine on this machine was ended by a signal
//   "time-limit"      no answer in the time that a run may take
//   "remote-version"  the two ends do not understand each other
//   "no-worker", "cancelled"
#pragma once

#include "core/runtime/apart/engine_messages.h"
#include "core/runtime/apart/line_process.h"
#include "core/runtime/engine/engine.h"

namespace hilo {

struct RemoteEngine {
  std::string name;                  // for messages: "gpu7", or the library's path
  std::vector<std::string> command;  // what starts the other end
  bool isElsewhere = false;          // on another machine: lines to it break
  std::string version;               // of this end
};

class RemoteExecutable : public Executable {
 public:
  // Compiles, which may take long; `tellSlow` hears of it.
  static Result<std::unique_ptr<RemoteExecutable>> compile(RemoteEngine engine, EngineCompile request,
                                                           const TellSlow& tellSlow,
                                                           const CancelToken& cancel);

  // Keeps the line for the next executable.
  ~RemoteExecutable() override;

  Result<Literal> run(std::span<const Literal> arguments, const CancelToken& cancel) override;
  Result<std::vector<Literal>> runOnDevices(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                                            const CancelToken& cancel) override;
  void setMode(RunMode mode) override { mode_ = mode; }
  RunMeasure lastMeasure() const override { return measure_; }
  bool runsApart() const override { return true; }
  Result<std::string> optimizedModule() override;
  // How often the line was made again.
  int repairs() const { return repairs_; }

 private:
  RemoteExecutable(RemoteEngine engine, EngineCompile request)
      : engine_(std::move(engine)), request_(std::move(request)) {}

  // Does it on a line that stands, again where the line breaks.
  template <typename Work>
  auto onLine(const CancelToken& cancel, Work&& work) -> decltype(work());
  Status connect(const CancelToken& cancel);
  Status meet(const CancelToken& cancel);
  Status sendArguments(std::span<const std::vector<Literal>> arguments, const CancelToken& cancel);
  template <typename T>
  Status send(EngineMessage kind, const T& message, const CancelToken& cancel);
  Result<LineMessage> await(EngineMessage expected, const CancelToken& cancel, int64_t limitNs = 0);
  Diagnostic whyLost(Diagnostic error);

  RemoteEngine engine_;
  EngineCompile request_;
  TellSlow tellSlow_;
  std::unique_ptr<LineProcess> process_;
  std::vector<std::vector<Literal>> sent_;  // kept, so that their bytes are nobody else's
  RunMode mode_;
  RunMeasure measure_;
  int repairs_ = 0;
};

}  // namespace hilo
