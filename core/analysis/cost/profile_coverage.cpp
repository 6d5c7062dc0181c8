#include "core/analysis/cost/profile_coverage.h"

#include <absl/container/flat_hash_set.h>

#include "core/analysis/async_chain.h"
#include "core/analysis/async_op.h"
#include "core/analysis/cost/uniform_latency.h"

namespace hilo {
namespace {

class Counter {
 public:
  explicit Counter(const LatencyProfile& profile) : profile_(profile) {}

  void count(const Computation& computation) {
    for (const Instruction* i : computation.instructions()) {
      countCost(*i);
      for (const Instruction* user : i->users()) countLatency(*i, *user);
    }
  }
  ProfileCoverage take() { return std::move(coverage_); }

 private:
  bool knows(std::string_view name) const { return profile_.costUs.contains(std::string(name)); }
  bool knowsCost(const Instruction& i) const {
    if (knows(i.name())) return true;
    const Instruction* wrapped = isAsyncLink(i) ? asyncWrappedInstruction(i) : nullptr;
    return wrapped != nullptr && knows(wrapped->name());
  }

  // Halves of collectives cost nothing themselves.
  void countCost(const Instruction& i) {
    const CanonicalAsyncOp op = canonicalAsyncOp(i, true);
    const bool isHalf = op.role != AsyncRole::None && (isCollectiveCommunication(op.inner) ||
                                                       op.inner == Opcode::Send || op.inner == Opcode::Recv);
    if (isHalf) return;
    if (knowsCost(i)) {
      ++coverage_.found;
    } else if (!isGpuNop(i) && i.opcode() != Opcode::While && i.opcode() != Opcode::Copy) {
      miss(i);
    }
  }

  void countLatency(const Instruction& from, const Instruction& to) {
    if (!isGpuAsyncStart(from) || !isGpuAsyncDone(to)) return;
    const bool measured = profile_.latencyUs.contains({std::string(from.name()), std::string(to.name())});
    if (measured || knowsCost(from)) {
      ++coverage_.found;
    } else {
      miss(from);
    }
  }

  void miss(const Instruction& i) {
    if (seen_.insert(&i).second) coverage_.missing.push_back(&i);
  }

  const LatencyProfile& profile_;
  ProfileCoverage coverage_;
  absl::flat_hash_set<const Instruction*> seen_;
};

}  // namespace

ProfileCoverage profileCoverage(const LatencyProfile& profile, const Module& module) {
  absl::flat_hash_set<const Computation*> bodies;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::While) bodies.insert(i->get<Attr::Body>());
    }
  }
  Counter counter(profile);
  for (const Computation* computation : module.computations()) {
    if (computation->isEntry() || bodies.contains(computation)) counter.count(*computation);
  }
  return counter.take();
}

Status requireFullProfile(const LatencyProfile& profile, const Module& module) {
  const ProfileCoverage coverage = profileCoverage(profile, module);
  if (coverage.missing.empty()) return {};
  constexpr size_t kShown = 10;
  std::vector<std::string> notes;
  for (size_t i = 0; i < std::min(kShown, coverage.missing.size()); ++i)
    notes.push_back(fmt::format("missing: {}", coverage.missing[i]->name()));
  return fail("profile-incomplete",
              fmt::format("the profile lacks {} instructions of the module (it has {})",
                          coverage.missing.size(), coverage.found),
              {}, std::move(notes));
}

}  // namespace hilo
