#include "core/workspace/bisect/subject.h"

namespace hilo {

Result<BisectRequest> bisectRequestOf(const BisectSubject& subject, const JobContext& context) {
  BisectRequest request{.module = subject.module, .passes = subject.passes};
  if (request.module == nullptr) {
    request.stages = seriesFromDump(subject.dump, subject.dumpModule);
    TRY(request.module, request.stages->steps[0].module());
  }
  TRY(SearchInput input, settleInput(request.module, subject.arguments, subject.worker, context));
  request.module = std::move(input.module);
  request.arguments = std::move(input.arguments);
  request.seed = subject.arguments.seed;
  return request;
}

}  // namespace hilo
