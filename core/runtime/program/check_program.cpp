#include <fmt/format.h>

#include "core/runtime/program/program.h"
#include "core/runtime/program/row_blocks.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> malformed(std::string message) {
  return fail("malformed-program", std::move(message));
}

Status checkAllocations(const Program& program) {
  std::vector<int64_t> parameterBytes;
  for (const Shape parameter : program.parameters) {
    for (const Shape leaf : arrayLeaves(parameter)) parameterBytes.push_back(bufferBytes(leaf));
  }
  for (size_t i = 0; i < program.allocations.size(); ++i) {
    const Allocation& allocation = program.allocations[i];
    if (allocation.sizeBytes < 0) return malformed(fmt::format("allocation {} has a negative size", i));
    if (allocation.kind == AllocationKind::Parameter &&
        (allocation.number >= parameterBytes.size() ||
         parameterBytes[allocation.number] != allocation.sizeBytes)) {
      return malformed(fmt::format("allocation {} does not fit its parameter", i));
    }
    if (allocation.kind == AllocationKind::DeviceIds && allocation.sizeBytes != kDeviceIdsBytes)
      return malformed(fmt::format("allocation {} does not fit the ids of a device", i));
    if (allocation.kind == AllocationKind::ArgumentSizes &&
        allocation.sizeBytes != static_cast<int64_t>(4 * argumentSizePlaces(program.parameters).size()))
      return malformed(fmt::format("allocation {} does not fit the sizes of arguments", i));
    if (allocation.kind == AllocationKind::Constant &&
        (allocation.number >= program.constants.size() ||
         static_cast<int64_t>(program.constants[allocation.number].size()) != allocation.sizeBytes)) {
      return malformed(fmt::format("allocation {} does not fit its constant", i));
    }
  }
  return {};
}

Status checkSlice(const Program& program, const BufferUse& use, std::string_view who) {
  const BufferSlice& slice = use.slice;
  if (slice.allocation >= program.allocations.size())
    return malformed(
        fmt::format("{} names allocation {}, of {}", who, slice.allocation, program.allocations.size()));
  const Allocation& allocation = program.allocations[slice.allocation];
  if (slice.offsetBytes < 0 || slice.sizeBytes < 0 || slice.offsetBytes > allocation.sizeBytes ||
      slice.sizeBytes > allocation.sizeBytes - slice.offsetBytes) {
    return malformed(fmt::format("{} reaches outside allocation {}", who, slice.allocation));
  }
  if (use.writes && allocation.kind != AllocationKind::Temporary)
    return malformed(fmt::format("{} writes to a parameter or a constant", who));
  return {};
}

Status checkStridedMatrix(const std::vector<int64_t>& strides, std::vector<int64_t> sizes, int64_t rows,
                          int64_t columns, const BufferSlice& slice, int bytes, std::string_view who) {
  sizes.insert(sizes.end(), {rows, columns});
  if (strides.size() != sizes.size())
    return malformed(fmt::format("{} has a matrix with other strides than sizes", who));
  __int128 last = 0, count = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || strides[d] < 0) return malformed(fmt::format("{} has a negative size", who));
    if (sizes[d] > 0) last += static_cast<__int128>(sizes[d] - 1) * strides[d];
    count = std::min<__int128>(count * sizes[d], INT64_MAX);
    if (last > INT64_MAX) return malformed(fmt::format("{} reaches outside a matrix", who));
  }
  if (count > 0 && (last + 1) * bytes > slice.sizeBytes)
    return malformed(fmt::format("{} reaches outside a matrix", who));
  if (count == INT64_MAX) return malformed(fmt::format("{} has more products than can be counted", who));
  return {};
}

// The sizes that depend on how many devices meet are checked when they do.
Status checkCollective(const Program& program, uint32_t number, size_t operands, CollectivePhase phase,
                       std::string_view who) {
  if (number >= program.collectives.size())
    return malformed(fmt::format("{} names collective {}, of {}", who, number, program.collectives.size()));
  const Collective& collective = program.collectives[number];
  const bool reduces =
      collective.kind == CollectiveKind::AllReduce || collective.kind == CollectiveKind::ReduceScatter;
  const bool isRagged = collective.kind == CollectiveKind::RaggedAllToAll;
  if (phase != CollectivePhase::Done &&
      (operands == 0 || (isRagged ? operands != 6 : collective.outer.size() != operands) ||
       (reduces && collective.reductions.size() != operands))) {
    return malformed(fmt::format("{} does not fit its collective", who));
  }
  for (const CollectiveReduction& reduction : collective.reductions) {
    if (reduction.accumulate >= program.kernels.size() || reduction.narrow >= program.kernels.size() ||
        !isArrayElement(reduction.type))
      return malformed(fmt::format("{} has no kernel to reduce by", who));
  }
  for (const int64_t outer : collective.outer) {
    if (outer < 1) return malformed(fmt::format("{} cuts an array into no runs", who));
  }
  const int indexBytes = isArrayElement(collective.indexType) ? elementStorageBytes(collective.indexType) : 0;
  if (isRagged && (collective.rowBytes < 0 || !isIntegral(collective.indexType) || indexBytes < 1))
    return malformed(fmt::format("{} has no rows", who));
  return {};
}

Status checkLibraryTypes(ElementType type, ElementType result, std::string_view who) {
  const bool known = type == ElementType::F32 || type == ElementType::BF16;
  if (!known || (result != type && result != ElementType::F32)) {
    return malformed(
        fmt::format("{} multiplies {} and makes {}", who, elementTypeName(type), elementTypeName(result)));
  }
  return {};
}

// Every size at least one and no element outside: `counted` sizes times the bytes of an element, which lie
// dense, or at `strides`.
Status checkFits(std::vector<int64_t> sizes, std::span<const int64_t> strides, int64_t elementBytes,
                 const BufferSlice& slice, std::string_view who) {
  __int128 count = 1, last = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 1 || (!strides.empty() && strides[d] < 0))
      return malformed(fmt::format("{} has an array without elements", who));
    count *= sizes[d];
    if (!strides.empty()) last += static_cast<__int128>(sizes[d] - 1) * strides[d];
    if (count > slice.sizeBytes || last > slice.sizeBytes)
      return malformed(fmt::format("{} reaches outside an array", who));
  }
  const __int128 elements = strides.empty() ? count : std::max(count, last + 1);
  if (elements * elementBytes > slice.sizeBytes)
    return malformed(fmt::format("{} reaches outside an array", who));
  return {};
}

Status checkSpace(const ConvolutionThunk& c, std::string_view who) {
  const size_t rank = c.inputSizes.size();
  const auto is = [&](const std::vector<int64_t>& list) { return list.size() == rank; };
  if (rank < 1 || rank > 3 || !is(c.outputSizes) || !is(c.filterSizes) || !is(c.strides) ||
      !is(c.dilations) || !is(c.paddings) || c.filterStrides.size() != rank + 3)
    return malformed(fmt::format("{} has no space to go over", who));
  constexpr int64_t kMost = int64_t{1} << 31;
  for (size_t d = 0; d < rank; ++d) {
    for (const int64_t number : {c.inputSizes[d], c.outputSizes[d], c.filterSizes[d], c.strides[d],
                                 c.dilations[d], c.paddings[d] + 1}) {
      if (number < 1 || number > kMost) return malformed(fmt::format("{} has a wrong size", who));
    }
    const __int128 behind = static_cast<__int128>(c.outputSizes[d] - 1) * c.strides[d] +
                            static_cast<__int128>(c.filterSizes[d] - 1) * c.dilations[d] + 1 -
                            c.inputSizes[d] - c.paddings[d];
    if (behind <= -c.strides[d] || behind > kMost)
      return malformed(fmt::format("{} has sizes that do not belong together", who));
  }
  return {};
}

Status checkConvolution(const ConvolutionThunk& c, std::string_view who) {
  TRY_STATUS(checkLibraryTypes(c.type, c.resultType, who));
  if (c.kind == ConvolutionKind::Unset) return malformed(fmt::format("{} is of no kind", who));
  TRY_STATUS(checkSpace(c, who));
  for (const int64_t size : {c.batch, c.groups, c.inputFeatures, c.outputFeatures}) {
    if (size < 1 || size > int64_t{1} << 31) return malformed(fmt::format("{} has a wrong size", who));
  }
  const auto joined = [](std::vector<int64_t> sizes, const std::vector<int64_t>& space) {
    sizes.insert(sizes.end(), space.begin(), space.end());
    return sizes;
  };
  const BufferSlice &lhs = c.lhs, &rhs = c.rhs, &result = c.result;
  const bool isInput = c.kind == ConvolutionKind::Dgrad, isFilter = c.kind == ConvolutionKind::Wgrad;
  const int64_t bytes = elementStorageBytes(c.type), resultBytes = elementStorageBytes(c.resultType);
  TRY_STATUS(checkFits(joined({c.batch, c.groups, c.inputFeatures}, c.inputSizes), {},
                       isInput ? resultBytes : bytes, isInput ? result : lhs, who));
  TRY_STATUS(checkFits(joined({c.batch, c.groups, c.outputFeatures}, c.outputSizes), {},
                       isInput || isFilter ? bytes : resultBytes,
                       isInput    ? lhs
                       : isFilter ? rhs
                                  : result,
                       who));
  return checkFits(joined({c.groups, c.outputFeatures, c.inputFeatures}, c.filterSizes), c.filterStrides,
                   isFilter ? resultBytes : bytes, isFilter ? result : rhs, who);
}

// Sizes at least one, and how many rows all matrices of the batch have.
Result<int64_t> rowsOf(const DotThunk& dot, std::string_view who) {
  constexpr __int128 kMost = int64_t{1} << 40;
  __int128 rows = 1;
  std::vector<int64_t> sizes = dot.batch;
  sizes.push_back(dot.m);
  for (const int64_t size : sizes) {
    rows *= size;
    if (size < 1 || rows > kMost) return malformed(fmt::format("{} has a wrong size", who));
  }
  if (dot.n < 1 || dot.k < 1 || dot.n > kMost || dot.k > kMost)
    return malformed(fmt::format("{} has a wrong size", who));
  return static_cast<int64_t>(rows);
}

// What lies between the dots, and so is in no slice, must be rows one after the other.
Status checkRowBlocks(const RowBlocksThunk& thunk, std::string_view who) {
  const DotThunk &before = thunk.before, &after = thunk.after;
  TRY_STATUS(checkLibraryTypes(before.type, before.resultType, who));
  TRY_STATUS(checkLibraryTypes(after.type, after.resultType, who));
  TRY(const int64_t rows, rowsOf(before, who));
  TRY(const int64_t rowsAfter, rowsOf(after, who));
  if (rows != rowsAfter || before.m != after.m || thunk.kernel.iterations < 1 || thunk.rowsAtOnce < 1 ||
      thunk.rowsAtOnce > 4096 || !goesEvenly(thunk, rows))
    return malformed(fmt::format("{} has products of different rows", who));
  if (thunk.rowsArgument < 0 || thunk.rowsArgument >= std::ssize(thunk.kernel.arguments) ||
      thunk.kernel.results.size() != 1)
    return malformed(fmt::format("{} has no kernel for the rows between", who));
  const auto isDense = [](const DotThunk& dot, const std::vector<int64_t>& strides, int64_t columns) {
    const size_t rank = dot.batch.size();
    return strides.size() == rank + 2 && strides[rank] == columns && strides[rank + 1] == 1;
  };
  if (!isDense(before, before.resultStrides, before.n) || !isDense(after, after.lhsStrides, after.k))
    return malformed(fmt::format("{} has rows that do not lie one after the other", who));
  const int left = elementStorageBytes(before.type), right = elementStorageBytes(after.type),
            result = elementStorageBytes(after.resultType);
  const auto check = [&](const DotThunk& dot, const std::vector<int64_t>& strides, int64_t lines,
                         int64_t columns, const BufferSlice& slice, int bytes) {
    return checkStridedMatrix(strides, dot.batch, lines, columns, slice, bytes, who);
  };
  TRY_STATUS(check(before, before.lhsStrides, before.m, before.k, before.lhs, left));
  TRY_STATUS(check(before, before.rhsStrides, before.k, before.n, before.rhs, left));
  TRY_STATUS(check(after, after.rhsStrides, after.k, after.n, after.rhs, right));
  return check(after, after.resultStrides, after.m, after.n, after.result, result);
}

// An array of lines: `length` elements of `bytes` each a line.
Status checkLines(const SortThunk& thunk, int64_t length, int64_t bytes, const BufferSlice& slice,
                  std::string_view who) {
  const bool isSize = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  if (isSize && static_cast<__int128>(thunk.lines) * length * bytes == slice.sizeBytes) return {};
  return malformed(fmt::format("{} does not fit an array", who));
}

Status checkSort(const Program& program, const SortThunk& thunk, std::string_view who) {
  const size_t comparators = thunk.comparator.size(), arrays = thunk.elementBytes.size();
  if (comparators > 1 || (comparators == 1 && thunk.comparator[0] >= program.kernels.size()) ||
      (comparators == 0 && (thunk.keys.empty() || thunk.onesAreUnordered)))
    return malformed(fmt::format("{} names no comparator", who));
  if (arrays == 0 || thunk.inputs.size() != arrays || thunk.outputs.size() != arrays ||
      thunk.keys.size() != thunk.keyBytes.size() || thunk.places.size() > 1)
    return malformed(fmt::format("{} has unequal lists of arrays", who));
  // No more elements than there are bytes of the first array, so that products stay small.
  const int64_t most = thunk.inputs[0].sizeBytes;
  if (thunk.lines < 1 || thunk.lines > most || thunk.length < 1 || thunk.length > most || thunk.kept < 1 ||
      thunk.kept > thunk.length || thunk.stride < 1 || thunk.lines % thunk.stride != 0)
    return malformed(fmt::format("{} has odd lines", who));
  for (size_t i = 0; i < arrays; ++i) {
    TRY_STATUS(checkLines(thunk, thunk.length, thunk.elementBytes[i], thunk.inputs[i], who));
    TRY_STATUS(checkLines(thunk, thunk.kept, thunk.elementBytes[i], thunk.outputs[i], who));
  }
  for (size_t i = 0; i < thunk.keys.size(); ++i) {
    if (thunk.keyBytes[i] > 8) return malformed(fmt::format("{} has a key too wide", who));
    TRY_STATUS(checkLines(thunk, thunk.length, thunk.keyBytes[i], thunk.keys[i], who));
  }
  for (const WriteSlice& places : thunk.places)
    TRY_STATUS(checkLines(thunk, thunk.kept, sizeof(int32_t), places, who));
  return {};
}

struct BodyChecker {
  const Program& program;
  std::string_view who;

  Status operator()(const KernelThunk& thunk) const {
    if (thunk.kernel >= program.kernels.size()) return malformed(fmt::format("{} names no kernel", who));
    if (thunk.iterations < 0 || thunk.grain < 1) return malformed(fmt::format("{} has no iterations", who));
    const size_t buffers = thunk.arguments.size() + thunk.results.size();
    for (const uint32_t place : program.kernels[thunk.kernel].launch.parameters) {
      if (place >= buffers) return malformed(fmt::format("{} has no buffer for its kernel", who));
    }
    return {};
  }
  Status operator()(const CopyThunk& thunk) const {
    if (thunk.source.sizeBytes != thunk.destination.sizeBytes)
      return malformed(fmt::format("{} copies between different sizes", who));
    return {};
  }
  Status operator()(const WhileThunk& thunk) const {
    if (thunk.test.sizeBytes < 1) return malformed(fmt::format("{} tests nothing", who));
    return {};
  }
  Status operator()(const ConditionalThunk& thunk) const {
    if (thunk.branches.empty()) return malformed(fmt::format("{} has no branch", who));
    if (thunk.byPred && thunk.branches.size() != 2)
      return malformed(fmt::format("{} chooses by pred among other than two", who));
    if (thunk.selector.sizeBytes < (thunk.byPred ? 1 : 4))
      return malformed(fmt::format("{} has no selector", who));
    return {};
  }
  Status operator()(const DotThunk& thunk) const {
    TRY_STATUS(checkLibraryTypes(thunk.type, thunk.resultType, who));
    const int bytes = elementStorageBytes(thunk.type), resultBytes = elementStorageBytes(thunk.resultType);
    const auto& [batch, m, n, k] = std::tie(thunk.batch, thunk.m, thunk.n, thunk.k);
    TRY_STATUS(checkStridedMatrix(thunk.lhsStrides, batch, m, k, thunk.lhs, bytes, who));
    TRY_STATUS(checkStridedMatrix(thunk.rhsStrides, batch, k, n, thunk.rhs, bytes, who));
    return checkStridedMatrix(thunk.resultStrides, batch, m, n, thunk.result, resultBytes, who);
  }
  Status operator()(const ConvolutionThunk& thunk) const { return checkConvolution(thunk, who); }
  Status operator()(const RowBlocksThunk& thunk) const {
    TRY_STATUS((*this)(thunk.kernel));
    return checkRowBlocks(thunk, who);
  }
  Status operator()(const SortThunk& thunk) const { return checkSort(program, thunk, who); }
  Status operator()(const CollectiveThunk& thunk) const {
    TRY_STATUS(checkCollective(program, thunk.collective, thunk.operands.size(), thunk.phase, who));
    const Collective& collective = program.collectives[thunk.collective];
    if (collective.kind == CollectiveKind::SendRecv)
      return malformed(fmt::format("{} meets where something is sent", who));
    // A whole or a start has operands, a whole or a done results; as many of both but where six make one.
    const bool isRagged = collective.kind == CollectiveKind::RaggedAllToAll;
    const size_t operands = thunk.operands.size(), results = thunk.results.size();
    if ((thunk.phase == CollectivePhase::Start && results > 0) ||
        (thunk.phase == CollectivePhase::Done && operands > 0) ||
        (thunk.phase == CollectivePhase::Whole && results != (isRagged ? 1 : operands))) {
      return malformed(fmt::format("{} has other results than operands", who));
    }
    return {};
  }
  Status operator()(const CustomCallThunk& thunk) const {
    if (thunk.operandArrays.size() != thunk.operands.size() ||
        thunk.resultArrays.size() != thunk.results.size())
      return malformed(fmt::format("{} has other arrays than buffers", who));
    for (const CustomCallAttribute& attribute : thunk.attributes) {
      const bool fits = attribute.kind <= 1   ? attribute.integers.size() == 1
                        : attribute.kind == 2 ? attribute.floats.size() == 1
                                              : attribute.kind <= 5;
      if (!fits) return malformed(fmt::format("{} has an attribute without its value", who));
    }
    for (size_t i = 0; i < thunk.operands.size(); ++i)
      TRY_STATUS(checkArray(thunk.operandArrays[i], thunk.operands[i]));
    for (size_t i = 0; i < thunk.results.size(); ++i)
      TRY_STATUS(checkArray(thunk.resultArrays[i], thunk.results[i]));
    return {};
  }
  Status checkArray(const CustomCallArray& array, const BufferSlice& slice) const {
    if (!isArrayElement(array.type) || array.minorToMajor.size() != array.dimensions.size())
      return malformed(fmt::format("{} has an array of no type", who));
    __int128 bytes = elementStorageBytes(array.type);
    for (const int64_t size : array.dimensions) {
      if (size < 0 || bytes > slice.sizeBytes) return malformed(fmt::format("{} has a wrong size", who));
      bytes *= size;
    }
    return bytes == slice.sizeBytes ? Status() : malformed(fmt::format("{} has a wrong size", who));
  }
  Status operator()(const InfeedThunk& thunk) const { return checkFed(thunk.shape, thunk.results); }
  Status operator()(const OutfeedThunk& thunk) const {
    if (!program.givesOutfeed) return malformed(fmt::format("{} gives what the program does not", who));
    return checkFed(thunk.shape, thunk.operands);
  }
  template <typename Slice>
  Status checkFed(Shape shape, const std::vector<Slice>& slices) const {
    const auto leaves = arrayLeaves(shape);
    const bool fits = std::ranges::equal(leaves, slices, [](Shape leaf, const Slice& slice) {
      return !leaf.isDynamic() && bufferBytes(leaf) == slice.sizeBytes;
    });
    return fits ? Status() : malformed(fmt::format("{} has other arrays than buffers", who));
  }
  Status operator()(const HostedThunk& thunk) const {
    if (thunk.program >= program.hosted.size()) return malformed(fmt::format("{} names no program", who));
    return {};
  }
  Status operator()(const LibraryThunk& thunk) const {
    if (thunk.substitute >= program.hosted.size()) return malformed(fmt::format("{} names no program", who));
    std::vector<int64_t> operands, results;
    for (const BufferSlice& slice : thunk.operands) operands.push_back(slice.sizeBytes);
    for (const BufferSlice& slice : thunk.results) results.push_back(slice.sizeBytes);
    return checkLibraryCall(thunk.call, operands, results, who);
  }
  Status operator()(const SendThunk& thunk) const { return checkSendRecv(thunk.collective); }
  Status operator()(const ReceiveThunk& thunk) const { return checkSendRecv(thunk.collective); }
  Status checkSendRecv(uint32_t collective) const {
    if (collective < program.collectives.size() &&
        program.collectives[collective].kind == CollectiveKind::SendRecv)
      return {};
    return malformed(fmt::format("{} names no channel to send on", who));
  }
  Status operator()(const std::monostate&) const { return malformed(fmt::format("{} is empty", who)); }
};

Status checkThunk(const Program& program, const Thunk& thunk, uint32_t sequence) {
  for (const BufferUse& use : bufferUses(thunk)) TRY_STATUS(checkSlice(program, use, thunk.name));
  for (const uint32_t nested : nestedSequences(thunk)) {
    if (nested <= sequence || nested >= program.sequences.size())
      return malformed(fmt::format("{} runs sequence {}, which it may not", thunk.name, nested));
  }
  return std::visit(BodyChecker{program, thunk.name}, thunk.body);
}

}  // namespace

Status checkConstants(const Program& program) {
  for (size_t i = 0; i < program.constants.size(); ++i) {
    if (!program.constants[i].isAsSaved())
      return fail("damaged-file",
                  fmt::format("constant {} of the program {} is not what was saved", i, program.name), {},
                  {"compile the module again"});
  }
  return {};
}

Status checkProgram(const Program& program) {
  TRY_STATUS(checkAllocations(program));
  for (const Kernel& kernel : program.kernels) {
    if (kernel.object >= program.objects.size())
      return malformed(fmt::format("kernel {} has no object", kernel.name));
    if (kernel.launch.isSet() && !isForGrids(program))
      return malformed(fmt::format("kernel {} is launched as no kernel of its machine is", kernel.name));
  }
  if (program.sequences.empty()) return malformed("there is nothing to run");
  if (program.parameterNames.size() != program.parameters.size())
    return malformed("there are other parameters than names");
  const size_t results = program.result.isTuple() ? program.result.tupleShapes().size() : 1;
  if (program.resultNames.size() != results) return malformed("there are other results than names");
  if (program.replicas < 1 || program.partitions < 1 || program.replicas > kMostDevices ||
      program.partitions > kMostDevices)
    return malformed("it is for no number of devices");
  // Each sequence is run from one place at most, so that walking all of them is linear.
  std::vector<bool> claimed(program.sequences.size());
  for (uint32_t s = 0; s < program.sequences.size(); ++s) {
    for (const Thunk& thunk : program.sequences[s]) {
      TRY_STATUS(checkThunk(program, thunk, s));
      for (const uint32_t nested : nestedSequences(thunk)) {
        if (claimed[nested]) return malformed(fmt::format("sequence {} is run from two places", nested));
        claimed[nested] = true;
      }
    }
  }
  const auto leaves = arrayLeaves(program.result);
  if (leaves.size() != program.resultSlices.size()) return malformed("the result has other leaves");
  for (size_t i = 0; i < leaves.size(); ++i) {
    TRY_STATUS(checkSlice(program, {program.resultSlices[i], false}, "the result"));
    if (program.resultSlices[i].sizeBytes != bufferBytes(leaves[i]))
      return malformed("a result leaf has another size");
  }
  for (const ResultSize& size : program.resultSizes) {
    TRY_STATUS(checkSlice(program, {size.size, false}, "the result"));
    if (size.leaf >= leaves.size() || size.dimension >= leaves[size.leaf].rank() ||
        size.size.sizeBytes != sizeof(int32_t))
      return malformed("a size of the result has no dimension");
  }
  return {};
}

}  // namespace hilo
