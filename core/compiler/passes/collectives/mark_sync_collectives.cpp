#include "core/compiler/passes/collectives/mark_sync_collectives.h"

#include "core/analysis/schedule/async_op.h"
#include "core/compiler/pass/main_computations.h"

namespace hilo {
namespace {

constexpr std::string_view kKey = "\"collective_backend_config\":{";
constexpr std::string_view kSync = "\"is_sync\":true", kAsync = "\"is_sync\":false";

// The configuration with is_sync set; nullopt where it is already, or is no such JSON.
std::optional<std::string> markedSync(std::string_view config) {
  if (config.empty()) return fmt::format("{{{}{}}}}}", kKey, kSync);
  std::string text(config);
  if (text.find(kSync) != std::string::npos) return std::nullopt;
  if (const size_t at = text.find(kAsync); at != std::string::npos)
    return text.replace(at, kAsync.size(), kSync);
  if (const size_t at = text.find(kKey); at != std::string::npos) {
    const bool isEmpty = text.compare(at + kKey.size(), 1, "}") == 0;
    return text.insert(at + kKey.size(), fmt::format("{}{}", kSync, isEmpty ? "" : ","));
  }
  if (!text.starts_with('{') || !text.ends_with('}')) return std::nullopt;
  text.pop_back();
  return fmt::format("{}{}{}{}}}}}", text, text.size() > 1 ? "," : "", kKey, kSync);
}

const Instruction* workBetween(const Instruction& start, const Instruction& done) {
  for (const Instruction* i = start.next(); i != nullptr && i != &done; i = i->next()) {
    if (!isNopForScheduling(*i)) return i;
  }
  return nullptr;
}

}  // namespace

Result<bool> markUnhiddenCollectives(Module& module, PassContext& context) {
  if (!module.isScheduled())
    return fail("not-scheduled", "what runs between a start and its done is known of scheduled modules");
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    for (Instruction* done : computation->instructions()) {
      if (context.cancelled()) return changed;
      const CanonicalAsyncOp op = canonicalAsyncOp(*done, false);
      if (op.role != AsyncRole::Done || !isCollectiveCommunication(op.inner) || done->operandCount() == 0)
        continue;
      Instruction& start = *done->operand(0);
      if (const Instruction* between = workBetween(start, *done)) {
        context.remark(*done, "missed",
                       fmt::format("stays asynchronous: %{} runs meanwhile", between->name()));
        continue;
      }
      const auto config = markedSync(start.get<Attr::BackendConfig>());
      if (!config) continue;
      if (!context.mayChange(start)) return changed;
      start.set<Attr::BackendConfig>(*config);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
