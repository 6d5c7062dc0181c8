// Faults planted inside real passes: each pass runs as it is, and once its N-th rewrite is made the module is
// wrong in one of five ways. The search must name the pass, the rewrite and the instruction it is of.
#include <gtest/gtest.h>

#include "core/base/stopwatch.h"
#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/all_passes.h"
#include "core/hlo/eval/arguments.h"
#include "core/workspace/bisect/bisect.h"
#include "core/workspace/watch/pass_process.h"
#include "tests/support/module_fuzzer/fuzz_devices.h"
#include "tests/support/random_module.h"

namespace hilo {
namespace {

// What becomes of the results of a module.
using Spoil = Result<bool> (*)(Module&);

// Of the first f32 array below the root: another value in its place.
Instruction* firstResult(Module& module) {
  Instruction* root = module.entry()->root();
  if (root->opcode() != Opcode::Tuple) return root;
  for (Instruction* operand : root->operands()) {
    if (operand->shape().isArray() && operand->shape().elementType() == ElementType::F32) return operand;
  }
  return nullptr;
}
Result<bool> putInPlace(Module& module, Instruction* (*make)(Instruction&, Computation&)) {
  Instruction* result = firstResult(module);
  if (result == nullptr) return fail("planted-nowhere", "no result is an f32 array");
  Instruction* made = make(*result, *module.entry());
  Instruction* root = module.entry()->root();
  if (root == result) {
    module.entry()->setRoot(made);
    return true;
  }
  for (size_t n = 0; n < root->operandCount(); ++n) {
    if (root->operand(n) == result) root->setOperand(n, made);
  }
  return true;
}
Instruction* splat(Computation& in, Shape shape, float value, Instruction* before) {
  Instruction* one = in.createConstant(Literal::scalar(ElementType::F32, value), before);
  Instruction* all = in.create(Opcode::Broadcast, shape, {one}, {}, before);
  all->set<Attr::Dimensions>(std::span<const int64_t>());
  return all;
}
Result<bool> wrong(Module& module) {
  return putInPlace(module, [](Instruction& x, Computation& in) {
    Instruction* root = x.isRoot() ? nullptr : in.root();
    return in.create(Opcode::Add, x.shape(), {&x, splat(in, x.shape(), 1, root)}, {}, root);
  });
}
Result<bool> notANumber(Module& module) {
  return putInPlace(module, [](Instruction& x, Computation& in) {
    Instruction* root = x.isRoot() ? nullptr : in.root();
    Instruction* zero = splat(in, x.shape(), 0, root);
    Instruction* nan = in.create(Opcode::Divide, x.shape(), {zero, zero}, {}, root);
    return in.create(Opcode::Add, x.shape(), {&x, nan}, {}, root);
  });
}
Result<bool> slow(Module& module) {
  return putInPlace(module, [](Instruction& x, Computation& in) {
    Instruction* root = x.isRoot() ? nullptr : in.root();
    Instruction* chain = &x;
    for (int n = 0; n < 2000; ++n) chain = in.create(Opcode::Cosine, x.shape(), {chain}, {}, root);
    return chain;
  });
}
Result<bool> large(Module& module) {
  return putInPlace(module, [](Instruction& x, Computation& in) {
    Instruction* root = x.isRoot() ? nullptr : in.root();
    const Shape shape = Shape::array(ElementType::F32, std::vector<int64_t>{1 << 22});
    Instruction* all = in.create(Opcode::Negate, shape, {splat(in, shape, 1, root)}, {}, root);
    Instruction* zero = in.createConstant(Literal::scalar(ElementType::S32, int32_t{0}), root);
    Instruction* one = in.create(
        Opcode::DynamicSlice, Shape::array(ElementType::F32, std::vector<int64_t>{1}), {all, zero}, {}, root);
    constexpr int64_t kSizes[] = {1};
    one->set<Attr::DynamicSliceSizes>(std::span<const int64_t>(kSizes));
    Instruction* scalar =
        in.create(Opcode::Reshape, Shape::array(ElementType::F32, std::vector<int64_t>{}), {one}, {}, root);
    Instruction* spread = in.create(Opcode::Broadcast, x.shape(), {scalar}, {}, root);
    spread->set<Attr::Dimensions>(std::span<const int64_t>());
    return in.create(Opcode::Maximum, x.shape(), {&x, spread}, {}, root);
  });
}
Result<bool> refused(Module&) { return fail("planted-failure", "planted"); }

struct Fault {
  const char* name;
  const char* watcher;
  Spoil spoil;
};
constexpr Fault kFaults[] = {{"wrong", "differs:reference", wrong},
                             {"nan", "nan", notANumber},
                             {"slow", "kernels:", slow},
                             {"memory", "memory:8x", large},
                             {"fails", "fails:planted-failure", refused}};

// The pass that runs, and where its fault is; a pass is a free function, and a test runs alone.
const Pass* realPass = nullptr;
const Fault* plantedFault = nullptr;
int64_t faultyRewrite = 0;

Result<bool> runWithFault(Module& module, PassContext& context) {
  TRY(bool changed, realPass->run(module, context));
  if (context.fuel().taken() < faultyRewrite) return changed;
  TRY(const bool spoiled, plantedFault->spoil(module));
  return changed || spoiled;
}

// A module that the pass makes several rewrites in and whose results are numbers; null: none of a few is.
std::shared_ptr<const Module> moduleFor(const Pass& pass, int64_t& rewrites) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    auto onDevices = fuzz::makeDeviceCase(seed, 60, 4);
    const bool isLarge = seed % 2 == 0 && seed < 6;
    std::shared_ptr<const Module> module;
    if (isLarge) {
      module = makeRandomModule({.seed = seed, .instructions = 5000});
    } else if (onDevices) {
      module = onDevices->module;
    }
    if (module == nullptr || firstResult(const_cast<Module&>(*module)) == nullptr) continue;
    const PassStep step = runPasses(module, {&pass}, {}).steps[0];
    if (step.outcome != PassOutcome::Changed || step.rewrites < 2) continue;
    rewrites = step.rewrites;
    return module;
  }
  return nullptr;
}

TEST(RealPassFaults, AreNamedByPassRewriteAndInstruction) {
  int faults = 0, passes = 0;
  const Stopwatch all;
  for (const Pass& pass : allPasses()) {
    int64_t rewrites = 0;
    const std::shared_ptr<const Module> module = moduleFor(pass, rewrites);
    if (module == nullptr) continue;
    ++passes;
    realPass = &pass;
    Pass faulty = pass;
    faulty.run = runWithFault;
    for (const Fault& fault : kFaults) {
      plantedFault = &fault;
      faultyRewrite = 1 + rewrites * 2 / 5;
      const std::string at = fmt::format("{} {}", pass.name, fault.name);
      BisectRequest request{.module = module, .passes = {ConfiguredPass(&faulty)}};
      auto arguments = makeArguments(*module, 7);
      if (arguments) request.arguments = arguments->arguments;
      // So many more than there are cannot come from the pass itself.
      std::string watched = fault.watcher;
      if (watched.ends_with(':')) watched += std::to_string(module->instructionCount() + 1500);
      const auto watcher = makeWatcher(watched, {.passWorker = ownPassWorker()});
      ASSERT_TRUE(watcher) << at;
      const auto found = bisect(request, **watcher, {});
      ASSERT_TRUE(found) << at << toString(found.error());
      // Some watchers say nothing of a module of several devices, or of one that gives no numbers.
      if (found->outcome != BisectOutcome::Found) continue;
      ++faults;
      EXPECT_EQ(found->pass.substr(0, found->pass.find('{')), pass.name) << at;
      ASSERT_TRUE(found->rewrite) << at << found->whyNoRewrite;
      EXPECT_EQ(found->rewrite->bad, faultyRewrite) << at;
      EXPECT_EQ(found->rewrite->good, faultyRewrite - 1) << at;
      const PassStep before =
          runPasses(module, {&pass}, {.fuel = {{std::string(pass.name), faultyRewrite - 1}}}).steps[0];
      ASSERT_TRUE(before.refused && found->rewrite->instruction) << at;
      EXPECT_EQ(found->rewrite->instruction->name, before.refused->name) << at;
    }
  }
  fmt::print("{} faults in {} passes, {:.1f} s\n", faults, passes, static_cast<double>(all.ns()) / 1e9);
  EXPECT_GE(faults, 40);
  EXPECT_GE(passes, 12);
}

}  // namespace
}  // namespace hilo
