#include "core/runtime/device/simulated/thread_order.h"

#include <bit>

namespace hilo {
namespace {

SharedKnowledge joined(const SharedKnowledge& a, const SharedKnowledge& b) {
  if (a == nullptr || a == b) return b;
  if (b == nullptr) return a;
  auto both = std::make_shared<Knowledge>(*a);
  both->join(*b);
  return both;
}

template <typename F>
void eachLane(uint32_t lanes, F&& body) {
  for (; lanes != 0; lanes &= lanes - 1) body(static_cast<uint32_t>(std::countr_zero(lanes)));
}

}  // namespace

uint32_t numberOf(const Lane& lane) { return threadNumber(lane.block->number, lane.index); }

void ThreadOrderings::beginBlock(SimBlock& block) {
  block.orders.clear();
  block.known = nullptr;
  block.synced = grid_.nextTime();
  for (Warp& warp : block.warps) warp.synced = block.synced;
}

ThreadOrder& ThreadOrderings::of(Lane& lane) {
  SimBlock& block = *lane.block;
  if (block.orders.empty()) block.orders.resize(block.lanes.size());
  return block.orders[lane.index];
}

Knowledge ThreadOrderings::allThat(const Lane& lane) const {
  const SimBlock& block = *lane.block;
  Knowledge all;
  if (!block.orders.empty() && block.orders[lane.index].known != nullptr)
    all = *block.orders[lane.index].known;
  if (block.known != nullptr) all.join(*block.known);
  all.learn(threadNumber(block.number, kSeveralOfBlock), block.synced);
  if (lane.warp->synced > block.synced) {
    for (uint32_t i = 0; i < kSimLanes; ++i)
      all.learn(threadNumber(block.number, lane.warp->first + i), lane.warp->synced);
  }
  all.learn(numberOf(lane), grid_.time() + 1);
  return all;
}

void ThreadOrderings::take(ThreadOrder& order, bool ofBlockAlone) {
  for (SharedKnowledge* seen : {&order.seenOfBlock, ofBlockAlone ? nullptr : &order.seen}) {
    if (seen == nullptr || *seen == nullptr) continue;
    order.known = joined(order.known, *seen);
    *seen = nullptr;
  }
}

void ThreadOrderings::warpMet(Warp& warp, uint32_t lanes, uint32_t mask) {
  SimBlock& block = *warp.block;
  const bool areAll = mask == ~0u ? (warp.alive & ~lanes) == 0 : lanes == ~0u;
  if (areAll && block.orders.empty()) {
    warp.synced = grid_.nextTime();
    return;
  }
  auto together = std::make_shared<Knowledge>();
  eachLane(lanes, [&](uint32_t i) {
    Lane& lane = warp.lane(i);
    take(of(lane));
    together->join(allThat(lane));
  });
  const uint32_t now = grid_.nextTime();
  if (areAll) warp.synced = now;
  eachLane(lanes, [&](uint32_t i) {
    ThreadOrder& order = of(warp.lane(i));
    order.known = together;
    order.met = now;
  });
}

void ThreadOrderings::barrierMet(SimBlock& block, const BlockBarrier& barrier) {
  uint32_t count = 0;
  for (const auto* part : {&barrier.waiting, &barrier.others}) {
    for (const auto& [warp, lanes] : *part) count += static_cast<uint32_t>(std::popcount(lanes));
  }
  const bool areAll = (barrier.expected == 0 || count >= block.lanes.size()) && barrier.others.empty();
  if (areAll && block.orders.empty()) {
    block.synced = grid_.nextTime();
    return;
  }
  auto together = std::make_shared<Knowledge>();
  for (const auto* part : {&barrier.waiting, &barrier.others}) {
    for (const auto& [warp, lanes] : *part) {
      eachLane(lanes, [&](uint32_t i) {
        take(of(warp->lane(i)));
        together->join(allThat(warp->lane(i)));
      });
    }
  }
  const uint32_t now = grid_.nextTime();
  if (areAll) {
    block.synced = now;
    block.known = together;
    for (ThreadOrder& order : block.orders) order.known = nullptr;
    return;
  }
  for (const auto& [warp, lanes] : barrier.waiting) {
    eachLane(lanes, [&](uint32_t i) {
      ThreadOrder& order = of(warp->lane(i));
      order.known = together;
      order.met = now;
    });
  }
}

void ThreadOrderings::fence(Lane& lane, bool isForBlock) {
  ThreadOrder& order = of(lane);
  take(order, isForBlock);
  auto now = std::make_shared<const Knowledge>(allThat(lane));
  grid_.nextTime();
  order.fencedForBlock = now;
  if (!isForBlock) order.fenced = std::move(now);
}

void ThreadOrderings::publish(Lane& lane, const void* address) {
  if (lane.block->orders.empty()) return;
  const ThreadOrder& order = lane.block->orders[lane.index];
  if (order.fencedForBlock == nullptr) return;
  Published& published = published_[address];
  published.all = joined(published.all, order.fenced);
  SharedKnowledge& own = published.ofBlock[static_cast<uint32_t>(lane.block->number)];
  own = joined(own, order.fencedForBlock);
}

void ThreadOrderings::see(Lane& lane, const void* address) {
  const auto found = published_.find(address);
  if (found == published_.end()) return;
  ThreadOrder& order = of(lane);
  order.seen = joined(order.seen, found->second.all);
  const auto own = found->second.ofBlock.find(static_cast<uint32_t>(lane.block->number));
  if (own != found->second.ofBlock.end()) order.seenOfBlock = joined(order.seenOfBlock, own->second);
}

void ThreadOrderings::release(Lane& lane, const void* object) {
  Published& published = published_[object];
  published.all = joined(published.all, std::make_shared<const Knowledge>(allThat(lane)));
  grid_.nextTime();
}

void ThreadOrderings::acquire(Lane& lane, const void* object) {
  const auto found = published_.find(object);
  if (found == published_.end()) return;
  ThreadOrder& order = of(lane);
  order.known = joined(order.known, found->second.all);
  order.met = grid_.nextTime();
}

bool ThreadOrderings::isBefore(const AccessMark& mark, const Lane& lane, uint32_t floor) const {
  const uint32_t time = mark.time >> 1, self = numberOf(lane);
  if (time < floor || mark.thread == self) return true;
  if (mark.thread == kSeveralBlocks) return false;
  const SimBlock& block = *lane.block;
  const uint32_t place = mark.thread & kPlaceMask;
  const bool isOwnBlock = (mark.thread ^ self) >> kPlaceBits == 0;
  if (isOwnBlock && time < block.synced) return true;
  const bool isOwnWarp =
      isOwnBlock && (place == kSeveralOfWarp + lane.warpid || place / kSimLanes == lane.warpid);
  if (isOwnWarp && time < lane.warp->synced) return true;
  if (block.orders.empty()) return false;
  const ThreadOrder& order = block.orders[lane.index];
  if (block.known != nullptr && block.known->knows(mark.thread, time)) return true;
  if (order.known != nullptr && order.known->knows(mark.thread, time)) return true;
  // Who of the several it were is not known: to have met some of them must do.
  return isOwnBlock && place >= kSeveralOfWarp && time < order.met;
}

}  // namespace hilo
