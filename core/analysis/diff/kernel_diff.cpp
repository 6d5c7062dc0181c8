#include "core/analysis/diff/kernel_diff.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "core/analysis/call_graph.h"
#include "core/analysis/fusion_hero.h"
#include "core/base/enum_table.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

const Computation* bodyOf(const Instruction& kernel) {
  if (kernel.opcode() != Opcode::Fusion) return nullptr;
  const auto called = kernel.calledComputations();
  return called.empty() ? nullptr : called[0];
}

std::string rootOf(const Instruction& kernel) {
  const Computation* body = bodyOf(kernel);
  const Instruction* hero = body == nullptr ? nullptr : fusionHero(*body);
  return std::string((hero == nullptr ? kernel : *hero).opcodeText());
}

std::string kindOf(const Instruction& kernel) {
  if (kernel.opcode() == Opcode::CustomCall)
    return fmt::format("custom-call {}", kernel.get<Attr::CustomCallTarget>());
  if (kernel.opcode() != Opcode::Fusion) return std::string(kernel.opcodeText());
  const auto kind = kernel.get<Attr::FusionKindKind>();
  return fmt::format("fusion {}", kind ? enumText(*kind) : "");
}

std::string shapeText(const Instruction& instruction, bool withLayout) {
  const Shape shape = instruction.shape();
  return toString(withLayout ? shape : shape.withoutLayout());
}

// Operands in any order: who fuses may name them in another.
std::string operandsText(const Instruction& kernel, bool withLayout) {
  std::vector<std::string> shapes;
  for (const Instruction* operand : kernel.operands()) shapes.push_back(shapeText(*operand, withLayout));
  std::ranges::sort(shapes);
  return fmt::format("{}", fmt::join(shapes, ","));
}

using KeyOf = std::function<std::string(const Instruction&)>;

bool isLibrary(const Instruction& kernel) { return kernel.opcode() == Opcode::CustomCall; }

// What a library's call and the kernel that stands in its place have in common.
bool isContraction(const Instruction& kernel) {
  if (isLibrary(kernel)) return true;
  const Computation* body = bodyOf(kernel);
  const Instruction* hero = body == nullptr ? &kernel : fusionHero(*body);
  return hero != nullptr && opcodeClass(hero->opcode()) == OpcodeClass::Contraction;
}

class Kernels {
 public:
  Kernels(const std::vector<TimedKernel>& before, const std::vector<TimedKernel>& after)
      : before_(before), after_(after) {}

  // Pairs what is left on both sides by a key; an empty key stands for none.
  void take(const KeyOf& keyOf, std::vector<KernelPair>& into, KernelDifference difference) {
    absl::flat_hash_map<std::string, std::deque<size_t>> open;
    for (size_t i = 0; i < before_.size(); ++i) {
      if (const std::string key = keyOf(*before_[i].instruction); !key.empty()) open[key].push_back(i);
    }
    std::vector<bool> taken(before_.size(), false);
    std::vector<TimedKernel> left;
    for (const TimedKernel& kernel : after_) {
      const auto found = open.find(keyOf(*kernel.instruction));
      if (found == open.end() || found->second.empty()) {
        left.push_back(kernel);
        continue;
      }
      taken[found->second.front()] = true;
      into.push_back({before_[found->second.front()], kernel, difference});
      found->second.pop_front();
    }
    after_ = std::move(left);
    left.clear();
    for (size_t i = 0; i < before_.size(); ++i) {
      if (!taken[i]) left.push_back(before_[i]);
    }
    before_ = std::move(left);
  }

  // What is alone on one side and done within a fusion of the other.
  void takeFused(std::vector<KernelPair>& into, const std::vector<TimedKernel>& allBefore,
                 const std::vector<TimedKernel>& allAfter) {
    const auto takeSide = [&](std::vector<TimedKernel>& side, const std::vector<TimedKernel>& other,
                              bool isBefore) {
      auto bodies = workInFusions(other);
      std::erase_if(side, [&](const TimedKernel& kernel) {
        const auto found = bodies.find(rootAndShape(*kernel.instruction));
        if (found == bodies.end()) return false;
        into.push_back(isBefore ? KernelPair{kernel, {found->second}, KernelDifference::Fused}
                                : KernelPair{{found->second}, kernel, KernelDifference::Fused});
        return true;
      });
    };
    takeSide(before_, allAfter, true);
    takeSide(after_, allBefore, false);
  }

  void takeRest(std::vector<KernelPair>& into) {
    for (const TimedKernel& kernel : before_) into.push_back({kernel, {}, KernelDifference::Only});
    for (const TimedKernel& kernel : after_) into.push_back({{}, kernel, KernelDifference::Only});
  }

  static std::string rootAndShape(const Instruction& kernel) {
    const Computation* body = bodyOf(kernel);
    const Instruction* hero = body == nullptr ? nullptr : fusionHero(*body);
    const Instruction& root = hero == nullptr ? kernel : *hero;
    return fmt::format("{} {}", root.opcodeText(), shapeText(root, false));
  }

 private:
  static absl::flat_hash_map<std::string, const Instruction*> workInFusions(
      const std::vector<TimedKernel>& kernels) {
    absl::flat_hash_map<std::string, const Instruction*> found;
    for (const TimedKernel& kernel : kernels) {
      const Computation* body = bodyOf(*kernel.instruction);
      if (body == nullptr) continue;
      for (const Instruction* inner : body->instructions()) {
        if (inner->opcode() != Opcode::Parameter && inner->opcode() != Opcode::Constant)
          found.try_emplace(rootAndShape(*inner), kernel.instruction);
      }
    }
    return found;
  }

  std::vector<TimedKernel> before_, after_;
};

double longest(const KernelPair& pair) { return std::max(pair.before.ns, pair.after.ns); }

std::string_view nameOf(const KernelPair& pair) {
  return (pair.after.instruction != nullptr ? pair.after : pair.before).instruction->name();
}

double sumOf(const std::vector<TimedKernel>& kernels) {
  double sum = 0;
  for (const TimedKernel& kernel : kernels) sum += kernel.ns;
  return sum;
}

}  // namespace

std::string_view kernelDifferenceName(KernelDifference difference) {
  static constexpr EnumTable<KernelDifference, std::string_view> kNames(
      {"none", "layout", "kind", "library", "operands", "fused", "only"});
  return kNames[difference];
}

bool isKernel(const Instruction& instruction) {
  if (hasFact(instruction.opcode(), OpFact::NoTraffic) || instruction.opcode() == Opcode::Parameter ||
      instruction.opcode() == Opcode::Constant)
    return false;
  return opcodeClass(instruction.opcode()) != OpcodeClass::Tuple && !runsWhatItCalls(instruction.opcode());
}

std::string kernelTitle(const Instruction& kernel) {
  return kernel.opcode() == Opcode::Fusion ? fmt::format("{} {}", kindOf(kernel), rootOf(kernel))
                                           : kindOf(kernel);
}

double KernelDiff::matchedShare() const {
  const size_t most = std::max(kernelsBefore, kernelsAfter);
  return most == 0 ? 1 : static_cast<double>(matched.size()) / static_cast<double>(most);
}

KernelDiff diffKernels(const std::vector<TimedKernel>& before, const std::vector<TimedKernel>& after) {
  KernelDiff diff{before.size(), after.size(), sumOf(before), sumOf(after)};
  Kernels kernels(before, after);
  const auto keyWith = [](bool withLayout) {
    return [withLayout](const Instruction& kernel) {
      return fmt::format("{}|{}|{}", kernelTitle(kernel), shapeText(kernel, withLayout),
                         operandsText(kernel, withLayout));
    };
  };
  kernels.take(keyWith(true), diff.matched, KernelDifference::None);
  kernels.take(keyWith(false), diff.matched, KernelDifference::Layout);
  kernels.take([](const Instruction& k) { return Kernels::rootAndShape(k) + "|" + operandsText(k, false); },
               diff.differ, KernelDifference::Kind);
  // A library's call may give its workspace besides: the first array of the result is the product.
  kernels.take(
      [](const Instruction& k) {
        if (!isContraction(k)) return std::string();
        const Shape shape =
            k.shape().isTuple() && !k.shape().tupleShapes().empty() ? k.shape().tupleShapes()[0] : k.shape();
        return toString(shape.withoutLayout());
      },
      diff.differ, KernelDifference::Library);
  kernels.take([](const Instruction& k) { return Kernels::rootAndShape(k); }, diff.differ,
               KernelDifference::Operands);
  kernels.takeFused(diff.differ, before, after);
  kernels.takeRest(diff.differ);
  std::ranges::sort(diff.differ, [](const KernelPair& a, const KernelPair& b) {
    return std::pair(-longest(a), nameOf(a)) < std::pair(-longest(b), nameOf(b));
  });
  return diff;
}

}  // namespace hilo
