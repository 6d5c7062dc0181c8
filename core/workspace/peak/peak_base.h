// The module that changes are tried on, compiled and planned.
#pragma once

#include <memory>
#include <string>

#include "core/workspace/layouts/layout_study.h"
#include "core/workspace/memory/memory_plans.h"
#include "core/workspace/partition/partition.h"

namespace hilo {

struct PeakRequest {
  std::shared_ptr<const Module> module;
  std::string path = {};  // of the file it was read from; "" for none
  // On which times are estimated: a built-in device or a path; "": what the module was compiled for.
  std::string device = {};
  int64_t limitBytes = 0;  // that the peak should stay below; 0: the device's memory, or less where it fits
  size_t values = 6;       // of those live at the peak, the largest so many are recomputed or offloaded alone
};

struct PeakBase {
  PeakRequest request;
  std::string device, deviceText;
  std::shared_ptr<const Partitioning> partitioning;  // null: nothing was partitioned here
  std::shared_ptr<const Module> uncompiled;          // null: it came scheduled
  std::shared_ptr<const Module> module;              // scheduled, every call with a computation of its own
  MemoryPlans plans;                                 // Hilo's, of `module`
  int64_t wantedBytes = 0;                           // what changes of many values aim at
  std::vector<std::string> notes;

  const MemoryProfile& profile() const { return plans.hilo->profile; }
  // The module came with layouts or fusions: all that it lacks is an order.
  bool lacksOrderAlone() const { return partitioning == nullptr && isLaidOut(*request.module); }
};

// Error kinds: those of makePartitioning(), optimize(), planMemory() and findDevice(), "no-plan".
Result<PeakBase> makePeakBase(const PeakRequest& request, const JobContext& context);

// The steps that make a scheduled module of what the base was made of, or of that with a change in it.
Result<PassSeries> compiledSeries(const PeakBase& base, const std::shared_ptr<const Module>& uncompiled,
                                  const JobContext& context);

}  // namespace hilo
