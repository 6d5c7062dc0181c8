// Values that wait over the peak, computed again behind it or kept on the host meanwhile: the largest each
// alone, and as many as it takes.
#include "core/analysis/cost/device.h"
#include "core/analysis/instruction_card.h"
#include "core/base/amount_text.h"
#include "core/workspace/peak/peak_proposals.h"

namespace hilo {
namespace {

struct Treatment {
  std::string_view alone;  // with the value's name
  std::string_view many;   // with the bytes aimed at
  std::string_view how;    // in a JAX program
  std::string settings;    // of the pass rematerialization
};

std::string passOf(const Treatment& treatment, std::string_view more) {
  return fmt::format("rematerialization{{{},{}}}", treatment.settings, more);
}

std::vector<PeakChange> treat(const PeakBase& base, const Treatment& treatment) {
  std::vector<PeakChange> changes;
  const std::vector<const Instruction*> live = liveAtPeak(base);
  for (size_t i = 0; i < std::min(live.size(), base.request.values); ++i) {
    const std::string source = sourcePlace(*live[i]);
    changes.push_back(
        {.text = fmt::format(fmt::runtime(treatment.alone), live[i]->name()),
         .how = fmt::format("{}{}{}", source, source.empty() ? "" : ": ", treatment.how),
         .value = live[i]->id(),
         .passes = {passOf(treatment, fmt::format("memory_limit_bytes=1,only={}", live[i]->name()))}});
  }
  if (live.empty()) return changes;
  changes.push_back({.text = fmt::format(fmt::runtime(treatment.many), amount::bytes(base.wantedBytes)),
                     .how = std::string(treatment.how),
                     .passes = {passOf(treatment, fmt::format("memory_limit_bytes={}", base.wantedBytes))}});
  return changes;
}

}  // namespace

std::vector<const Instruction*> liveAtPeak(const PeakBase& base) {
  const MemoryProfile& profile = base.profile();
  std::vector<const Instruction*> live;
  for (const size_t index : liveSetAt(profile, profile.peakStep, false)) {
    const Instruction* instruction = base.module->instruction(profile.values[index].instruction);
    if (instruction != nullptr && std::ranges::find(live, instruction) == live.end())
      live.push_back(instruction);
  }
  return live;
}

Result<std::vector<PeakChange>> recomputeValues(const PeakBase& base, const JobContext& /*context*/) {
  return treat(base, {.alone = "compute %{} again behind the peak",
                      .many = "compute again what lowers the peak, down to {}",
                      .how = "jax.checkpoint around it, with a policy that does not save it",
                      .settings = "recompute=true,compress=false,host_offload=false"});
}

Result<std::vector<PeakChange>> offloadValues(const PeakBase& base, const JobContext& /*context*/) {
  TRY(const DeviceDescription device, findDevice(base.device));
  return treat(base, {.alone = "keep %{} on the host over the peak",
                      .many = "keep on the host what lowers the peak, down to {}",
                      .how = "jax.device_put to pinned_host, or a policy of jax.checkpoint that offloads it",
                      .settings = fmt::format(
                          "recompute=false,compress=false,host_offload=true,host_bytes_per_second={}",
                          static_cast<int64_t>(device.hostBandwidthGBps * 1e9))});
}

}  // namespace hilo
