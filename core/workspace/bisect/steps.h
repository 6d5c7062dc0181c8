// What a bisection goes through: steps that each can be looked at, whether they are passes, passes that may
// end the process they run in, or stages of a dump. Private to the room.
#pragma once

#include <memory>

#include "core/compiler/pass/pass_runner.h"
#include "core/workspace/bisect/bisect.h"

namespace hilo {

class BisectSteps {
 public:
  virtual ~BisectSteps() = default;
  // The input first.
  virtual std::vector<std::string> names() const = 0;
  // Steps worth looking at, the input and the last among them: others are as the one before.
  virtual std::vector<size_t> places() const = 0;
  virtual Result<WatchedCase> caseOf(size_t step) const = 0;
  // After a step that is known to be good, or whose making harms nobody.
  virtual Result<std::shared_ptr<const Module>> moduleAfter(size_t step) const = 0;
  // Of a step that is a pass: it, and rewrites that its earlier runs made.
  virtual const ConfiguredPass* passOf(size_t) const { return nullptr; }
  virtual Result<int64_t> earlierRewrites(size_t) const { return 0; }
  // Why there are no rewrites to search, where steps are no passes.
  virtual std::string whyNoRewrites() const { return ""; }
  // Ids mean the same in the modules of all steps.
  virtual bool sharesIds() const { return true; }
};

// Runs all passes here, once.
Result<std::unique_ptr<BisectSteps>> ranSteps(const BisectRequest& request, const JobContext& context);
// Runs none before it is known that it may.
std::unique_ptr<BisectSteps> apartSteps(const BisectRequest& request, const JobContext& context);
// Differences between two pipelines, as many made as the step says.
std::unique_ptr<BisectSteps> pipelineSteps(const BisectRequest& request, const JobContext& context);
std::unique_ptr<BisectSteps> stageSteps(const BisectRequest& request);

}  // namespace hilo
