#include <fmt/format.h>

#include "core/base/check.h"
#include "core/runtime/program/checks/check_thunk.h"
#include "core/runtime/program/program.h"

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

size_t sizeOf(const Program& program, ProgramTable table) {
  switch (table) {
    case ProgramTable::Kernels:
      return program.kernels.size();
    case ProgramTable::Collectives:
      return program.collectives.size();
    case ProgramTable::Hosted:
      return program.hosted.size();
    case ProgramTable::Sequences:
      return program.sequences.size();
  }
  checkFailed(__FILE__, __LINE__, "table of a program", program.name);
}

// Visits the fields of a thunk or a collective and keeps the first place that is not in its table.
struct PlaceChecker {
  const Program& program;
  std::string_view who;
  Status status = {};

  template <ProgramTable kTable>
  void operator()(const char* name, TablePlace<kTable> place) {
    const size_t size = sizeOf(program, kTable);
    if (status && place.number >= size)
      status = malformed(fmt::format("{} names {} {}, of {}", who, name, place.number, size));
  }
  template <typename T>
  void operator()(const char* name, const std::vector<T>& items) {
    for (const T& item : items) (*this)(name, item);
  }
  template <typename T>
  void operator()(const char*, const T& value) {
    if constexpr (requires { T::visit(value, *this); }) T::visit(value, *this);
  }
};

Status checkThunk(const Program& program, const Thunk& thunk, uint32_t sequence) {
  for (const BufferUse& use : bufferUses(thunk)) TRY_STATUS(checkSlice(program, use, thunk.name));
  PlaceChecker places{program, thunk.name};
  visitFields(thunk, places);
  TRY_STATUS(std::move(places.status));
  for (const uint32_t nested : nestedSequences(thunk)) {
    if (nested <= sequence)
      return malformed(fmt::format("{} runs sequence {}, which it may not", thunk.name, nested));
  }
  const CheckedThunk at{program, thunk.name};
  switch (thunk.kind()) {
#define THUNK(name, ...) \
  case ThunkKind::name:  \
    return check(std::get<name##Thunk>(thunk.body), at);
    HILO_THUNKS(THUNK)
#undef THUNK
  }
  return at.malformed("is empty");
}

Status checkCollectives(const Program& program) {
  for (size_t i = 0; i < program.collectives.size(); ++i) {
    const std::string who = fmt::format("collective {}", i);
    PlaceChecker places{program, who};
    Collective::visit(program.collectives[i], places);
    TRY_STATUS(std::move(places.status));
  }
  return {};
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
  TRY_STATUS(checkCollectives(program));
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
