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
  const auto mode = static_cast<ShuffleMode>(call.detail);
  uint64_t values[32] = {}, valid[32] = {};
  eachLane(call, [&](uint32_t lane) {
    const uint64_t* record = call.records[lane];
    const auto b = static_cast<uint32_t>(record[1]) & 31, c = static_cast<uint32_t>(record[2]);
    const uint32_t clamp = c & 31, segment = (c >> 8) & 31;
    const uint32_t highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
    uint32_t source = lane;
    bool inRange = true;
    switch (mode) {
      case ShuffleMode::Up:
        source = lane - b;
        inRange = static_cast<int32_t>(source) >= static_cast<int32_t>(highest);
        break;
      case ShuffleMode::Down:
        source = lane + b;
        inRange = source <= highest;
        break;
      case ShuffleMode::Butterfly:
        source = lane ^ b;
        inRange = source <= highest;
        break;
      case ShuffleMode::Index:
        source = lowest | (b & ~segment);
        inRange = source <= highest;
        break;
    }
    if (!inRange) source = lane;
    valid[lane] = inRange;
    values[lane] = call.records[source] != nullptr ? call.records[source][0] : 0;
  });
  eachLane(call, [&](uint32_t lane) {
    call.records[lane][0] = values[lane];
    call.records[lane][1] = valid[lane];
  });
}

// In: a predicate. Out: a predicate, or the mask of those that are true.
void warpVote(WarpCall& call) {
  uint32_t yes = 0;
  eachLane(call, [&](uint32_t lane) { yes |= call.records[lane][0] != 0 ? 1u << lane : 0; });
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
  eachLane(call, [&](uint32_t lane) { call.records[lane][0] = result; });
}

// In: value. Out: the lanes with the same one (of match.all: the mask or 0), whether all have it.
void warpMatch(WarpCall& call) {
  uint64_t values[32] = {};
  eachLane(call, [&](uint32_t lane) { values[lane] = call.records[lane][0]; });
  eachLane(call, [&](uint32_t lane) {
    uint32_t same = 0;
    eachLane(call, [&](uint32_t other) { same |= values[other] == values[lane] ? 1u << other : 0; });
    const bool areAll = same == call.mask;
    const bool wantsAll = static_cast<MatchMode>(call.detail) == MatchMode::All;
    call.records[lane][0] = wantsAll && !areAll ? 0 : same;
    call.records[lane][1] = areAll;
  });
}

void warpReduce(WarpCall& call) {
  const auto mode = static_cast<ReduceMode>(call.detail & 15);
  bool isFirst = true;
  uint32_t result = 0;
  eachLane(call, [&](uint32_t lane) {
    auto value = static_cast<uint32_t>(call.records[lane][0]);
    if ((call.detail & kReduceAbs) != 0) value &= 0x7fffffff;
    result = isFirst ? value : combine(mode, result, value, call.detail);
    isFirst = false;
  });
  eachLane(call, [&](uint32_t lane) { call.records[lane][0] = result; });
}

// Out: the leader, the lowest lane; whether it is this one.
void warpElect(WarpCall& call) {
  const auto leader = static_cast<uint32_t>(std::countr_zero(call.mask));
  eachLane(call, [&](uint32_t lane) {
    call.records[lane][0] = leader;
    call.records[lane][1] = lane == leader;
  });
}

}  // namespace hilo
