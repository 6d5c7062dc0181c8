#include "core/runtime/libraries/nccl.h"

#include <fmt/format.h>

namespace hilo {
namespace {

constexpr int kBytes = 1;  // ncclUint8: what is only moved

std::unexpected<Diagnostic> wrongSize() {
  return fail("malformed-instruction", "the group's size does not fit the shapes of the collective");
}

std::byte* at(void* array, int64_t bytes) { return static_cast<std::byte*>(array) + bytes; }

size_t sizeOf(int64_t count) { return static_cast<size_t>(count); }

// Bytes of a run: an array of `parts` parts, cut along a dimension with `outer` runs outside of it.
std::optional<int64_t> runBytes(int64_t bytes, int64_t outer, int64_t parts) {
  if (outer < 1 || bytes % outer != 0 || bytes / outer % parts != 0) return std::nullopt;
  return bytes / outer / parts;
}

}  // namespace

std::optional<int> ncclTypeOf(ElementType type) {
  switch (type) {
    case ElementType::S8:
      return 0;
    case ElementType::U8:
      return 1;
    case ElementType::S32:
      return 2;
    case ElementType::U32:
      return 3;
    case ElementType::S64:
      return 4;
    case ElementType::U64:
      return 5;
    case ElementType::F16:
      return 6;
    case ElementType::F32:
      return 7;
    case ElementType::F64:
      return 8;
    case ElementType::BF16:
      return 9;
    default:
      return std::nullopt;
  }
}

std::optional<int> ncclReductionOf(ReductionKind kind) {
  switch (kind) {
    case ReductionKind::Sum:
      return 0;
    case ReductionKind::Product:
      return 1;
    case ReductionKind::Maximum:
      return 2;
    case ReductionKind::Minimum:
      return 3;
    case ReductionKind::Other:
      return std::nullopt;
  }
  return std::nullopt;
}

Result<std::unique_ptr<Nccl>> Nccl::open(const LibrarySearch& search) {
  TRY(LoadedLibrary library,
      LoadedLibrary::open("Nccl", "NCCL", "NVIDIA's package libnccl2, or the Python package nvidia-nccl",
                          search));
  NcclFunctions functions;
#define LIBRARY_FUNCTION HILO_LIBRARY_FIND
#include "core/runtime/libraries/nccl_functions.def"
  return std::unique_ptr<Nccl>(new Nccl(std::move(library), functions));
}

std::string Nccl::whyNot(const Collective& collective) {
  if (collective.kind == CollectiveKind::RaggedAllToAll || collective.kind == CollectiveKind::SendRecv)
    return fmt::format("it has no {}", collectiveKindName(collective.kind));
  if (collective.reductions.empty()) return {};
  if (!ncclReductionOf(collective.reduction)) return "it combines by sum, prod, min and max alone";
  for (const CollectiveReduction& by : collective.reductions) {
    if (!ncclTypeOf(by.type)) return fmt::format("it combines no {}", elementTypeName(by.type));
  }
  return {};
}

Result<NcclUniqueId> Nccl::newClique() const {
  NcclUniqueId id{};
  TRY_STATUS(library_.call(functions_.getUniqueId, &id));
  return id;
}

Result<std::unique_ptr<NcclRank>> Nccl::join(const NcclUniqueId& id, size_t ranks, size_t number) const {
  void* handle = nullptr;
  TRY_STATUS(
      library_.call(functions_.initRank, &handle, static_cast<int>(ranks), id, static_cast<int>(number)));
  return std::make_unique<NcclRank>(library_, functions_, handle, ranks);
}

NcclRank::~NcclRank() {
  const auto& leave = check() ? functions_.destroy : functions_.abort;
  (void)library_.call(leave, handle_);
}

Status NcclRank::check() const {
  int result = 0;
  TRY_STATUS(library_.call(functions_.asyncError, handle_, &result));
  if (result == 0) return {};
  return library_.failure(functions_.asyncError.symbol, result);
}

Status NcclRank::grouped(const std::function<Status()>& calls) const {
  TRY_STATUS(library_.call(functions_.groupStart));
  Status done = calls();
  Status ended = library_.call(functions_.groupEnd);
  return done ? ended : done;
}

Status NcclRank::run(const Collective& collective, const CollectiveArrays& arrays, Stream& stream) const {
  const size_t operands = arrays.operandBytes.size();
  if (collective.kind != CollectiveKind::TupleAllToAll && arrays.resultBytes.size() != operands)
    return wrongSize();
  return grouped([&]() -> Status {
    if (collective.kind == CollectiveKind::TupleAllToAll) return exchangeTuple(arrays, stream);
    if (collective.kind == CollectiveKind::AllToAll) return exchange(arrays, collective.outer[0], stream);
    for (size_t i = 0; i < operands; ++i) TRY_STATUS(runOne(collective, arrays, i, stream));
    return {};
  });
}

Status NcclRank::runOne(const Collective& collective, const CollectiveArrays& arrays, size_t i,
                        Stream& stream) const {
  if (collective.kind == CollectiveKind::AllGather) return gather(arrays, i, collective.outer[i], stream);
  if (collective.kind != CollectiveKind::Broadcast) return reduce(collective, arrays, i, stream);
  if (arrays.resultBytes[i] != arrays.operandBytes[i]) return wrongSize();
  return library_.call(functions_.broadcast, static_cast<const void*>(arrays.at.operand(i)),
                       arrays.at.result(i), sizeOf(arrays.operandBytes[i]), kBytes, 0, handle_,
                       stream.native());
}

Status NcclRank::reduce(const Collective& collective, const CollectiveArrays& arrays, size_t i,
                        Stream& stream) const {
  const ElementType type = collective.reductions[i].type;
  const int number = *ncclTypeOf(type), by = *ncclReductionOf(collective.reduction);
  const int64_t each = elementStorageBytes(type), outer = collective.outer[i];
  void *const from = arrays.at.operand(i), *const to = arrays.at.result(i);
  if (collective.kind == CollectiveKind::AllReduce) {
    if (arrays.resultBytes[i] != arrays.operandBytes[i]) return wrongSize();
    return library_.call(functions_.allReduce, static_cast<const void*>(from), to,
                         sizeOf(arrays.operandBytes[i] / each), number, by, handle_, stream.native());
  }
  const auto parts = static_cast<int64_t>(ranks_);
  const auto run = runBytes(arrays.operandBytes[i], outer, parts);
  if (!run || *run * outer != arrays.resultBytes[i]) return wrongSize();
  for (int64_t o = 0; o < outer; ++o)
    TRY_STATUS(library_.call(functions_.reduceScatter, static_cast<const void*>(at(from, o * parts * *run)),
                             static_cast<void*>(at(to, o * *run)), sizeOf(*run / each), number, by, handle_,
                             stream.native()));
  return {};
}

Status NcclRank::gather(const CollectiveArrays& arrays, size_t i, int64_t outer, Stream& stream) const {
  const auto parts = static_cast<int64_t>(ranks_);
  const auto run = runBytes(arrays.operandBytes[i], outer, 1);
  if (!run || *run * outer * parts != arrays.resultBytes[i]) return wrongSize();
  for (int64_t o = 0; o < outer; ++o)
    TRY_STATUS(library_.call(functions_.allGather,
                             static_cast<const void*>(at(arrays.at.operand(i), o * *run)),
                             static_cast<void*>(at(arrays.at.result(i), o * parts * *run)), sizeOf(*run),
                             kBytes, handle_, stream.native()));
  return {};
}

Status NcclRank::exchange(const CollectiveArrays& arrays, int64_t outer, Stream& stream) const {
  const auto parts = static_cast<int64_t>(ranks_);
  const auto run = runBytes(arrays.operandBytes[0], outer, parts);
  if (!run || arrays.resultBytes[0] != arrays.operandBytes[0]) return wrongSize();
  for (int64_t place = 0; place < outer * parts; ++place) {
    const int peer = static_cast<int>(place % parts);
    TRY_STATUS(library_.call(functions_.send,
                             static_cast<const void*>(at(arrays.at.operand(0), place * *run)), sizeOf(*run),
                             kBytes, peer, handle_, stream.native()));
    TRY_STATUS(library_.call(functions_.receive, static_cast<void*>(at(arrays.at.result(0), place * *run)),
                             sizeOf(*run), kBytes, peer, handle_, stream.native()));
  }
  return {};
}

Status NcclRank::exchangeTuple(const CollectiveArrays& arrays, Stream& stream) const {
  if (arrays.operandBytes.size() != ranks_ || arrays.resultBytes != arrays.operandBytes) return wrongSize();
  for (size_t peer = 0; peer < ranks_; ++peer) {
    const size_t bytes = sizeOf(arrays.operandBytes[peer]);
    TRY_STATUS(library_.call(functions_.send, static_cast<const void*>(arrays.at.operand(peer)), bytes,
                             kBytes, static_cast<int>(peer), handle_, stream.native()));
    TRY_STATUS(library_.call(functions_.receive, arrays.at.result(peer), bytes, kBytes,
                             static_cast<int>(peer), handle_, stream.native()));
  }
  return {};
}

Status NcclRank::permute(const CollectiveArrays& arrays, std::optional<int> source,
                         std::span<const int> targets, Stream& stream) const {
  if (arrays.resultBytes != arrays.operandBytes) return wrongSize();
  return grouped([&]() -> Status {
    for (size_t i = 0; i < arrays.operandBytes.size(); ++i) {
      const size_t bytes = sizeOf(arrays.operandBytes[i]);
      for (const int target : targets) {
        TRY_STATUS(library_.call(functions_.send, static_cast<const void*>(arrays.at.operand(i)), bytes,
                                 kBytes, target, handle_, stream.native()));
      }
      if (source) {
        TRY_STATUS(library_.call(functions_.receive, arrays.at.result(i), bytes, kBytes, *source, handle_,
                                 stream.native()));
      }
    }
    return {};
  });
}

}  // namespace hilo
