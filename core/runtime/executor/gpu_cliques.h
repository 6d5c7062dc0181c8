// The GPUs of a run that meet in collectives, as cliques of NCCL. A clique is made when its members first
// meet, and lives as long as the program is loaded.
//
// Members meet on the host before any of them gives NCCL the work, so that one that does not come is told by
// name, as in all rendezvous, and no stream waits for it.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/runtime/libraries/nccl.h"
#include "core/runtime/thunk/collective_group.h"

namespace hilo {

class GpuCliques {
 public:
  // Error kinds: "missing-library", "old-library".
  static Result<std::unique_ptr<GpuCliques>> open(const LibrarySearch& search);

  // Waits for all members of the group, which this device is in, at `where`, and gives its place among them.
  // `key`: of the rendezvous. The context of the GPU is that of the calling thread. Error kinds: those of
  // Communicator::await, and "library-failed".
  Result<NcclRank*> meet(const DeviceLink& link, Communicator::Key key, WaitPlace where);

 private:
  explicit GpuCliques(std::unique_ptr<Nccl> nccl) : nccl_(std::move(nccl)) {}
  using Member = std::pair<std::vector<int64_t>, int64_t>;  // devices of the clique, and which of them

  std::unique_ptr<Nccl> nccl_;
  std::mutex mutex_;
  std::map<Member, std::unique_ptr<NcclRank>> ranks_;
};

// Gives the collective to the stream, on the arrays of `arrays`. A device that nobody sends to, or that is in
// no group, has zeros. Error kinds: those of meet(), and "malformed-instruction".
Status runOnClique(GpuCliques& cliques, const Collective& collective, const std::string& name,
                   const CollectiveArrays& arrays, const DeviceLink& link, Stream& stream);

}  // namespace hilo
