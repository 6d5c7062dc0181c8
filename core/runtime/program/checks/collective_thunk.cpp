#include "core/runtime/program/checks/check_thunk.h"

namespace hilo {
namespace {

// The sizes that depend on how many devices meet are checked when they do.
Status checkCollective(const Collective& collective, size_t operands, CollectivePhase phase,
                       const CheckedThunk& at) {
  const bool reduces =
      collective.kind == CollectiveKind::AllReduce || collective.kind == CollectiveKind::ReduceScatter;
  const bool isRagged = collective.kind == CollectiveKind::RaggedAllToAll;
  if (phase != CollectivePhase::Done &&
      (operands == 0 || (isRagged ? operands != 6 : collective.outer.size() != operands) ||
       (reduces && collective.reductions.size() != operands))) {
    return at.malformed("does not fit its collective");
  }
  for (const CollectiveReduction& reduction : collective.reductions) {
    if (!isArrayElement(reduction.type)) return at.malformed("reduces elements of no type");
  }
  for (const int64_t outer : collective.outer) {
    if (outer < 1) return at.malformed("cuts an array into no runs");
  }
  const int indexBytes = isArrayElement(collective.indexType) ? elementStorageBytes(collective.indexType) : 0;
  if (isRagged && (collective.rowBytes < 0 || !isIntegral(collective.indexType) || indexBytes < 1))
    return at.malformed("has no rows");
  return {};
}

}  // namespace

Status check(const CollectiveThunk& thunk, const CheckedThunk& at) {
  const Collective& collective = at.program.collectives[thunk.collective];
  TRY_STATUS(checkCollective(collective, thunk.operands.size(), thunk.phase, at));
  if (collective.kind == CollectiveKind::SendRecv) return at.malformed("meets where something is sent");
  // A whole or a start has operands, a whole or a done results; as many of both but where six make one.
  const bool isRagged = collective.kind == CollectiveKind::RaggedAllToAll;
  const size_t operands = thunk.operands.size(), results = thunk.results.size();
  if ((thunk.phase == CollectivePhase::Start && results > 0) ||
      (thunk.phase == CollectivePhase::Done && operands > 0) ||
      (thunk.phase == CollectivePhase::Whole && results != (isRagged ? 1 : operands))) {
    return at.malformed("has other results than operands");
  }
  return {};
}

}  // namespace hilo
