#include "core/analysis/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/analysis/async_op.h"
#include "core/analysis/execution_counts.h"
#include "core/analysis/implied_devices.h"
#include "core/analysis/saturating.h"
#include "core/analysis/while_loop.h"
#include "core/hlo/ir/computation.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

std::vector<NamedCount> mostFirst(const std::map<std::string, int64_t>& counts) {
  std::vector<NamedCount> sorted;
  for (const auto& [name, count] : counts) sorted.push_back({name, count});
  std::ranges::sort(sorted, [](const NamedCount& a, const NamedCount& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
  return sorted;
}

void countTypes(Shape shape, std::map<std::string, int64_t>& counts) {
  if (shape.isArray()) ++counts[std::string(elementTypeName(shape.elementType()))];
  for (const Shape element : shape.tupleShapes()) countTypes(element, counts);
}

void collectTypes(Shape shape, std::set<std::string>& types) {
  if (shape.isArray()) types.insert(std::string(elementTypeName(shape.elementType())));
  for (const Shape element : shape.tupleShapes()) collectTypes(element, types);
}

std::vector<SizedInstruction> largestOf(std::vector<const Instruction*> candidates, size_t limit) {
  std::vector<std::pair<int64_t, const Instruction*>> sized;
  for (const Instruction* i : candidates) sized.push_back({i->shape().byteSize(), i});
  const size_t kept = std::min(limit, sized.size());
  const auto larger = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->id() < b.second->id();
  };
  std::partial_sort(sized.begin(), sized.begin() + kept, sized.end(), larger);
  std::vector<SizedInstruction> rows;
  for (size_t n = 0; n < kept; ++n) {
    const auto& [bytes, i] = sized[n];
    rows.push_back({i->id(), std::string(i->name()), std::string(i->parent().name()),
                    std::string(i->opcodeText()), toString(i->shape()), bytes});
  }
  return rows;
}

// A value that exists in memory of its own: not a name for another, a tuple, or what a computation is given.
bool isValue(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::Bitcast:
    case Opcode::While:
    case Opcode::Conditional:
    case Opcode::Call:
    case Opcode::Constant:
      return false;
    case Opcode::Parameter:
      return i.parent().isEntry();
    default:
      return !hasFact(i.opcode(), OpFact::Forwards);
  }
}

// The opcode a collective is counted under, "" for other operations and for the done half of a pair.
std::string collectiveName(const Instruction& i) {
  const std::string_view text = i.opcodeText();
  if (opcodeClass(i.opcode()) != OpcodeClass::Collective || text.ends_with("-done")) return "";
  return std::string(text.ends_with("-start") ? text.substr(0, text.size() - 6) : text);
}

class Summarizer {
 public:
  explicit Summarizer(const Module& module)
      : module_(module), cost_(module), executions_(executionCounts(module)) {}

  ModuleSummary run(size_t largest) {
    readHeader();
    markFused();
    for (const Computation* computation : module_.computations()) {
      ++summary_.computations;
      const bool fused = fused_.contains(computation);
      for (const Instruction* instruction : computation->instructions()) count(*instruction, fused);
    }
    summary_.opcodes = mostFirst(opcodes_);
    summary_.elementTypes = mostFirst(elementTypes_);
    summary_.customCalls = mostFirst(customCalls_);
    summary_.largestValues = largestOf(std::move(values_), largest);
    summary_.largestConstants = largestOf(std::move(constants_), largest);
    for (auto& [key, row] : collectives_) {
      row.elementTypes.assign(collectiveTypes_[key].begin(), collectiveTypes_[key].end());
      summary_.collectives.push_back(std::move(row));
    }
    summary_.cost = cost_.total();
    return std::move(summary_);
  }

 private:
  using CollectiveKey = std::tuple<std::string, int64_t, int64_t>;

  void readHeader() {
    summary_.name = module_.name();
    summary_.scheduled = module_.isScheduled();
    summary_.partitions = module_.partitionCount();
    summary_.replicas = module_.replicaCount();
    summary_.impliedDevices = impliedGrid(module_).count();
    summary_.inputOutputAliases = static_cast<int64_t>(module_.get<Attr::InputOutputAlias>().size());
    for (const Attribute& attribute : module_.attributes().all()) {
      const bool isNumber = attrKind(attribute.key) == AttrKind::Int64;
      const bool isBool = attrKind(attribute.key) == AttrKind::Bool;
      std::string value = isNumber ? fmt::format("{}", attribute.integer) : "";
      if (isBool) value = attribute.integer != 0 ? "true" : "false";
      summary_.headerAttributes.push_back({std::string(attrName(attribute.key)), std::move(value)});
    }
    const Computation* entry = module_.entry();
    if (entry == nullptr) return;
    summary_.entry = entry->name();
    summary_.entryInstructions = static_cast<int64_t>(entry->instructionCount());
    std::vector<std::string> parameters;
    for (const Instruction* parameter : entry->parameters()) {
      if (parameter == nullptr) continue;
      parameters.push_back(toString(parameter->shape().withoutLayout()));
      summary_.parameterBytes = saturatingAdd(summary_.parameterBytes, parameter->shape().byteSize());
    }
    if (entry->root() == nullptr) return;
    summary_.resultBytes = entry->root()->shape().byteSize();
    summary_.entryShape = fmt::format("({}) -> {}", fmt::join(parameters, ", "),
                                      toString(entry->root()->shape().withoutLayout()));
  }

  void markFused() {
    for (const Computation* computation : module_.computations()) {
      for (const Instruction* i : computation->instructions()) {
        if (i->opcode() == Opcode::Fusion) fused_.insert(i->get<Attr::Calls>());
      }
    }
  }

  void count(const Instruction& i, bool fused) {
    ++summary_.instructions;
    ++opcodes_[std::string(i.opcodeText())];
    countTypes(i.shape(), elementTypes_);
    if (i.opcode() == Opcode::Fusion) ++summary_.fusions;
    if (i.opcode() == Opcode::CustomCall) ++customCalls_[std::string(i.get<Attr::CustomCallTarget>())];
    if (i.opcode() == Opcode::Constant) {
      summary_.constantBytes = saturatingAdd(summary_.constantBytes, i.shape().byteSize());
      constants_.push_back(&i);
    }
    // Inside a fusion nothing has memory of its own.
    if (!fused && isValue(i)) values_.push_back(&i);
    if (i.opcode() == Opcode::While) countLoop(i);
    if (std::string name = collectiveName(i); !name.empty()) countCollective(i, std::move(name));
  }

  void countLoop(const Instruction& loop) {
    const Computation* body = loop.get<Attr::Body>();
    const Computation* condition = loop.get<Attr::Condition>();
    LoopRow row{
        .id = loop.id(), .name = std::string(loop.name()), .computation = std::string(loop.parent().name())};
    row.tripCount = tripCount(loop).value_or(-1);
    if (condition != nullptr) row.condition = condition->name();
    if (body != nullptr) {
      row.body = body->name();
      row.bodyInstructions = static_cast<int64_t>(body->instructionCount());
      row.bodyFlops = cost_.of(*body).flops;
    }
    summary_.loops.push_back(std::move(row));
  }

  void countCollective(const Instruction& i, std::string name) {
    int64_t groups = 0, size = 0;
    if (const ReplicaGroups* replicaGroups = i.get<Attr::ReplicaGroups>()) {
      if (replicaGroups->form == ReplicaGroups::Form::Iota) {
        groups = replicaGroups->groupCount;
        size = replicaGroups->groupSize;
      } else if (const auto lists = expandReplicaGroups(*replicaGroups); !lists.empty()) {
        groups = static_cast<int64_t>(lists.size());
        size = static_cast<int64_t>(lists[0].size());
      }
    } else if (const auto pairs = i.get<Attr::SourceTargetPairs>(); !pairs.empty()) {
      groups = static_cast<int64_t>(pairs.size());
      size = 2;
    }
    const CollectiveKey key{name, groups, size};
    CollectiveRow& row = collectives_[key];
    row.opcode = std::move(name);
    row.groupCount = groups;
    row.groupSize = size;
    ++row.count;
    const Shape result = resultOfStart(i);
    row.bytes = saturatingAdd(row.bytes, result.byteSize());
    const int64_t times = executions_[i.parent().id().value];
    row.executions = saturatingAdd(row.executions, times);
    row.executedBytes = saturatingAdd(row.executedBytes, saturatingMultiply(result.byteSize(), times));
    collectTypes(result, collectiveTypes_[key]);
  }

  const Module& module_;
  ModuleCost cost_;
  std::vector<int64_t> executions_;  // by computation id
  ModuleSummary summary_;
  std::set<const Computation*> fused_;
  std::map<std::string, int64_t> opcodes_, elementTypes_, customCalls_;
  std::map<CollectiveKey, CollectiveRow> collectives_;
  std::map<CollectiveKey, std::set<std::string>> collectiveTypes_;
  std::vector<const Instruction*> values_, constants_;
};

}  // namespace

std::vector<OpcodeCost> costByOpcode(const Module& module, const ModuleCost& cost) {
  const std::vector<int64_t> executions = executionCounts(module);
  std::map<std::string, OpcodeCost> byOpcode;
  for (const Computation* computation : module.computations()) {
    const int64_t times = executions[computation->id().value];
    for (const Instruction* i : computation->instructions()) {
      OpcodeCost& row = byOpcode[std::string(i->opcodeText())];
      ++row.count;
      // The cost of a caller is that of what it calls, which is counted there.
      const bool runs =
          opcodeClass(i->opcode()) == OpcodeClass::ControlFlow || i->opcode() == Opcode::AsyncStart;
      if (runs) continue;
      row.flops = saturatingAdd(row.flops, saturatingMultiply(cost.of(*i).flops, times));
      row.bytesAccessed =
          saturatingAdd(row.bytesAccessed, saturatingMultiply(cost.of(*i).bytesAccessed, times));
    }
  }
  std::vector<OpcodeCost> rows;
  for (auto& [opcode, row] : byOpcode) {
    row.opcode = opcode;
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, std::greater(), &OpcodeCost::count);
  return rows;
}

ModuleSummary summarize(const Module& module, size_t largest) { return Summarizer(module).run(largest); }

}  // namespace hilo
