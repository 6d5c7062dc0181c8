// Holds an engine to the reference evaluator on one module, and makes a module on which the two differ small.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/hlo/eval/compare.h"
#include "core/hlo/ir/module.h"

namespace hilo::fuzz {

using RunModule = std::function<Result<Literal>(std::shared_ptr<const Module>, std::span<const Literal>)>;

struct Case {
  std::shared_ptr<const Module> module;
  std::vector<Literal> arguments;
};

enum class Outcome { Agrees, Refused, Differs };
struct Verdict {
  Outcome outcome = Outcome::Agrees;
  std::string why;
};

// Small numbers for every parameter, from a seed. Unless calm, now and then an infinity, a NaN, a number at
// the end of its type.
std::vector<Literal> makeCalmArguments(const Module& module, uint64_t seed);
std::vector<Literal> makeWildArguments(const Module& module, uint64_t seed);

// "" where two values agree, else how they differ.
std::string difference(const Literal& got, const Literal& expected, const CompareTolerance& tolerance);
// An engine's error: that it refuses, or what is wrong.
Verdict verdictOf(const Diagnostic& error);

// Compares results only. Right for modules whose values do not depend on the order of rounding.
Verdict judgeResults(const Case& c, const RunModule& engine);
// Looks at every instruction of the entry computation by itself, on the operands the engine computed, so
// that what is rounded in one place is not held against another. The root must be a tuple; values that are
// not in it are computed by the evaluator.
Verdict judgeSteps(const Case& c, const RunModule& engine);

using Judge = Verdict (*)(const Case&, const RunModule&);
// The smallest module found on which the engine still differs (core/workspace/reduce).
Case shrink(const Case& c, const RunModule& engine, Judge judge);

// The module and its arguments as constants, to be run as it is.
std::string toText(const Case& c);

}  // namespace hilo::fuzz
