// What would lower the peak of a module's memory: changes made to it one at a time, each with the peak, the
// plan and the step that it gives. Nothing here is estimated by a rule of thumb: each change is made on a
// copy, buffers are assigned to the result, and its schedule is simulated.
//
// A module that is not scheduled is compiled first, by the pipeline gpu or cpu; one with shardings that is
// not partitioned is partitioned before that, and then other shardings are among the changes.
//
// Plain data, never changed once made: any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/workspace/peak/peak_changes.h"

namespace hilo {

struct PeakFigures {
  int64_t peakBytes = 0;         // most in use at one step, by Hilo's plan
  int64_t planBytes = 0;         // all allocations of the device's memory
  int64_t hostBytes = 0;         // in the host's memory
  std::optional<double> stepNs;  // none where the schedule cannot be simulated
};

struct PeakTrial {
  PeakChange change;
  // None: it could not be made, or left the module as it was, for the reason `whyNot`.
  std::optional<PeakFigures> figures;
  std::string whyNot;
  std::vector<std::string> done;  // what the change did, a line each
  PassSeries series;              // from the base, or what was compiled anew, to the changed module
};

struct PeakStudy {
  PeakBase base;
  PeakFigures figures;            // of the base
  std::string at;                 // name of the instruction at its peak
  std::vector<PeakTrial> trials;  // the smallest plan first, then what could not be made
};

// Error kinds: those of makePeakBase(), "cancelled".
Result<std::shared_ptr<const PeakStudy>> makePeakStudy(const PeakRequest& request, const JobContext& context);

}  // namespace hilo
