// NCCL among the threads of a process, on the host's memory: each rank posts copies of what it gives to its
// peers, and takes what they posted when its group ends. f32 and s32 are combined. A peer that never comes is
// an error after a while.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "core/runtime/libraries/nccl.h"

namespace hilo::fake_nccl {
namespace {

constexpr int kInvalidUsage = 5, kRemoteError = 6;
constexpr size_t kTypeBytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

using Message = std::vector<std::byte>;
struct Clique {
  std::mutex mutex;
  std::condition_variable changed;
  int joined = 0;
  // By sender, receiver, and whether it is part of a collective.
  std::map<std::tuple<int, int, bool>, std::deque<Message>> posted;
};
struct Rank {
  std::shared_ptr<Clique> clique;
  int ranks = 0, number = 0;
};

std::mutex cliquesMutex;
std::map<uint64_t, std::shared_ptr<Clique>>& cliques() {
  static auto* all = new std::map<uint64_t, std::shared_ptr<Clique>>();
  return *all;
}

// Of this thread: groups in each other, and what is done when the outermost ends.
thread_local int depth = 0;
thread_local std::vector<std::function<int()>> pending;

int groupDone() {
  std::vector<std::function<int()>> all;
  all.swap(pending);
  int result = 0;
  for (const auto& work : all) result = result != 0 ? result : work();
  return result;
}
int later(std::function<int()> work) {
  pending.push_back(std::move(work));
  return depth > 0 ? 0 : groupDone();
}

void post(const Rank& rank, int to, bool isCollective, const void* from, size_t bytes) {
  const auto* first = static_cast<const std::byte*>(from);
  const std::scoped_lock lock(rank.clique->mutex);
  rank.clique->posted[{rank.number, to, isCollective}].emplace_back(first, first + bytes);
  rank.clique->changed.notify_all();
}
int take(const Rank& rank, int from, bool isCollective, size_t bytes, Message& message) {
  std::unique_lock lock(rank.clique->mutex);
  auto& waiting = rank.clique->posted[{from, rank.number, isCollective}];
  if (!rank.clique->changed.wait_for(lock, std::chrono::seconds(20), [&] { return !waiting.empty(); }))
    return kRemoteError;
  message = std::move(waiting.front());
  waiting.pop_front();
  return message.size() == bytes ? 0 : kInvalidUsage;
}

// Gives `from` to all and `use` what each gave, in the order of the ranks.
int withAll(void* handle, const void* from, size_t bytes, std::function<void(int, const Message&)> use) {
  const auto rank = *static_cast<const Rank*>(handle);
  for (int peer = 0; peer < rank.ranks; ++peer) post(rank, peer, true, from, bytes);
  return later([rank, bytes, use = std::move(use)] {
    for (int peer = 0; peer < rank.ranks; ++peer) {
      Message message;
      if (const int result = take(rank, peer, true, bytes, message); result != 0) return result;
      use(peer, message);
    }
    return 0;
  });
}

template <typename T>
void combine(T* to, const T* with, size_t count, int reduction) {
  for (size_t i = 0; i < count; ++i) {
    to[i] = reduction == 0   ? static_cast<T>(to[i] + with[i])
            : reduction == 1 ? static_cast<T>(to[i] * with[i])
            : reduction == 2 ? std::max(to[i], with[i])
                             : std::min(to[i], with[i]);
  }
}

// Elements [first, first + count) of what all gave.
int reducePart(const void* from, size_t given, void* to, size_t first, size_t count, int type, int reduction,
               void* handle) {
  if (type != 7 && type != 2) return kInvalidUsage;
  return withAll(handle, from, 4 * given, [=](int peer, const Message& message) {
    const std::byte* part = message.data() + 4 * first;
    if (peer == 0)
      std::memcpy(to, part, 4 * count);
    else if (type == 7)
      combine(static_cast<float*>(to), reinterpret_cast<const float*>(part), count, reduction);
    else
      combine(static_cast<int32_t*>(to), reinterpret_cast<const int32_t*>(part), count, reduction);
  });
}

}  // namespace

#define LIBRARY_FUNCTION(name, symbol, ...) int name(__VA_ARGS__) __asm__(symbol);
#include "core/runtime/libraries/nccl_functions.def"

int getUniqueId(NcclUniqueId* id) {
  const std::scoped_lock lock(cliquesMutex);
  const uint64_t number = cliques().size() + 1;
  cliques()[number] = std::make_shared<Clique>();
  *id = {};
  std::memcpy(id->bytes, &number, sizeof(number));
  return 0;
}
int initRank(void** handle, int ranks, NcclUniqueId id, int number) {
  uint64_t key = 0;
  std::memcpy(&key, id.bytes, sizeof(key));
  std::shared_ptr<Clique> clique;
  {
    const std::scoped_lock lock(cliquesMutex);
    clique = cliques()[key];
  }
  if (clique == nullptr || number < 0 || number >= ranks) return kInvalidUsage;
  *handle = new Rank{clique, ranks, number};
  std::unique_lock lock(clique->mutex);
  ++clique->joined;
  clique->changed.notify_all();
  const auto all = [&] { return clique->joined >= ranks; };
  return clique->changed.wait_for(lock, std::chrono::seconds(20), all) ? 0 : kRemoteError;
}
int destroy(void* rank) {
  delete static_cast<Rank*>(rank);
  return 0;
}
int abort(void* rank) { return destroy(rank); }
int asyncError(void*, int* result) {
  *result = 0;
  return 0;
}
int groupStart() {
  ++depth;
  return 0;
}
int groupEnd() { return --depth > 0 ? 0 : groupDone(); }

int allReduce(const void* from, void* to, size_t count, int type, int reduction, void* rank, void*) {
  return reducePart(from, count, to, 0, count, type, reduction, rank);
}
int reduceScatter(const void* from, void* to, size_t countOfPart, int type, int reduction, void* handle,
                  void*) {
  const auto& rank = *static_cast<const Rank*>(handle);
  return reducePart(from, countOfPart * static_cast<size_t>(rank.ranks), to,
                    countOfPart * static_cast<size_t>(rank.number), countOfPart, type, reduction, handle);
}
int allGather(const void* from, void* to, size_t countOfPart, int type, void* rank, void*) {
  const size_t bytes = countOfPart * kTypeBytes[type];
  return withAll(rank, from, bytes, [=](int peer, const Message& message) {
    if (bytes > 0)
      std::memcpy(static_cast<std::byte*>(to) + static_cast<size_t>(peer) * bytes, message.data(), bytes);
  });
}
int broadcast(const void* from, void* to, size_t count, int type, int root, void* rank, void*) {
  const size_t bytes = count * kTypeBytes[type];
  return withAll(rank, from, bytes, [=](int peer, const Message& message) {
    if (peer == root && bytes > 0) std::memcpy(to, message.data(), bytes);
  });
}
int send(const void* from, size_t count, int type, int peer, void* handle, void*) {
  post(*static_cast<const Rank*>(handle), peer, false, from, count * kTypeBytes[type]);
  return 0;
}
int receive(void* to, size_t count, int type, int peer, void* handle, void*) {
  const auto rank = *static_cast<const Rank*>(handle);
  const size_t bytes = count * kTypeBytes[type];
  return later([=] {
    Message message;
    if (const int result = take(rank, peer, false, bytes, message); result != 0) return result;
    if (bytes > 0) std::memcpy(to, message.data(), bytes);
    return 0;
  });
}

}  // namespace hilo::fake_nccl
