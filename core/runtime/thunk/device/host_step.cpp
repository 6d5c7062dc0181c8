#include "core/runtime/thunk/device/host_step.h"

#include <algorithm>
#include <map>

namespace hilo {
namespace {

// Bytes of one allocation from the first to the last that the thunk uses.
struct Staged {
  int64_t begin = 0, end = 0;
  std::vector<std::byte> bytes;
};

// What lies between two uses is not the thunk's: only the uses themselves are copied.
class Staging {
 public:
  explicit Staging(std::vector<BufferUse> uses) : uses_(std::move(uses)) {
    std::erase_if(uses_, [](const BufferUse& use) { return use.slice.sizeBytes == 0; });
    for (const BufferUse& use : uses_) {
      const auto [staged, isNew] = staged_.try_emplace(use.slice.allocation);
      Staged& it = staged->second;
      it.begin = isNew ? use.slice.offsetBytes : std::min(it.begin, use.slice.offsetBytes);
      it.end = std::max(it.end, use.slice.endBytes());
    }
    for (auto& [allocation, staged] : staged_)
      staged.bytes.resize(static_cast<size_t>(staged.end - staged.begin));
  }

  Status copyOut(Stream& stream, std::span<const DeviceAddress> bases) {
    for (const BufferUse& use : uses_)
      TRY_STATUS(stream.copyOut(bytesOf(use.slice), bases[use.slice.allocation] + use.slice.offsetBytes));
    return stream.synchronize();
  }
  Status copyIn(Stream& stream, std::span<const DeviceAddress> bases) {
    for (const BufferUse& use : uses_) {
      if (!use.writes) continue;
      TRY_STATUS(stream.copyIn(bases[use.slice.allocation] + use.slice.offsetBytes, bytesOf(use.slice)));
    }
    // The copies read memory that ends with this.
    return stream.synchronize();
  }

  void place(std::span<std::byte*> bases, std::span<int64_t> begins) {
    for (auto& [allocation, staged] : staged_) {
      bases[allocation] = staged.bytes.data();
      begins[allocation] = staged.begin;
    }
  }

 private:
  std::span<std::byte> bytesOf(const BufferSlice& slice) {
    Staged& staged = staged_.at(slice.allocation);
    return std::span(staged.bytes)
        .subspan(static_cast<size_t>(slice.offsetBytes - staged.begin), static_cast<size_t>(slice.sizeBytes));
  }

  std::vector<BufferUse> uses_;
  std::map<uint32_t, Staged> staged_;
};

}  // namespace

Status runHostStep(const Thunk& thunk, ThunkContext context, Stream& stream,
                   std::span<const DeviceAddress> bases) {
  Staging staging(bufferUses(thunk));
  TRY_STATUS(staging.copyOut(stream, bases));
  std::vector<std::byte*> places(bases.size());
  std::vector<int64_t> begins(bases.size());
  staging.place(places, begins);
  context.bases = places;
  context.begins = begins;
  context.thunk = &thunk;
  TRY_STATUS(execute(thunk, context));
  return staging.copyIn(stream, bases);
}

}  // namespace hilo
