#include "core/compiler/passes/collectives/permute_decomposer.h"

#include <absl/container/flat_hash_set.h>

#include "core/analysis/call_graph.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/conflicting_collectives.h"
#include "core/compiler/passes/collectives/permute_pairs.h"
#include "core/compiler/passes/control_edges.h"

namespace hilo {
namespace {

constexpr std::string_view kPairs = "_xla_send_recv_source_target_pairs";
constexpr std::string_view kPipeline = "_xla_send_recv_pipeline";
constexpr std::string_view kStream = "_xla_gpu_collective_stream";

bool sendsWhatIsCarried(const Instruction& permute) {
  const Instruction& sent = *permute.operand(0);
  return sent.opcode() == Opcode::GetTupleElement && sent.operand(0)->opcode() == Opcode::Parameter;
}

bool isDecomposed(const Instruction& i, const DecomposedPermutes& which) {
  if (i.opcode() != Opcode::CollectivePermute || i.operandCount() != 1 || !i.shape().isArray() ||
      hasCycle(writtenPairs(i)))
    return false;
  return which.pipelineParallelism ? sendsWhatIsCarried(i) : i.shape().byteSize() >= which.leastBytes;
}

std::vector<Instruction*> permutesOf(Computation& computation, const DecomposedPermutes& which) {
  std::vector<Instruction*> permutes;
  for (Instruction* i : postOrder(computation)) {
    if (isDecomposed(*i, which)) permutes.push_back(i);
  }
  return permutes;
}

// Which of the permutes go round through the loop's input, by stream: the first that sends what the loop
// carries, and one that closes a ring with it. The one that leads back is on stream 0.
std::vector<const Instruction*> pipelined(std::span<Instruction* const> permutes) {
  std::vector<const Instruction*> chosen;
  for (const Instruction* permute : permutes) {
    if (!sendsWhatIsCarried(*permute)) continue;
    if (chosen.empty()) {
      chosen.push_back(permute);
    } else if (closesRing(writtenPairs(*chosen[0]), writtenPairs(*permute))) {
      return {chosen[0], permute};
    } else if (closesRing(writtenPairs(*permute), writtenPairs(*chosen[0]))) {
      return {permute, chosen[0]};
    }
  }
  return chosen;
}

// What a permute became.
struct Transfer {
  Instruction *send, *receive, *sendDone, *receiveDone, *data;
};

class TransferMaker {
 public:
  explicit TransferMaker(Instruction& permute)
      : permute_(permute), pairs_(pairsText(writtenPairs(permute))) {}

  Transfer make() {
    Instruction* value = permute_.operand(0);
    const Shape token = Shape::token(), context = Shape::scalar(ElementType::U32);
    const Shape inFlight = Shape::tuple(std::vector{value->shape(), context, token});
    Transfer made{};
    Instruction* start = create(Opcode::AfterAll, token, {}, "-after-all");
    made.receive = described(create(Opcode::Recv, inFlight, {start}, "-recv"));
    made.send = described(create(Opcode::Send, inFlight, {value, start}, "-send"));
    made.receiveDone = numbered(create(Opcode::RecvDone, Shape::tuple(std::vector{value->shape(), token}),
                                       {made.receive}, "-recv-done"));
    made.sendDone = numbered(create(Opcode::SendDone, token, {made.send}, "-send-done"));
    made.data = create(Opcode::GetTupleElement, value->shape(), {made.receiveDone}, "-recv-data");
    made.data->set<Attr::Index>(0);
    return made;
  }

 private:
  Instruction* create(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands,
                      std::string_view suffix) {
    Module& module = permute_.module();
    return permute_.parent().create(
        opcode, shape, operands, module.uniqueName(fmt::format("{}{}", permute_.name(), suffix)), &permute_);
  }
  Instruction* numbered(Instruction* made) {
    if (const auto channel = permute_.get<Attr::ChannelId>()) made->set<Attr::ChannelId>(*channel);
    return made;
  }
  Instruction* described(Instruction* made) {
    numbered(made);
    if (const auto given = permute_.get<Attr::FrontendAttributes>(); !given.empty())
      made->set<Attr::FrontendAttributes>(given);
    setFrontendValue(*made, kPairs, pairs_);
    if (const OpMetadata* metadata = permute_.get<Attr::Metadata>()) made->set<Attr::Metadata>(metadata);
    return made;
  }

  Instruction& permute_;
  std::string pairs_;
};

// Receives before sends, as no device sends before it received where all wait for another.
void orderWithin(const Transfer& transfer, bool pipelineParallelism) {
  if (pipelineParallelism) {
    addControlPredecessor(*transfer.send, *transfer.receiveDone);
  } else {
    addControlPredecessor(*transfer.send, *transfer.receive);
    addControlPredecessor(*transfer.receiveDone, *transfer.send);
  }
}

class LoopDecomposer {
 public:
  LoopDecomposer(Computation& computation, PassContext& context, const DecomposedPermutes& which)
      : computation_(computation), context_(context), which_(which) {}

  bool run(bool isBody) {
    std::vector<Instruction*> permutes = permutesOf(computation_, which_);
    const auto streams = isBody ? pipelined(permutes) : std::vector<const Instruction*>();
    if (which_.pipelineParallelism && permutes.size() > 1) keepLargest(permutes);
    std::erase_if(permutes, [&](const Instruction* permute) { return !context_.mayChange(*permute); });
    if (permutes.empty()) return false;
    const std::vector<Instruction*> conflicting = conflictingCollectives(computation_, permutes);
    std::vector<Transfer> chain;
    for (Instruction* permute : permutes) chain.push_back(transferFor(*permute, streams));
    order(chain, conflicting);
    if (which_.pipelineParallelism) putOnStream(chain, conflicting);
    computation_.reorder(postOrder(computation_));
    return true;
  }

 private:
  void keepLargest(std::vector<Instruction*>& permutes) {
    const auto largest = *std::ranges::max_element(permutes, {}, [](const Instruction* permute) {
      return permute->get<Attr::SourceTargetPairs>().size();
    });
    for (const Instruction* permute : permutes) {
      if (permute != largest)
        context_.remark(*permute, "missed", fmt::format("%{} is taken apart in this loop", largest->name()));
    }
    permutes = {largest};
  }

  Transfer transferFor(Instruction& permute, std::span<const Instruction* const> streams) {
    const Transfer made = TransferMaker(permute).make();
    const auto stream = std::ranges::find(streams, &permute);
    if (stream != streams.end()) {
      for (Instruction* each : {made.send, made.receive, made.sendDone, made.receiveDone})
        setFrontendValue(*each, kPipeline, stream == streams.begin() ? "0" : "1");
    }
    orderWithin(made, which_.pipelineParallelism);
    context_.remark(permute, "decomposed",
                    fmt::format("now %{} and %{}", made.receive->name(), made.send->name()));
    computation_.replaceAllUses(&permute, made.data);
    redirectControlPredecessors(computation_, {{&permute, made.sendDone}});
    for (Instruction* before : permute.get<Attr::ControlPredecessors>())
      addControlPredecessor(*made.receive, *before);
    computation_.remove(&permute);
    return made;
  }

  // One transfer behind the other, and what conflicts behind all of them.
  void order(std::span<const Transfer> chain, std::span<Instruction* const> conflicting) {
    for (size_t i = 1; i < chain.size(); ++i) {
      addControlPredecessor(*chain[i].receive, *chain[i - 1].send);
      addControlPredecessor(*chain[i].receiveDone, *chain[i - 1].sendDone);
    }
    Instruction* last = chain.back().sendDone;
    for (Instruction* each : conflicting) {
      if (waitsFor(*last, *each)) {
        context_.remark(*each, "missed",
                        fmt::format("%{} needs its value and cannot run first", last->name()));
      } else {
        addControlPredecessor(*each, *last);
      }
    }
  }

  static void putOnStream(std::span<const Transfer> chain, std::span<Instruction* const> conflicting) {
    for (Instruction* each : conflicting) setFrontendValue(*each, kStream, "p2p");
    for (const Transfer& transfer : chain) {
      setFrontendValue(*transfer.send, kStream, "p2p");
      setFrontendValue(*transfer.receive, kStream, "p2p");
    }
  }

  Computation& computation_;
  PassContext& context_;
  const DecomposedPermutes& which_;
};

}  // namespace

Result<bool> decomposePermutes(Module& module, PassContext& context, const DecomposedPermutes& which) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (context.cancelled()) return changed;
    const auto& callers = graph.node(*computation).callers;
    if (callers.size() != 1 || callers[0]->opcode() != Opcode::While) continue;
    const bool isBody = callers[0]->get<Attr::Body>() == computation;
    changed |= LoopDecomposer(*computation, context, which).run(isBody);
  }
  return changed;
}

}  // namespace hilo
