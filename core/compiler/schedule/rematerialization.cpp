#include "core/compiler/schedule/rematerialization.h"

#include <absl/container/flat_hash_set.h>

#include "core/analysis/backend.h"
#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/schedule/value_again.h"
#include "core/compiler/schedule/waiting_values.h"

namespace hilo {
namespace {

using Action = RematerializedValue::Action;

class Rematerializer {
 public:
  Rematerializer(Module& module, const RematerializationOptions& options)
      : module_(module), options_(options) {}

  Result<RematerializationResult> run() {
    TRY(result_.bytesBefore, look());
    int64_t peak = result_.bytesBefore;
    for (int64_t n = 0; n < options_.maxRounds && peak > options_.limitBytes; ++n) {
      if (options_.cancel.cancelled()) return fail("cancelled", "cancelled");
      // As many at once as the limit asks for; if that did not help, the best alone.
      TRY(const auto many, attempt(peak, peak - options_.limitBytes));
      if (many) {
        peak = *many;
        continue;
      }
      TRY(const auto one, attempt(peak, 1));
      if (!one) break;
      peak = *one;
    }
    result_.bytesAfter = peak;
    result_.reachedLimit = peak <= options_.limitBytes;
    for (const WaitingValue& candidate : candidates_)
      result_.values.push_back({candidate.instruction, Action::Left, candidate.bytes,
                                candidate.reason.empty() ? "it would not lower the peak" : candidate.reason});
    return std::move(result_);
  }

 private:
  Result<int64_t> look() {
    TRY(const AliasAnalysis alias, AliasAnalysis::run(module_, backendOf(module_)));
    const WaitingValues waiting(module_, alias, options_);
    candidates_ = waiting.all();
    return waiting.peakBytes();
  }

  // The best that have nothing to do with each other, until that many bytes are freed.
  std::vector<Replacement> replace(int64_t wanted) {
    std::vector<Replacement> made;
    absl::flat_hash_set<const Instruction*> touched;  // and what they are made from
    for (const WaitingValue& candidate : candidates_) {
      if (wanted <= 0 || candidate.action == Action::Left) break;
      std::vector<const Instruction*> parts = {candidate.instruction};
      parts.insert(parts.end(), candidate.carriers.begin(), candidate.carriers.end());
      parts.insert(parts.end(), candidate.instruction->operands().begin(),
                   candidate.instruction->operands().end());
      const bool isApart =
          std::ranges::none_of(parts, [&](const Instruction* p) { return touched.contains(p); });
      if (!isApart || refused_.contains(candidate.instruction)) continue;
      wanted -= candidate.bytes;
      touched.insert(parts.begin(), parts.end());
      made.push_back(replaceLaterUses(candidate));
      done_.push_back({candidate.instruction, candidate.action, candidate.bytes, {}});
    }
    return made;
  }

  // The new peak; nullopt when nothing could be done or it is no lower, and then all is as before.
  Result<std::optional<int64_t>> attempt(int64_t peak, int64_t wanted) {
    const std::vector<WaitingValue> before = candidates_;
    done_.clear();
    std::vector<Replacement> made = replace(wanted);
    if (made.empty()) return std::optional<int64_t>();
    TRY(const int64_t after, look());
    if (after < peak) return keep(made);
    for (size_t n = made.size(); n > 0; --n) takeBack(made[n - 1]);
    if (made.size() == 1) refused_.insert(made[0].original);
    candidates_ = before;
    return made.size() == 1 ? attempt(peak, 1) : Result<std::optional<int64_t>>(std::nullopt);
  }

  Result<std::optional<int64_t>> keep(std::vector<Replacement>& made) {
    result_.values.insert(result_.values.end(), done_.begin(), done_.end());
    for (Replacement& replacement : made) {
      removeUnused(replacement);
      TRY_STATUS(giveOwnComputations(*replacement.standIn));
    }
    TRY(const int64_t after, look());
    return std::optional(after);
  }

  Module& module_;
  const RematerializationOptions& options_;
  RematerializationResult result_;
  std::vector<WaitingValue> candidates_;
  std::vector<RematerializedValue> done_;            // in the attempt that runs
  absl::flat_hash_set<const Instruction*> refused_;  // alone they did not help
};

}  // namespace

bool RematerializationResult::changed() const {
  return std::ranges::any_of(values, [](const RematerializedValue& v) { return v.action != Action::Left; });
}

Result<RematerializationResult> rematerialize(Module& module, const RematerializationOptions& options) {
  if (!module.isScheduled()) {
    return fail("not-scheduled", "what is live when is known of scheduled modules", {},
                {"a scheduler gives it an order: --passes=memory-scheduler"});
  }
  return Rematerializer(module, options).run();
}

}  // namespace hilo
