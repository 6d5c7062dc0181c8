#include "tests/unit/workspace/bisect/faulty_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "core/base/check.h"
#include "core/compiler/passes/table/all_passes.h"

namespace hilo {

Instruction* firstResult(Module& module) {
  Instruction* root = module.entry()->root();
  if (root->opcode() != Opcode::Tuple) return root;
  for (Instruction* operand : root->operands()) {
    if (operand->shape().isArray() && operand->shape().elementType() == ElementType::F32) return operand;
  }
  return nullptr;
}

namespace {

// Another value in the place of the first result.
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
int64_t largeElements = int64_t{1} << 22;
Result<bool> large(Module& module) {
  return putInPlace(module, [](Instruction& x, Computation& in) {
    Instruction* root = x.isRoot() ? nullptr : in.root();
    const Shape shape = Shape::array(ElementType::F32, {largeElements});
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

Result<bool> crashed(Module&) {
  CHECK(false, "planted");
  return false;
}

constexpr FaultKind kFaults[] = {{"wrong", "differs:reference", wrong},
                                 {"nan", "nan", notANumber},
                                 {"slow", "kernels:", slow},
                                 {"memory", "memory:8x", large},
                                 {"fails", "fails:planted-failure", refused},
                                 {"crash", "crash", crashed}};

// A process that runs the passes apart reads there which fault is planted.
constexpr const char* kVariable = "HILO_PLANTED_FAULT";

const Pass* realPass = nullptr;
const FaultKind* plantedFault = nullptr;
int64_t faultyRewrite = 0;

Result<bool> runWithFault(Module& module, PassContext& context) {
  TRY(bool changed, realPass->run(module, context));
  if (context.fuel().taken() < faultyRewrite) return changed;
  TRY(const bool spoiled, plantedFault->spoil(module));
  return changed || spoiled;
}

}  // namespace

std::span<const FaultKind> faultKinds() { return kFaults; }
void setLargeElements(int64_t elements) { largeElements = elements; }

Pass faultyPass(const Pass& real, const FaultKind& fault, int64_t rewrite) {
  realPass = &real;
  plantedFault = &fault;
  faultyRewrite = rewrite;
  setenv(kVariable, fmt::format("{} {} {}", real.name, fault.name, rewrite).c_str(), 1);
  Pass faulty = real;
  faulty.run = runWithFault;
  return faulty;
}

std::optional<Pass> faultyPassOfParent() {
  const char* planted = std::getenv(kVariable);
  if (planted == nullptr) return std::nullopt;
  std::istringstream words(planted);
  std::string pass, fault;
  int64_t rewrite = 0;
  words >> pass >> fault >> rewrite;
  const auto kind = std::ranges::find(kFaults, fault, &FaultKind::name);
  const Pass* real = findPass(pass);
  CHECK(real != nullptr && kind != std::end(kFaults), planted);
  return faultyPass(*real, *kind, rewrite);
}

}  // namespace hilo
