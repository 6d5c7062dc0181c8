#include "core/compiler/passes/fusion/priority_plan.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "core/compiler/passes/fusion/fusible.h"
#include "core/compiler/passes/fusion/kernel_emitter.h"

namespace hilo {
namespace {

constexpr size_t kMostOperands = 96;  // and results, of one kernel
constexpr size_t kMostMembers = 400;
constexpr int64_t kLeastReduced = 16;  // elements a result; fewer are no matter

struct Kernel {
  std::vector<Instruction*> members;  // users before operands
  double ns = 0;
  bool reduces = false;
  uint32_t version = 0;  // of its place in the queue
  Instruction& root() const { return *members[0]; }
};

struct Candidate {
  double saves;
  uint32_t place;
  uint32_t version;
  Instruction* root;
  bool operator<(const Candidate& other) const {
    return saves != other.saves ? saves < other.saves : place > other.place;
  }
};

class Planner {
 public:
  Planner(const Computation& computation, PassContext& context, const GpuRates& rates)
      : context_(context), rates_(rates) {
    for (Instruction* instruction : computation.instructions()) {
      place_[instruction] = static_cast<uint32_t>(place_.size());
      if (!isFusible(*instruction)) continue;
      Kernel& kernel = kernels_[instruction];
      kernel.members = {instruction};
      kernel.reduces = instruction->opcode() == Opcode::Reduce;
      kernel.ns = kernelNs(kernel.members, rates_);
      for (Instruction* operand : instruction->operands()) readers_[operand].insert(instruction);
    }
  }

  std::vector<std::vector<Instruction*>> plan() {
    std::vector<Instruction*> roots;
    for (const auto& [root, kernel] : kernels_) roots.push_back(root);
    std::ranges::sort(roots, {}, [&](const Instruction* i) { return place_[i]; });
    for (Instruction* root : roots) enqueue(*root);
    while (!queue_.empty() && !context_.cancelled()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const auto kernel = kernels_.find(best.root);
      if (kernel == kernels_.end() || kernel->second.version != best.version) continue;
      if (!context_.mayChange(*best.root)) break;
      context_.remark(*best.root, "fused",
                      fmt::format("into {} users, saves {:.0f} ns", readers_[best.root].size(), best.saves));
      fuse(*best.root);
    }
    return result();
  }

 private:
  // A bitcast that nothing was fused into: no kernel.
  bool isBitcast(Instruction& i) const {
    if (i.opcode() != Opcode::Bitcast) return false;
    const auto kernel = kernels_.find(&i);
    return kernel != kernels_.end() && kernel->second.members.size() == 1;
  }

  static bool isNeededElsewhere(const Instruction& root) {
    return root.isRoot() ||
           std::ranges::any_of(root.users(), [](const Instruction* user) { return !isFusible(*user); });
  }
  // Whether the value is needed besides the kernels that it is computed in.
  bool staysStored(Instruction& root) const {
    return isNeededElsewhere(root) ||
           std::ranges::any_of(readersOf(root), [&](Instruction* reader) { return isBitcast(*reader); });
  }

  const absl::flat_hash_set<Instruction*>& readersOf(const Instruction& root) const {
    static const absl::flat_hash_set<Instruction*> kNone;
    const auto found = readers_.find(&root);
    return found == readers_.end() ? kNone : found->second;
  }

  static KernelEmitter emitterOf(std::span<Instruction* const> members) {
    const Instruction* root = members[0];
    if (members.size() == 1)
      return kernelEmitter({&root, 1}, [&](const Instruction& i) { return &i == root; });
    const absl::flat_hash_set<const Instruction*> held(members.begin(), members.end());
    return kernelEmitter({&root, 1}, [&](const Instruction& i) { return held.contains(&i); });
  }

  // A loop would do the whole sum for each element.
  static bool losesReduction(const Kernel& producer, std::span<Instruction* const> members) {
    return producer.reduces && emitterOf(producer.members) == KernelEmitter::Reduction &&
           emitterOf(members) == KernelEmitter::Loop;
  }

  static bool isReduction(const Instruction& i) {
    return i.opcode() == Opcode::Reduce && i.shape().isArray();
  }
  static bool isLongReduction(const Instruction* i) {
    return isReduction(*i) && i->operand(0)->shape().elementCount() >=
                                  kLeastReduced * std::max<int64_t>(1, i->shape().elementCount());
  }
  static bool reducesMuch(const Kernel& kernel) {
    return kernel.reduces && std::ranges::any_of(kernel.members, isLongReduction);
  }

  static std::vector<Instruction*> joined(const Kernel& producer, const Kernel& consumer,
                                          const absl::flat_hash_map<const Instruction*, uint32_t>& place) {
    std::vector<Instruction*> members(consumer.members.size() + producer.members.size());
    const auto later = [&](const Instruction* a, const Instruction* b) { return place.at(a) > place.at(b); };
    std::ranges::merge(consumer.members, producer.members, members.begin(), later);
    const auto twice = std::ranges::unique(members);
    members.erase(twice.begin(), twice.end());
    return members;
  }

  static size_t operandsOf(std::span<Instruction* const> members) {
    absl::flat_hash_set<const Instruction*> inside(members.begin(), members.end()), outside;
    for (const Instruction* member : members) {
      for (const Instruction* operand : member->operands()) {
        if (!inside.contains(operand) && !isScalarConstant(*operand)) outside.insert(operand);
      }
    }
    return outside.size();
  }

  // Time saved by computing the value in its users; nullopt: it cannot be, or nothing is gained.
  std::optional<double> savesNs(Instruction& root) {
    const Kernel& producer = kernels_.at(&root);
    if (!isFusibleProducer(root) || producer.members.size() > kMostMembers) return std::nullopt;
    if (!isBitcast(root) && isNeededElsewhere(root)) return std::nullopt;
    const bool stays = staysStored(root);
    double saves = stays ? 0 : producer.ns + kLaunchNs;
    size_t users = 0;
    for (Instruction* reader : readersOf(root)) {
      const Kernel& consumer = kernels_.at(reader);
      if (isBitcast(*reader)) continue;
      if (reducesMuch(producer) && reducesMuch(consumer)) return std::nullopt;
      const auto members = joined(producer, consumer, place_);
      if (members.size() > kMostMembers || operandsOf(members) >= kMostOperands) return std::nullopt;
      if (losesReduction(producer, members)) return std::nullopt;
      saves += consumer.ns - kernelNs(members, rates_);
      ++users;
    }
    if (users == 0) return std::nullopt;
    if (isBitcast(root)) return 1e18;
    return saves < 0 ? std::nullopt : std::optional(saves);
  }

  void enqueue(Instruction& root) {
    Kernel& kernel = kernels_.at(&root);
    ++kernel.version;
    if (const auto saves = savesNs(root)) queue_.push({*saves, place_[&root], kernel.version, &root});
  }

  void fuse(Instruction& root) {
    const Kernel producer = kernels_.at(&root);
    const bool stays = staysStored(root);
    absl::flat_hash_set<Instruction*> touched;
    const auto readers = readersOf(root);
    for (Instruction* reader : readers) {
      if (isBitcast(*reader)) continue;
      Kernel& consumer = kernels_.at(reader);
      consumer.members = joined(producer, consumer, place_);
      consumer.reduces |= producer.reduces;
      consumer.ns = kernelNs(consumer.members, rates_);
      readers_[&root].erase(reader);
      touched.insert(reader);
      for (const Instruction* member : producer.members) {
        for (Instruction* operand : member->operands()) {
          if (std::ranges::find(consumer.members, operand) == consumer.members.end())
            readers_[operand].insert(reader);
        }
      }
      for (const Instruction* member : consumer.members) {
        for (Instruction* operand : member->operands()) {
          if (kernels_.contains(operand)) touched.insert(operand);
        }
      }
    }
    if (!stays) {
      kernels_.erase(&root);
      touched.erase(&root);
      for (const Instruction* member : producer.members) {
        for (Instruction* operand : member->operands()) {
          if (const auto of = readers_.find(operand); of != readers_.end()) of->second.erase(&root);
        }
      }
    } else {
      // Once is enough.
      ++kernels_.at(&root).version;
      touched.erase(&root);
    }
    for (Instruction* value : touched) {
      if (kernels_.contains(value)) enqueue(*value);
    }
  }

  // The kernels of two instructions or more, each with the scalar constants that it reads.
  std::vector<std::vector<Instruction*>> result() {
    std::vector<Instruction*> roots;
    for (const auto& [root, kernel] : kernels_) roots.push_back(root);
    std::ranges::sort(roots, {}, [&](const Instruction* i) { return place_[i]; });
    std::vector<std::vector<Instruction*>> made;
    for (Instruction* root : roots) {
      const std::vector<Instruction*>& members = kernels_.at(root).members;
      std::vector<Instruction*> all = withConstants(members);
      if (all.size() < 2 || isBitcast(*root)) continue;
      if (members.size() == 1 && !context_.mayChange(*root)) continue;
      made.push_back(std::move(all));
    }
    return made;
  }

  std::vector<Instruction*> withConstants(const std::vector<Instruction*>& members) {
    absl::flat_hash_set<Instruction*> constants;
    for (const Instruction* member : members) {
      for (Instruction* operand : member->operands()) {
        if (isScalarConstant(*operand)) constants.insert(operand);
      }
    }
    std::vector<Instruction*> all = members;
    all.insert(all.end(), constants.begin(), constants.end());
    std::ranges::sort(all, std::greater(), [&](const Instruction* i) { return place_[i]; });
    return all;
  }

  PassContext& context_;
  const GpuRates& rates_;
  absl::flat_hash_map<const Instruction*, uint32_t> place_;
  absl::flat_hash_map<Instruction*, Kernel> kernels_;
  absl::flat_hash_map<const Instruction*, absl::flat_hash_set<Instruction*>> readers_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

std::vector<std::vector<Instruction*>> planPriorityFusion(const Computation& computation,
                                                          PassContext& context, const GpuRates& rates) {
  return Planner(computation, context, rates).plan();
}

}  // namespace hilo
