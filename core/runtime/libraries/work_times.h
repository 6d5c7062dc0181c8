// When work was on the GPU, by CUPTI. An event of a stream is reached before what comes behind it has begun,
// so that times between events have some microseconds of waiting in them; these have none.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "core/runtime/libraries/cupti_records.h"
#include "core/runtime/libraries/files/loaded_library.h"

namespace hilo {

struct CuptiFunctions {
#define LIBRARY_FUNCTION HILO_LIBRARY_MEMBER
#include "core/runtime/libraries/cupti_functions.def"
};

// From when the first of some work began until the last of it ended: ns of CUPTI's clock.
struct WorkSpan {
  int64_t startNs = 0, endNs = 0;
};

// Of one run. CUPTI keeps records of the whole process while any of these lives.
class WorkTimes {
 public:
  // Error kinds: "missing-library", "old-library", "library-failed".
  static Result<std::unique_ptr<WorkTimes>> start(const LibrarySearch& search);
  ~WorkTimes();
  WorkTimes(const WorkTimes&) = delete;
  WorkTimes& operator=(const WorkTimes&) = delete;

  // What `work` gives the GPU, by the calling thread, is of that number; what it marks itself is not.
  Status mark(uint32_t number, const std::function<Status()>& work) const;
  // By number, as far as CUPTI has times; once the device has done it all. Kind "library-failed".
  Result<std::map<uint32_t, WorkSpan>> spans() const;

 private:
  WorkTimes(LoadedLibrary library, CuptiFunctions functions, uint32_t run)
      : library_(std::move(library)), functions_(functions), run_(run) {}

  LoadedLibrary library_;
  CuptiFunctions functions_;
  uint32_t run_;  // the upper half of its marks
};

}  // namespace hilo
