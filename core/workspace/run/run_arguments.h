// The arguments of a run, wherever they come from. Private to the workspace.
#pragma once

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/devices.h"
#include "core/workspace/run/runs.h"

namespace hilo {

// One list for all devices, or one a device.
struct RunArguments {
  GeneratedArguments made;
  std::vector<std::vector<Literal>> lists;
  std::vector<InfeedValues> infeeds;  // none where nothing takes any
};

// Errors: of reading files and making values; "wrong-argument" for a name no parameter has, with
// those there are.
Result<RunArguments> argumentsFor(const Module& module, const ArgumentSource& source,
                                  const MakingOptions& options = {});
Result<RunArguments> argumentsFor(const Program& program, const ArgumentSource& source,
                                  const MakingOptions& options = {});

// Asked whether to go on, and told how much is made: the job, which outlives them.
MakingOptions makingFor(const JobContext& context);

// As many lists as there are devices, or one. Kind "wrong-argument".
Status fitArguments(RunArguments& arguments, DeviceGrid grid, ArgumentSource::Kind kind);

// "seed 7", "args.npz", "snapshot, weights=w.npy"
std::string describeArguments(const ArgumentSource& source);

}  // namespace hilo
