// What a kernel made of several instructions costs on a GPU, by the model of XLA's priority fusion
// (service/gpu/model/gpu_performance_model.cc, gpu_hlo_cost_analysis.cc): work and memory partly at once,
// what is read again from caches, few threads slow, neighbours that do not lie side by side slower. Rough by
// design: it orders candidates.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "core/compiler/passes/fusion/kernel_emitter.h"

namespace hilo {

struct GpuRates {
  int64_t memoryBandwidthGbps = 3350;
  int64_t coreCount = 132;
  int64_t clockMhz = 1755;
  int64_t f32Gflops = 66900;
  int64_t capability = 90;  // of sm_90
};

struct KernelCost {
  double ns = 0;       // without the launch; infinite where the kernel's code would be too long
  double writeNs = 0;  // of it, what storing the result takes
};
inline constexpr double kLaunchNs = 1000;

// Costs of kernels made of the instructions of one computation, each named by its number: its place among
// `instructions`, operands before users. A kernel's members are numbers, the greatest first: the one whose
// value is stored. Values from elsewhere have numbers too. Not for several threads.
class KernelCosts {
 public:
  KernelCosts(std::span<Instruction* const> instructions, const GpuRates& rates);

  // Linear in members and their operands.
  KernelCost of(std::span<const uint32_t> members);
  KernelEmitter emitterOf(std::span<const uint32_t> members);
  uint32_t numberOf(const Instruction& instruction) const { return numbers_.at(&instruction); }

 private:
  // How often the elements of a value are made or read, and their code is written, by the roots it is gone
  // over from: elementwise work alone lies between it and such a root.
  using Roots = absl::InlinedVector<uint32_t, 4>;
  struct Facts {
    double ops = 0, elements = 0, bytes = 0, elementBytes = 1;
    bool goesAlong = false, turnsMinor = false;
    absl::InlinedVector<std::pair<uint32_t, double>, 3> operands;  // and how often their elements are used
  };

  void setInside(std::span<const uint32_t> members);
  void use(const Facts& user, const Roots& roots, double times, double written);
  void addRoot(uint32_t value, double times, double written);
  Roots& rootsOf(uint32_t value);
  void clear();
  double readNs(uint32_t value, double reachable, bool isScattered) const;

  const GpuRates rates_;
  std::vector<Instruction*> instructions_;
  absl::flat_hash_map<const Instruction*, uint32_t> numbers_;
  std::vector<Facts> facts_;
  // Of the kernel that is looked at.
  uint32_t turn_ = 0;
  std::vector<uint32_t> inside_, owns_;  // the turn in which a value was a member, had a root of its own
  std::vector<uint32_t> own_;
  std::vector<Roots> roots_;
  std::vector<uint32_t> values_;  // that have roots, in the order in which they were met
  std::vector<double> times_, code_;
};

// How often each element of operand `index` is computed, or read, when each of the user's is once. Above 1:
// the same element again.
double operandReuse(const Instruction& user, size_t index);

}  // namespace hilo
