// Two dots and what is done to the rows between them (core/compiler/codegen/cpu/choices/dot_chain.h),
// as one thunk that takes few rows at a time through all three.
#include "core/base/check.h"
#include "core/compiler/codegen/cpu/choices/dot_chain.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/runtime/program/row_blocks.h"

namespace hilo::cpu {

namespace {

int64_t rowsOf(const DotThunk& dot) {
  int64_t rows = dot.m;
  for (const int64_t size : dot.batch) rows *= size;
  return rows;
}

// Whether the rows of all matrices lie one after the other.
bool hasRows(const DotThunk& dot, const std::vector<int64_t>& strides, int64_t columns) {
  const size_t rank = dot.batch.size();
  if (strides[rank + 1] != 1 || strides[rank] != columns) return false;
  int64_t dense = dot.m * columns;
  for (size_t d = rank; d-- > 0; dense *= dot.batch[d]) {
    if (strides[d] != dense) return false;
  }
  return true;
}

// As many rows as leave half of the cache for what they are multiplied by.
int64_t rowsAtOnce(const DotThunk& before, const DotThunk& after, int64_t cacheBytes) {
  constexpr int64_t kFewest = 16, kMost = 128;
  const int64_t rowBytes =
      before.n * elementStorageBytes(before.resultType) + after.k * elementStorageBytes(after.type);
  return std::clamp(cacheBytes / 2 / rowBytes / kFewest * kFewest, kFewest, kMost);
}

// The three steps as one, when they are a dot, a kernel that goes over the rows it made, and a dot
// of what that makes.
std::optional<RowBlocksThunk> joined(const ThunkSequence& steps, int64_t cacheBytes) {
  if (steps.size() != 3) return std::nullopt;
  const auto* before = std::get_if<DotThunk>(&steps[0].body);
  const auto* kernel = std::get_if<KernelThunk>(&steps[1].body);
  const auto* after = std::get_if<DotThunk>(&steps[2].body);
  if (before == nullptr || kernel == nullptr || after == nullptr || kernel->results.size() != 1)
    return std::nullopt;
  const auto is = [](const BufferSlice& a, const BufferSlice& b) { return a == b; };
  RowBlocksThunk thunk{*before, *kernel, *after, 0, rowsAtOnce(*before, *after, cacheBytes)};
  const auto made = std::ranges::find_if(
      kernel->arguments, [&](const ReadSlice& argument) { return is(argument, before->result); });
  const int64_t rows = rowsOf(*before);
  if (made == kernel->arguments.end() || !is(kernel->results[0], after->lhs) || rowsOf(*after) != rows ||
      after->m != before->m || !hasRows(*before, before->resultStrides, before->n) ||
      !hasRows(*after, after->lhsStrides, after->k) || !goesEvenly(thunk, rows) ||
      rows * after->k % kernel->iterations != 0)  // nor may one have fewer elements than another
    return std::nullopt;
  thunk.rowsArgument = made - kernel->arguments.begin();
  return thunk;
}

}  // namespace

Result<bool> lowerRowBlocks(const Instruction& fusion, LoweringContext& context) {
  const Computation& fused = *fusion.calledComputations()[0];
  if (fusion.get<Attr::FusionKindKind>() != FusionKind::Custom || !dotChainOf(fused)) return false;
  Program& program = context.draft.program;
  const uint32_t own = context.addSequence();
  ThunkSequence steps;
  {
    LoweringContext inner(context.draft, fused, own);
    for (size_t i = 0; i < fused.parameters().size(); ++i)
      inner.values[fused.parameters()[i]] = readOnly(context.valuesOf(*fusion.operand(i)));
    TRY(context.values[&fusion], inner.lowerComputation());
    CHECK(program.sequences.size() == own + 1, fusion.name());
    steps = std::move(program.sequences.back());
    program.sequences.pop_back();
  }
  ThunkSequence& outer = program.sequences[context.sequence];
  auto thunk = joined(steps, context.draft.target.threadCacheBytes);
  if (!thunk) {
    std::ranges::move(steps, std::back_inserter(outer));
    return true;
  }
  // What lies between is nobody's any more.
  for (const BufferSlice& slice : {BufferSlice(thunk->before.result), BufferSlice(thunk->after.lhs)})
    context.draft.temporaries.forget(slice);
  const BufferSlice nowhere{ProgramDraft::kTemporaries, 0, 0};
  thunk->before.result = thunk->kernel.results[0] = WriteSlice(nowhere);
  thunk->after.lhs = thunk->kernel.arguments[static_cast<size_t>(thunk->rowsArgument)] = ReadSlice(nowhere);
  int64_t costNs = 0;
  for (const Thunk& step : steps) costNs += step.costNs;
  context.addThunk(fusion, *std::move(thunk), costNs);
  return true;
}

}  // namespace hilo::cpu
