// Which instructions the scheduler moves apart, and what they occupy while in flight. Scheduling runs from
// the root up, so a done occupies its resource and the start, met later, releases it (the other way round
// top-down). Matches AsyncTracker of XLA's latency_hiding_scheduler.cc and GpuAsyncTracker of
// gpu/gpu_latency_hiding_scheduler.cc.
#pragma once

#include <absl/container/inlined_vector.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/async_op.h"
#include "core/compiler/schedule/scheduler_config.h"

namespace hilo {

enum class Resource : uint8_t {
#define RESOURCE(name) name,
#include "core/compiler/schedule/resources.def"
};
inline constexpr size_t kResourceCount = 0
#define RESOURCE(name) +1
#include "core/compiler/schedule/resources.def"
    ;
// "kAllGather", as XLA prints it.
std::string_view resourceName(Resource resource);

enum class ResourceUsage : uint8_t { None, Occupy, Release };

// How conflicts on a resource are dealt with. Nonextendable: to be released as soon as its time is over.
// Selective: its latency is only hidden by instructions marked valuable for it.
enum class ResourceHazard : uint8_t { Shareable, Serial, Nonextendable, Selective, Unshareable };

struct ResourcePair {
  Resource resource;
  ResourceUsage usage;
  friend bool operator==(const ResourcePair&, const ResourcePair&) = default;
};
using ResourcesVector = absl::InlinedVector<ResourcePair, 1>;

struct ResourceCount {
  Resource resource;
  int64_t count;
};
using ResourceCounts = absl::InlinedVector<ResourceCount, 1>;
using ResourceTable = std::array<int64_t, kResourceCount>;

class ScheduleGraph;

// Not for sharing between threads: answers are remembered. The order of called computations counts; forget()
// one that got a new order.
class AsyncTracker {
 public:
  // `config` is copied.
  explicit AsyncTracker(const SchedulerConfig& config) : config_(config) {}
  virtual ~AsyncTracker() = default;

  virtual bool isSupportedAsyncStart(const Instruction& instruction) const;
  virtual bool isSupportedAsyncDone(const Instruction& instruction) const;
  // What a machine offers of each resource at the start, the number free.
  virtual ResourceTable limits() const;
  virtual ResourceHazard hazard(Resource resource) const;
  // Settings of the graph's nodes that the machine asks for.
  virtual void postProcess(ScheduleGraph&) const {}
  virtual ResourcesVector computeResources(const Instruction& instruction) const;
  // How many of `resource` an instruction needs, what it calls included.
  virtual int64_t countOf(Resource resource, const Instruction& instruction) const;

  const ResourcesVector& resourcesOf(const Instruction& instruction) const;
  // How many of each the instruction needs at once, what it calls included.
  virtual ResourceCounts countsOf(const Instruction& instruction) const;
  void forget(const Computation& computation);
  const SchedulerConfig& config() const { return config_; }

 protected:
  // The usage of the half that comes later in the run's direction.
  ResourceUsage usageOf(AsyncRole role) const;
  bool isSupported(const Instruction& instruction, AsyncRole role) const;

  const SchedulerConfig config_;

 private:
  // The most in flight at a time over the order of a computation.
  const ResourceTable& peakOf(const Computation& computation, int depth) const;

  mutable std::vector<std::optional<ResourcesVector>> resources_;          // by instruction id
  mutable std::vector<std::unique_ptr<ResourceTable>> peakByComputation_;  // by computation id
};

// Collectives share one stream; sends, recvs, computations on other threads and slice copies have theirs.
class GpuAsyncTracker : public AsyncTracker {
 public:
  using AsyncTracker::AsyncTracker;
  bool isSupportedAsyncStart(const Instruction& instruction) const override;
  bool isSupportedAsyncDone(const Instruction& instruction) const override;
  ResourceTable limits() const override;
  ResourceHazard hazard(Resource resource) const override;
  void postProcess(ScheduleGraph& graph) const override;
  ResourcesVector computeResources(const Instruction& instruction) const override;
  int64_t countOf(Resource resource, const Instruction& instruction) const override;
  ResourceCounts countsOf(const Instruction& instruction) const override;
};

std::unique_ptr<AsyncTracker> makeAsyncTracker(const SchedulerConfig& config);

}  // namespace hilo
