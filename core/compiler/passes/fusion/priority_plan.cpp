#include "core/compiler/passes/fusion/priority_plan.h"

#include <absl/container/btree_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "core/compiler/passes/fusion/fusible.h"
#include "core/compiler/passes/fusion/in_place_fusion.h"
#include "core/compiler/passes/fusion/kernel_matching.h"
#include "core/compiler/passes/fusion/kernel_readers.h"

namespace hilo {
namespace {

constexpr size_t kMostMembers = 400;
constexpr int64_t kLeastReduced = 16;  // elements a result; fewer are no matter
constexpr double kNever = KernelReaders::kNever;

// Instructions by their numbers: places in the computation.
struct Kernel {
  bool isThere = false;
  std::vector<uint32_t> members;   // the greatest first
  std::vector<uint32_t> operands;  // values that it reads
  KernelCost cost;
  KernelEmitter emitter = KernelEmitter::Loop;
  int64_t sharedBytes = 0, sharedReductions = 0;
  bool reducesMuch = false;
  uint32_t version = 0;  // of its place in the queue
};

struct Candidate {
  double saves;
  uint32_t root;
  uint32_t version;
  bool operator<(const Candidate& other) const {
    return saves != other.saves ? saves < other.saves : root < other.root;
  }
};

class Planner {
 public:
  Planner(const Computation& computation, PassContext& context, const GpuRates& rates)
      : context_(context),
        instructions_(computation.instructions().begin(), computation.instructions().end()),
        costs_(instructions_, rates),
        kernels_(instructions_.size()),
        readers_(instructions_.size()),
        isNeededElsewhere_(instructions_.size()) {
    for (uint32_t i = 0; i < instructions_.size(); ++i) {
      if (instructions_[i]->isRoot()) isNeededElsewhere_[i] = true;
      if (!isFusible(*instructions_[i])) {
        for (const Instruction* operand : instructions_[i]->operands())
          isNeededElsewhere_[costs_.numberOf(*operand)] = true;
        continue;
      }
      kernels_[i].isThere = true;
      setMembers(i, {i});
      for (const uint32_t operand : kernels_[i].operands) readers_[operand].insert(i);
    }
  }

  std::vector<std::vector<Instruction*>> plan() {
    for (uint32_t root = 0; root < kernels_.size(); ++root) enqueue(root);
    while (!queue_.empty() && !context_.cancelled()) {
      const Candidate best = queue_.top();
      queue_.pop();
      if (!kernels_[best.root].isThere || kernels_[best.root].version != best.version) continue;
      Instruction& root = *instructions_[best.root];
      if (!context_.mayChange(root)) break;
      context_.remark(root, "fused",
                      fmt::format("into {} users, saves {:.0f} ns", readers_[best.root].size(), best.saves));
      fuse(best.root);
    }
    return result();
  }

 private:
  // A bitcast that nothing was fused into: no kernel.
  bool isBitcast(uint32_t i) const {
    return instructions_[i]->opcode() == Opcode::Bitcast && kernels_[i].members.size() == 1;
  }

  // Whether the value is needed besides the kernels that it is computed in.
  bool staysStored(uint32_t root) const {
    return isNeededElsewhere_[root] ||
           std::ranges::any_of(readers_[root], [&](const auto& reader) { return isBitcast(reader.first); });
  }

  static bool isReduction(const Instruction& i) {
    return i.opcode() == Opcode::Reduce && i.shape().isArray();
  }
  static bool isLongReduction(const Instruction& i) {
    return isReduction(i) && i.operand(0)->shape().elementCount() >=
                                 kLeastReduced * std::max<int64_t>(1, i.shape().elementCount());
  }

  std::vector<uint32_t> joined(const Kernel& producer, const Kernel& consumer) const {
    std::vector<uint32_t> members(consumer.members.size() + producer.members.size());
    std::ranges::merge(consumer.members, producer.members, members.begin(), std::greater());
    const auto twice = std::ranges::unique(members);
    members.erase(twice.begin(), twice.end());
    return members;
  }

  std::vector<uint32_t> operandsOf(std::span<const uint32_t> members) const {
    std::vector<uint32_t> operands;
    for (const uint32_t member : members) {
      for (const Instruction* operand : instructions_[member]->operands())
        operands.push_back(costs_.numberOf(*operand));
    }
    std::ranges::sort(operands);
    const auto twice = std::ranges::unique(operands);
    operands.erase(twice.begin(), twice.end());
    std::erase_if(operands, [&](uint32_t operand) {
      return std::ranges::binary_search(members, operand, std::greater());
    });
    return operands;
  }

  void setMembers(uint32_t root, std::vector<uint32_t> members) {
    Kernel& kernel = kernels_[root];
    kernel.members = std::move(members);
    kernel.operands = operandsOf(kernel.members);
    kernel.cost = costs_.of(kernel.members);
    kernel.emitter = costs_.emitterOf(kernel.members);
    kernel.sharedBytes = kernel.sharedReductions = 0;
    kernel.reducesMuch = false;
    for (const uint32_t member : kernel.members) {
      const Instruction& i = *instructions_[member];
      kernel.sharedBytes += sharedBytesOf(i);
      kernel.sharedReductions += isReduction(i) && isSharedReduction(i) ? 1 : 0;
      kernel.reducesMuch |= isLongReduction(i);
    }
    readers_[root].askAgain();
  }

  size_t argumentsOf(const Kernel& producer, const Kernel& consumer,
                     std::span<const uint32_t> members) const {
    std::vector<uint32_t> operands;
    std::ranges::set_union(producer.operands, consumer.operands, std::back_inserter(operands));
    return static_cast<size_t>(std::ranges::count_if(operands, [&](uint32_t operand) {
      return !isScalarConstant(*instructions_[operand]) &&
             !std::ranges::binary_search(members, operand, std::greater());
    }));
  }

  bool mayJoin(const Kernel& producer, const Kernel& consumer, std::span<const uint32_t> members) {
    if (producer.reducesMuch && consumer.reducesMuch) return false;
    if (producer.sharedBytes + consumer.sharedBytes > kMostSharedBytes ||
        producer.sharedReductions + consumer.sharedReductions > kMostReductions)
      return false;
    if (members.size() > kMostMembers || argumentsOf(producer, consumer, members) >= kMostKernelArguments)
      return false;
    // A loop would do the whole sum for each element.
    if (producer.emitter == KernelEmitter::Reduction && costs_.emitterOf(members) == KernelEmitter::Loop)
      return false;
    return keepsInPlace(instructions_, producer.members, consumer.members);
  }

  // Time saved in the reader by computing the value in it; kNever: it cannot be.
  double savedIn(uint32_t root, uint32_t reader) {
    const Kernel &producer = kernels_[root], &consumer = kernels_[reader];
    if (isBitcast(reader)) return producer.cost.writeNs - producer.cost.ns;
    const std::vector<uint32_t> members = joined(producer, consumer);
    if (!mayJoin(producer, consumer, members)) return kNever;
    const double ns = costs_.of(members).ns;
    return ns == kNever ? kNever : consumer.cost.ns - ns;
  }

  // Time saved by computing the value in its users; nullopt: it cannot be, or nothing is gained.
  std::optional<double> savesNs(uint32_t root) {
    const Kernel& producer = kernels_[root];
    if (!isFusibleProducer(*instructions_[root]) || producer.members.size() > kMostMembers)
      return std::nullopt;
    if (!isBitcast(root) && isNeededElsewhere_[root]) return std::nullopt;
    const auto saves = readers_[root].savedNs(producer.cost.ns + kLaunchNs,
                                              [&](uint32_t reader) { return savedIn(root, reader); });
    const auto isKernel = [&](const auto& reader) { return !isBitcast(reader.first); };
    if (!saves || std::ranges::none_of(readers_[root], isKernel)) return std::nullopt;
    if (isBitcast(root)) return kNever;
    return *saves < 0 ? std::nullopt : saves;
  }

  void enqueue(uint32_t root) {
    if (!kernels_[root].isThere) return;
    ++kernels_[root].version;
    if (const auto saves = savesNs(root)) queue_.push({*saves, root, kernels_[root].version});
  }

  void join(uint32_t root, uint32_t reader) {
    const std::vector<uint32_t> before = kernels_[reader].operands;
    setMembers(reader, joined(kernels_[root], kernels_[reader]));
    for (const uint32_t operand : before) readers_[operand].erase(reader);
    for (const uint32_t operand : kernels_[reader].operands) readers_[operand].insert(reader);
  }

  void fuse(uint32_t root) {
    const bool stays = staysStored(root);
    absl::btree_set<uint32_t> touched;
    std::vector<uint32_t> readers;
    for (const auto& [reader, saved] : readers_[root]) readers.push_back(reader);
    for (const uint32_t reader : readers) {
      if (isBitcast(reader)) continue;
      join(root, reader);
      touched.insert(reader);
      touched.insert(kernels_[reader].operands.begin(), kernels_[reader].operands.end());
    }
    touched.erase(root);
    ++kernels_[root].version;  // once is enough
    if (!stays) {
      kernels_[root].isThere = false;
      for (const uint32_t operand : kernels_[root].operands) readers_[operand].erase(root);
    }
    for (const uint32_t value : touched) enqueue(value);
  }

  // The kernels of two instructions or more, each with the scalar constants that it reads.
  std::vector<std::vector<Instruction*>> result() {
    std::vector<std::vector<Instruction*>> made;
    for (uint32_t root = 0; root < kernels_.size(); ++root) {
      if (!kernels_[root].isThere || isBitcast(root)) continue;
      std::vector<Instruction*> all = withConstants(kernels_[root]);
      if (all.size() < 2) continue;
      if (kernels_[root].members.size() == 1 && !context_.mayChange(*instructions_[root])) continue;
      made.push_back(std::move(all));
    }
    return made;
  }

  // A scatter writes its result over its first operand, which stays outside.
  bool isWrittenInto(const Instruction& value, const Kernel& kernel) const {
    return std::ranges::any_of(kernel.members, [&](uint32_t member) {
      const Instruction& i = *instructions_[member];
      return i.opcode() == Opcode::Scatter && i.operand(0) == &value;
    });
  }

  std::vector<Instruction*> withConstants(const Kernel& kernel) const {
    std::vector<uint32_t> numbers = kernel.members;
    std::ranges::copy_if(kernel.operands, std::back_inserter(numbers), [&](uint32_t operand) {
      return isScalarConstant(*instructions_[operand]) && !isWrittenInto(*instructions_[operand], kernel);
    });
    std::ranges::sort(numbers, std::greater());
    std::vector<Instruction*> all;
    for (const uint32_t number : numbers) all.push_back(instructions_[number]);
    return all;
  }

  PassContext& context_;
  std::vector<Instruction*> instructions_;
  KernelCosts costs_;
  std::vector<Kernel> kernels_;          // by the number of the root
  std::vector<KernelReaders> readers_;   // of a value
  std::vector<bool> isNeededElsewhere_;  // by what is no kernel of these
  std::priority_queue<Candidate> queue_;
};

}  // namespace

std::vector<std::vector<Instruction*>> planPriorityFusion(const Computation& computation,
                                                          PassContext& context, const GpuRates& rates) {
  return Planner(computation, context, rates).plan();
}

}  // namespace hilo
