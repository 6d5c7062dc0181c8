#include "core/runtime/device/simulated/warp_functions.h"

#include <bit>
#include <cmath>

#include "core/runtime/device/simulated/sim_abi.h"

namespace hilo {
namespace {

template <typename F>
void eachLane(const WarpCall& call, F&& body) {
  for (uint32_t rest = call.mask; rest != 0; rest &= rest - 1)
    body(static_cast<uint32_t>(std::countr_zero(rest)));
}

// Of two values of redux.
uint32_t combine(ReduceMode mode, uint32_t a, uint32_t b, uint32_t detail) {
  const auto signedA = static_cast<int32_t>(a), signedB = static_cast<int32_t>(b);
  switch (mode) {
    case ReduceMode::Add:
      return a + b;
    case ReduceMode::MinSigned:
      return static_cast<uint32_t>(std::min(signedA, signedB));
    case ReduceMode::MaxSigned:
      return static_cast<uint32_t>(std::max(signedA, signedB));
    case ReduceMode::MinUnsigned:
      return std::min(a, b);
    case ReduceMode::MaxUnsigned:
      return std::max(a, b);
    case ReduceMode::And:
      return a & b;
    case ReduceMode::Or:
      return a | b;
    case ReduceMode::Xor:
      return a ^ b;
    case ReduceMode::MinFloat:
    case ReduceMode::MaxFloat: {
      const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
      if ((detail & kReduceNan) != 0 && (std::isnan(x) || std::isnan(y))) return 0x7fffffff;
      return std::bit_cast<uint32_t>(mode == ReduceMode::MinFloat ? std::fmin(x, y) : std::fmax(x, y));
    }
  }
  return a;
}

}  // namespace

void warpSync(WarpCall&) {}

// In: value, b, c (as PTX has them). Out: value, whether the source was in range.
void warpShuffle(WarpCall& call) {
  const auto mode = static_cast<ShuffleMode>(call.detail & 3);
  uint64_t values[32] = {}, valid[32] = {};
  eachLane(call, [&](uint32_t lane) {
    const bool isConstant = (call.detail & kShuffleConstant) != 0;
    const uint32_t b = isConstant ? shuffleB(call.detail) : static_cast<uint32_t>(call.at(lane, 1)) & 31;
    const uint32_t c = isConstant ? shuffleC(call.detail) : static_cast<uint32_t>(call.at(lane, 2));
    bool inRange = true;
    const uint32_t source = shuffleSource(mode, lane, b, c, inRange);
    valid[lane] = inRange;
    values[lane] = call.has(source) ? call.at(source, 0) : 0;
  });
  eachLane(call, [&](uint32_t lane) {
    call.at(lane, 0) = values[lane];
    call.at(lane, 1) = valid[lane];
  });
}

// In: a predicate. Out: a predicate, or the mask of those that are true.
void warpVote(WarpCall& call) {
  uint32_t yes = 0;
  eachLane(call, [&](uint32_t lane) { yes |= call.at(lane, 0) != 0 ? 1u << lane : 0; });
  uint64_t result = yes;
  switch (static_cast<VoteMode>(call.detail)) {
    case VoteMode::All:
      result = yes == call.mask;
      break;
    case VoteMode::Any:
      result = yes != 0;
      break;
    case VoteMode::Uniform:
      result = yes == 0 || yes == call.mask;
      break;
    case VoteMode::Ballot:
      break;
  }
  eachLane(call, [&](uint32_t lane) { call.at(lane, 0) = result; });
}

// In: value. Out: the lanes with the same one (of match.all: the mask or 0), whether all have it.
void warpMatch(WarpCall& call) {
  uint64_t values[32] = {};
  eachLane(call, [&](uint32_t lane) { values[lane] = call.at(lane, 0); });
  const bool wantsAll = static_cast<MatchMode>(call.detail) == MatchMode::All;
  for (uint32_t rest = call.mask; rest != 0;) {
    const uint64_t value = values[std::countr_zero(rest)];
    uint32_t same = 0;
    for (uint32_t lane = 0; lane < 32; ++lane) same |= uint32_t{values[lane] == value} << lane;
    same &= rest;
    rest &= ~same;
    const bool areAll = same == call.mask;
    for (uint32_t left = same; left != 0; left &= left - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(left));
      call.at(lane, 0) = wantsAll && !areAll ? 0 : same;
      call.at(lane, 1) = areAll;
    }
  }
}

void warpReduce(WarpCall& call) {
  const auto mode = static_cast<ReduceMode>(call.detail & 15);
  bool isFirst = true;
  uint32_t result = 0;
  eachLane(call, [&](uint32_t lane) {
    auto value = static_cast<uint32_t>(call.at(lane, 0));
    if ((call.detail & kReduceAbs) != 0) value &= 0x7fffffff;
    result = isFirst ? value : combine(mode, result, value, call.detail);
    isFirst = false;
  });
  eachLane(call, [&](uint32_t lane) { call.at(lane, 0) = result; });
}

// Out: the leader, the lowest lane; whether it is this one.
void warpElect(WarpCall& call) {
  const auto leader = static_cast<uint32_t>(std::countr_zero(call.mask));
  eachLane(call, [&](uint32_t lane) {
    call.at(lane, 0) = leader;
    call.at(lane, 1) = lane == leader;
  });
}

}  // namespace hilo
