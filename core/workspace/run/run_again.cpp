#include "core/workspace/run/run_again.h"

#include <fmt/format.h>

#include "core/runtime/program/program.h"

namespace hilo {
namespace {

bool gave(const RunRequest& open, const RunRecord& run) {
  const bool isProgram = run.engine == "program";
  if ((open.program != nullptr) != isProgram) return false;
  return (isProgram ? open.program->moduleHash : moduleHash(*open.module)) == run.moduleHash;
}

}  // namespace

Result<RunRequest> runAgain(const RunRecord& run, std::vector<RunRequest> open, const JobContext& context) {
  context.progress(-1, fmt::format("run {} once more, as it was", run.id.value));
  const auto found =
      std::ranges::find_if(open, [&](const RunRequest& request) { return gave(request, run); });
  if (found == open.end()) {
    return fail("not-open", fmt::format("what run {} was of, {}, is not open", run.id.value, run.moduleName),
                {}, {"open it, or show the step of the passes that it is"});
  }
  RunRequest request = std::move(*found);
  request.engine = run.engine;
  request.devices = run.devices;
  request.repeat = 1;
  TRY(request.arguments, request.program ? settleArguments(*request.program, request.arguments)
                                         : settleArguments(*request.module, request.arguments));
  TRY(const RunRecord again, execute(request, JobContext(context.cancel())));
  if (again.outputDigest != run.outputDigest) {
    return fail("not-repeated", fmt::format("run {} gives other results now than it gave then", run.id.value),
                {},
                {fmt::format("its arguments ({}) or the engine are not what they were: run both sides again",
                             run.argumentsDescription)});
  }
  return request;
}

}  // namespace hilo
