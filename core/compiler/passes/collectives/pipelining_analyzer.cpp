#include "core/compiler/passes/collectives/pipelining_analyzer.h"

#include <algorithm>

#include "core/analysis/call_graph.h"
#include "core/analysis/while_loop.h"
#include "core/compiler/passes/collectives/reduce_scatter_creator.h"

namespace hilo {
namespace {

constexpr int64_t kTooManyBytes = int64_t{1} << 30;
constexpr std::string_view kMark = "trivially_pipelineable";

bool renames(const Instruction& i) {
  return i.opcode() == Opcode::Bitcast || i.opcode() == Opcode::Tuple ||
         i.opcode() == Opcode::GetTupleElement;
}

bool isCheap(const Instruction& i) {
  return renames(i) || i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Convert ||
         i.opcode() == Opcode::Transpose;
}

const Instruction* onlyReader(const Instruction& i) {
  return i.users().size() == 1 && !i.isRoot() ? i.users()[0] : nullptr;
}

// What stores it in a slice; null where something else reads it.
const Instruction* storeOf(const Instruction& value) {
  const Instruction* stored = &value;
  const Instruction* reader = onlyReader(*stored);
  for (; reader != nullptr && isCheap(*reader); reader = onlyReader(*stored)) stored = reader;
  const bool stores = reader != nullptr && reader->opcode() == Opcode::DynamicUpdateSlice &&
                      reader->operand(1) == stored && std::ranges::count(reader->operands(), stored) == 1;
  return stores ? reader : nullptr;
}

bool followsCounter(const Instruction& slicing, const Instruction& loop) {
  const size_t offsets = slicing.opcode() == Opcode::DynamicUpdateSlice ? 2 : 1;
  return std::ranges::all_of(slicing.operands().subspan(offsets), [&loop](const Instruction* offset) {
    return valueRangeInBody(*offset, loop).has_value();
  });
}

bool isHandedOn(const Instruction& store) {
  const Instruction* at = &store;
  while (!at->isRoot()) {
    at = onlyReader(*at);
    if (at == nullptr || !renames(*at)) return false;
  }
  return true;
}

// The slice of the part that each device keeps of an all-reduce; else the collective itself.
const Instruction& partOf(const Instruction& collective) {
  const Instruction* reader = onlyReader(collective);
  if (reader != nullptr && reader->opcode() == Opcode::Reshape) reader = onlyReader(*reader);
  return reader != nullptr && becomesReduceScatter(*reader) ? *reader : collective;
}

std::string_view whyNotStored(const Instruction& reduction, const Instruction& loop) {
  if (reduction.operandCount() != 1) return "it reduces several arrays";
  const Instruction* store = storeOf(partOf(reduction));
  if (store == nullptr) return "its result is not just stored in a slice";
  if (!followsCounter(*store, loop)) return "where it is stored does not follow the loop's counter";
  return isHandedOn(*store) ? "" : "what it is stored in is not just handed on";
}

std::string_view whyNotHanded(const Instruction& operand, const Instruction& loop) {
  const Instruction* at = &operand;
  while (isCheap(*at) && at->operandCount() == 1) at = at->operand(0);
  if (at->opcode() != Opcode::DynamicSlice) return "it does not gather a slice";
  if (!followsCounter(*at, loop)) return "the slice it gathers does not follow the loop's counter";
  at = at->operand(0);
  while (renames(*at) && at->operandCount() == 1) at = at->operand(0);
  return at->opcode() == Opcode::Parameter ? "" : "what it gathers a slice of is computed in the loop";
}

// Why it stays in its turn; "" where it need not.
std::string_view whyNot(const Instruction& collective, const Instruction& loop) {
  if (collective.shape().byteSize() >= kTooManyBytes) return "it is too large";
  if (collective.opcode() != Opcode::AllGather) return whyNotStored(collective, loop);
  for (const Instruction* operand : collective.operands()) {
    if (const std::string_view why = whyNotHanded(*operand, loop); !why.empty()) return why;
  }
  return "";
}

bool isMarked(const Instruction& collective) {
  return std::ranges::any_of(collective.get<Attr::FrontendAttributes>(),
                             [](const FrontendAttribute& each) { return each.name == kMark; });
}

void mark(Instruction& collective) {
  const auto had = collective.get<Attr::FrontendAttributes>();
  std::vector<FrontendAttribute> attributes(had.begin(), had.end());
  attributes.push_back({.name = kMark, .value = ""});
  std::ranges::sort(attributes, {}, &FrontendAttribute::name);
  collective.set<Attr::FrontendAttributes>(attributes);
}

bool isCandidate(const Instruction& i) {
  return (i.opcode() == Opcode::AllReduce || i.opcode() == Opcode::ReduceScatter ||
          i.opcode() == Opcode::AllGather) &&
         !isMarked(i);
}

// The one loop whose body it is; null where there is none.
const Instruction* loopOf(const Computation& body, const CallGraph& graph) {
  const auto& callers = graph.node(body).callers;
  const bool isBody =
      callers.size() == 1 && callers[0]->opcode() == Opcode::While && callers[0]->get<Attr::Body>() == &body;
  return isBody ? callers[0] : nullptr;
}

}  // namespace

Result<bool> markPipelineableCollectives(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* body : module.computations()) {
    const Instruction* loop = loopOf(*body, graph);
    if (loop == nullptr) continue;
    for (Instruction* i : body->instructions()) {
      if (context.cancelled()) return changed;
      if (!isCandidate(*i)) continue;
      if (const std::string_view why = whyNot(*i, *loop); !why.empty()) {
        context.remark(*i, "missed", std::string(why));
        continue;
      }
      if (!context.mayChange(*i)) return changed;
      context.remark(*i, "marked", "it may run in another turn of its loop");
      mark(*i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
