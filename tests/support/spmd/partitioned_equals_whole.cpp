#include "tests/support/spmd/partitioned_equals_whole.h"

#include "core/compiler/passes/table/pass_list.h"
#include "core/compiler/spmd/device_parts.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/devices.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "tests/support/module_fuzzer/judge.h"

namespace hilo {
namespace {

Result<Tilings> tilingsOfEntry(const Module& whole, const Instruction& instruction, Shape global) {
  if (const Sharding* sharding = instruction.get<Attr::Sharding>())
    return tilingsOf(*sharding, global, whole.partitionCount(), instruction);
  Tilings tilings;
  for (Shape leaf : leavesOf(global))
    tilings.push_back(replicatedTiling(leaf.isArray() ? leaf.rank() : 0, whole.partitionCount()));
  return tilings;
}

// Of the partitioned module on all devices, put together.
Result<Literal> runPartitioned(const Module& whole, const Module& partitioned,
                               std::span<const Literal> arguments) {
  const int64_t count = whole.partitionCount();
  std::vector<std::vector<Literal>> perDevice(static_cast<size_t>(count));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Instruction& parameter = *partitioned.entry()->parameters()[i];
    TRY(const Tilings tilings, tilingsOfEntry(whole, parameter, arguments[i].shape()));
    auto parts = cutLiteral(arguments[i], tilings, count);
    for (size_t device = 0; device < parts.size(); ++device)
      perDevice[device].push_back(std::move(parts[device]));
  }
  TRY(const auto outputs, evaluateOnDevices(partitioned, {1, count}, perDevice));
  const Shape result = whole.entry()->root()->shape();
  TRY(const Tilings tilings, tilingsOfEntry(whole, *partitioned.entry()->root(), result));
  return joinLiterals(result, tilings, outputs);
}

// Products of numbers that a dot or convolution sums, at most about as many.
double productsOf(const Instruction& i) {
  const auto results = [&] { return static_cast<double>(i.shape().elementCount()); };
  const auto size = [&](size_t operand, int64_t d) {
    return static_cast<double>(i.operand(operand)->shape().dimension(static_cast<size_t>(d)));
  };
  if (i.opcode() == Opcode::Dot) {
    double products = results();
    for (int64_t d : i.get<Attr::LhsContractingDims>()) products *= size(0, d);
    return products;
  }
  if (i.opcode() != Opcode::Convolution) return 0;
  const double kernel = static_cast<double>(i.operand(1)->shape().elementCount());
  return results() * kernel / size(1, i.get<Attr::DimLabels>()->kernelOutputFeature);
}

// An element by an own computation is about as much as sixteen others, or as sixty-four products; a sort
// calls its own for an element several times.
bool isTooLarge(const Module& module, int64_t mostWork) {
  double work = 0;
  for (const Instruction* i : module.entry()->instructions()) {
    const double weight = i->opcode() == Opcode::Sort ? 256 : i->calledComputations().empty() ? 1 : 16;
    int64_t elements = 0;
    for (Shape leaf : leavesOf(i->shape())) elements += leaf.isArray() ? leaf.elementCount() : 0;
    for (const Instruction* operand : i->operands())
      elements = std::max(elements, operand->shape().isArray() ? operand->shape().elementCount() : 0);
    work += weight * static_cast<double>(elements) + productsOf(*i) / 4;
  }
  return work > static_cast<double>(mostWork);
}

std::string compare(const Module& whole, const Module& partitioned, const SpmdCheck& check) {
  const auto isQueue = [](const Instruction* i) {
    return i->opcode() == Opcode::Infeed || i->opcode() == Opcode::Outfeed;
  };
  if (std::ranges::any_of(whole.entry()->instructions(), isQueue))
    return "the whole module: what goes through queues is not put together";
  const auto tellsDevices = [](const Instruction* i) { return i->opcode() == Opcode::PartitionId; };
  if (std::ranges::any_of(whole.entry()->instructions(), tellsDevices))
    return "the whole module: one device has no partition id that could be compared";
  if (isTooLarge(whole, check.mostWork)) return "the whole module: too large to be run";
  std::vector<Literal> arguments;
  const bool hasTuples = std::ranges::any_of(whole.entry()->parameters(),
                                             [](const Instruction* p) { return !p->shape().isArray(); });
  if (check.wholeNumbers && !hasTuples) {
    arguments = fuzz::makeCalmArguments(whole, check.seed);
  } else {
    auto made = makeArguments(whole, check.seed);
    if (!made) return toString(made.error());
    arguments = std::move(made->arguments);
  }
  const auto expected = evaluate(whole, arguments);
  if (!expected) return "the whole module: " + toString(expected.error());
  const auto actual = runPartitioned(whole, partitioned, arguments);
  if (!actual) return "the partitioned module: " + toString(actual.error());
  return fuzz::difference(*actual, *expected, check.tolerance);
}

}  // namespace

SpmdOutcome partitionAndCompare(std::shared_ptr<const Module> whole, const SpmdCheck& check) {
  SpmdOutcome outcome;
  const auto passes = parsePassList(check.passes);
  if (!passes) return {.refusal = passes.error(), .difference = {}, .partitioned = {}, .remarks = {}};
  const PassRun run = runPasses(whole, *passes, {});
  for (const PassStep& step : run.steps)
    outcome.remarks.insert(outcome.remarks.end(), step.remarks.begin(), step.remarks.end());
  if (!run.completed()) {
    const Diagnostics& problems = run.steps.back().problems;
    const auto error = std::ranges::find(problems, Severity::kError, &Diagnostic::severity);
    if (error != problems.end()) outcome.refusal = *error;
    outcome.partitioned = run.steps.back().module;
    return outcome;
  }
  outcome.partitioned = run.output();
  outcome.difference = compare(*whole, *outcome.partitioned, check);
  return outcome;
}

testing::AssertionResult partitionedEqualsWhole(const std::string& text, const SpmdCheck& check) {
  auto parsed = parseModuleStrictly(text);
  if (!parsed) return testing::AssertionFailure() << toString(parsed.error()) << "\n" << text;
  const std::shared_ptr<const Module> whole = *std::move(parsed);
  const SpmdOutcome outcome = partitionAndCompare(whole, check);
  const std::string after = outcome.partitioned ? printModule(*outcome.partitioned) : "";
  if (outcome.refusal)
    return testing::AssertionFailure() << toString(*outcome.refusal) << "\n" << text << "\n" << after;
  if (!outcome.difference.empty())
    return testing::AssertionFailure() << outcome.difference << "\n" << text << "\n" << after;
  return testing::AssertionSuccess();
}

}  // namespace hilo
