#include "core/hlo/expand/rotations.h"

#include <absl/strings/str_replace.h>

namespace hilo::library {
namespace {

// Row j of round r is with row (r - j) mod $Q, where $Q is odd; the one that would be with itself is with row
// $Q, or alone where there is none.
constexpr std::string_view kPairing = R"(  one = s32[] constant(1)
  modulus = s32[] constant($Q)
  half = s32[] constant($HALF)
  j = s32[$N] iota(), iota_dimension=0
  rounds = s32[$N] broadcast(r), dimensions={}
  moduli = s32[$N] broadcast(modulus), dimensions={}
  difference = subtract(rounds, j)
  above_zero = add(difference, moduli)
  other = remainder(above_zero, moduli)
  is_self = compare(other, j), direction=EQ
  with_last = select(is_self, $ALONE, other)
  middle = multiply(r, half)
  of_last = remainder(middle, modulus)
  of_lasts = s32[$N] broadcast(of_last), dimensions={}
  is_last = compare(j, moduli), direction=EQ
  p = select(is_last, of_lasts, with_last)
  here = s32[$N,1] reshape(j)
  there = s32[$N,1] reshape(p)
)";

constexpr std::string_view kAngles = R"(  size = abs(g)
  zero_size = $R[] constant(0)
  unit_size = $R[] constant(1)
  zeros = $R[$B,$N] broadcast(zero_size), dimensions={}
  units = $R[$B,$N] broadcast(unit_size), dimensions={}
  j_wide = s32[$B,$N] broadcast(j), dimensions={1}
  p_wide = s32[$B,$N] broadcast(p), dimensions={1}
  is_pair = compare(j_wide, p_wide), direction=NE
  is_low = compare(j_wide, p_wide), direction=LT
  is_coupled = compare(size, zeros), direction=GT
  rotates = and(is_pair, is_coupled)
  up = subtract(e, d)
  down = subtract(d, e)
  gap = select(is_low, up, down)
  divisor = select(rotates, size, units)
  twice = add(divisor, divisor)
  tau = divide(gap, twice)
  tau2 = multiply(tau, tau)
  tau2_1 = add(tau2, units)
  root = sqrt(tau2_1)
  steep = abs(tau)
  bottom = add(steep, root)
  small = divide(units, bottom)
  minus_small = negate(small)
  is_rising = compare(tau, zeros), direction=GE
  tangent = select(is_rising, small, minus_small)
  tangent2 = multiply(tangent, tangent)
  tangent2_1 = add(tangent2, units)
  length = sqrt(tangent2_1)
  cosine_there = divide(units, length)
  sine_there = multiply(tangent, cosine_there)
  minus_sine = negate(sine_there)
  signed = select(is_low, minus_sine, sine_there)
  c_size = select(rotates, cosine_there, units)
  s_size = select(rotates, signed, zeros)
  c = from-parts(c_size, zeros)
  s = from-parts(s_size, zeros)
  whole = from-parts(divisor, zeros)
  phase = divide(g, whole)
  t = multiply(s, phase)
)";

constexpr std::string_view kRounds = R"(sum {
  a = $R[] parameter(0)
  b = $R[] parameter(1)
  ROOT both = add(a, b)
}
any {
  a = pred[] parameter(0)
  b = pred[] parameter(1)
  ROOT either = or(a, b)
}
more_rounds {
  state = $STATE parameter(0)
  r = get-tuple-element(state), index=0
  end = s32[] constant($Q)
  ROOT answer = compare(r, end), direction=LT
}
)";

constexpr std::string_view kSweep = R"(sweep {
  state = $STATE parameter(0)
  done = get-tuple-element(state), index=0
  turned = get-tuple-element(state), index=1
  turns = get-tuple-element(state), index=2
  zero = s32[] constant(0)
  one = s32[] constant(1)
  start = tuple(zero, turned, turns)
  end = while(start), condition=more_rounds, body=rotate
  next_turned = get-tuple-element(end), index=1
  next_turns = get-tuple-element(end), index=2
  next_done = add(done, one)
  ROOT next = tuple(next_done, next_turned, next_turns)
}
)";

}  // namespace

std::string withRotations(std::string_view text, std::string_view state) {
  const Expansion::Replacements parts = {{"$ROUNDS", std::string(kRounds)},
                                         {"$PAIRING", std::string(kPairing)},
                                         {"$ANGLES", std::string(kAngles)},
                                         {"$SWEEP", std::string(kSweep)}};
  const std::string whole = absl::StrReplaceAll(absl::string_view(text.data(), text.size()), parts);
  return absl::StrReplaceAll(whole, Expansion::Replacements{{"$STATE", std::string(state)}});
}

Expansion::Replacements rotationNames(int64_t rows) {
  const bool isOdd = rows % 2 == 1;
  const int64_t modulus = isOdd ? rows : rows - 1;
  return {{"$Q", fmt::format("{}", modulus)},
          {"$HALF", fmt::format("{}", (modulus + 1) / 2)},
          {"$ALONE", isOdd ? "j" : "moduli"}};
}

}  // namespace hilo::library
