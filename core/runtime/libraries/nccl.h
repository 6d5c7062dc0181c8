// NCCL: what the GPUs of this machine do together. Each GPU is driven by a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "core/runtime/libraries/files/loaded_library.h"
#include "core/runtime/libraries/library_arguments.h"
#include "core/runtime/program/collectives.h"

namespace hilo {

// Names a clique while its members find each other.
struct NcclUniqueId {
  char bytes[128];
};

struct NcclFunctions {
#define LIBRARY_FUNCTION HILO_LIBRARY_MEMBER
#include "core/runtime/libraries/nccl_functions.def"
};

// NCCL's number of the type, and of what combines values; nullopt: it has none.
std::optional<int> ncclTypeOf(ElementType type);
std::optional<int> ncclReductionOf(ReductionKind kind);

// Where the arrays of a collective lie on one device. Bytes, of each array.
struct CollectiveArrays {
  LibraryArrays at;
  std::vector<int64_t> operandBytes, resultBytes;
};

// One GPU of a clique, for as long as the program is loaded. One thread at a time.
class NcclRank {
 public:
  NcclRank(const LoadedLibrary& library, const NcclFunctions& functions, void* handle, size_t ranks)
      : library_(library), functions_(functions), handle_(handle), ranks_(ranks) {}
  // A clique that one of its members left with an error is aborted: nothing would end it otherwise.
  ~NcclRank();
  NcclRank(const NcclRank&) = delete;
  NcclRank& operator=(const NcclRank&) = delete;

  // Gives the work to the stream; the other members give the same. Of an array that is cut along a dimension
  // with `outer` runs outside of it each run is one call of the group. RaggedAllToAll and SendRecv are not
  // done here. Error kinds: "library-failed", and "malformed-instruction" where sizes do not fit.
  Status run(const Collective& collective, const CollectiveArrays& arrays, Stream& stream) const;
  // The arrays from `source`, if there is one, and to `targets`: members by their place in the clique.
  Status permute(const CollectiveArrays& arrays, std::optional<int> source, std::span<const int> targets,
                 Stream& stream) const;
  // Whether work given before failed. Kind "library-failed".
  Status check() const;

 private:
  Status grouped(const std::function<Status()>& calls) const;
  Status runOne(const Collective& collective, const CollectiveArrays& arrays, size_t i, Stream& stream) const;
  Status reduce(const Collective& collective, const CollectiveArrays& arrays, size_t i, Stream& stream) const;
  Status gather(const CollectiveArrays& arrays, size_t i, int64_t outer, Stream& stream) const;
  Status exchange(const CollectiveArrays& arrays, int64_t outer, Stream& stream) const;
  Status exchangeTuple(const CollectiveArrays& arrays, Stream& stream) const;

  const LoadedLibrary& library_;
  const NcclFunctions& functions_;
  void* handle_;
  size_t ranks_;
};

class Nccl {
 public:
  // Error kinds: "missing-library", "old-library".
  static Result<std::unique_ptr<Nccl>> open(const LibrarySearch& search);

  // Why the library cannot do it: "it has no collective of u4 arrays"; "" where it can.
  static std::string whyNot(const Collective& collective);

  Result<NcclUniqueId> newClique() const;
  // Waits until all `ranks` members have come with the same id, each on a thread whose context is its GPU's.
  Result<std::unique_ptr<NcclRank>> join(const NcclUniqueId& id, size_t ranks, size_t number) const;

 private:
  Nccl(LoadedLibrary library, NcclFunctions functions)
      : library_(std::move(library)), functions_(functions) {}

  LoadedLibrary library_;
  NcclFunctions functions_;
};

}  // namespace hilo
