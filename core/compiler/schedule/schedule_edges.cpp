#include "core/compiler/schedule/schedule_edges.h"

#include "core/base/check.h"

namespace hilo {
namespace {

class EdgeFinder {
 public:
  EdgeFinder(const ScheduleGraph& graph, const LatencyEstimator& estimator, const AliasAnalysis& alias,
             const std::function<void(NodeIndex, NodeIndex, double)>& add)
      : graph_(graph), estimator_(estimator), alias_(alias), add_(add), seen_(graph.nodes().size()) {
    controlSuccessors_.resize(graph.nodes().size());
    for (NodeIndex i = 0; i < graph.nodes().size(); ++i) {
      if (opcode(i) == Opcode::While) loops_.push_back(i);
      for (const Instruction* before : instruction(i).get<Attr::ControlPredecessors>())
        controlSuccessors_[graph.indexOf(*before)].push_back(i);
    }
  }

  void find(bool topDown) {
    for (NodeIndex i = 0; i < graph_.nodes().size(); ++i) {
      for (const Instruction* user : instruction(i).users()) addWithLatency(i, graph_.indexOf(*user));
      for (const NodeIndex after : controlSuccessors_[i]) addWithLatency(i, after);
      if (graph_.node(i).isAsyncDone) keepBufferClear(i);
      if (opcode(i) != Opcode::SendDone) continue;
      sendDoneBeforeLoops(i);
      if (topDown) recvAfterLoops(i);
    }
  }

 private:
  const Instruction& instruction(NodeIndex i) const { return *graph_.node(i).instruction; }
  Opcode opcode(NodeIndex i) const { return graph_.node(i).opcode; }

  void addWithLatency(NodeIndex from, NodeIndex to) {
    add_(from, to, estimator_.latencyBetween(instruction(from), instruction(to)));
  }

  // Is there a way from `from` to `to`? Without extra edges that lead back in the order, a way only visits
  // what lies between them.
  bool reaches(NodeIndex from, NodeIndex to) {
    if (from == to) return true;
    if (from > to && !leadsBack_) return false;
    ++epoch_;
    stack_.assign(1, to);
    const auto visit = [&](NodeIndex next) {
      if (seen_[next] == epoch_ || (next < from && !leadsBack_)) return;
      seen_[next] = epoch_;
      stack_.push_back(next);
    };
    while (!stack_.empty()) {
      const NodeIndex at = stack_.back();
      stack_.pop_back();
      if (at == from) return true;
      for (const Instruction* operand : instruction(at).operands()) visit(graph_.indexOf(*operand));
      for (const Instruction* before : instruction(at).get<Attr::ControlPredecessors>())
        visit(graph_.indexOf(*before));
      const auto extra = extraPredecessors_.find(at);
      if (extra == extraPredecessors_.end()) continue;
      for (const NodeIndex before : extra->second) visit(before);
    }
    return false;
  }

  void addExtra(NodeIndex from, NodeIndex to) {
    extraPredecessors_[to].push_back(from);
    leadsBack_ |= from > to;
    add_(from, to, 1);
  }

  void keepBufferClear(NodeIndex done) {
    const NodeIndex start = graph_.node(done).startOfDone;
    if (start == UINT32_MAX) return;
    const DataflowAnalysis& dataflow = alias_.dataflow();
    for (const BufferId buffer : alias_.buffersAt(instruction(done))) {
      for (const ValueId id : alias_.buffers()[buffer.value].values) {
        const HloValue& value = dataflow.value(id);
        if (&value.instruction() == &instruction(done)) continue;
        for (const HloUse& use : value.uses) keepUseClear(use, start, done);
      }
    }
  }

  void keepUseClear(const HloUse& use, NodeIndex start, NodeIndex done) {
    const NodeIndex user = graph_.indexOf(*use.instruction);
    if (user == UINT32_MAX || user == start || &use.instruction->parent() != &graph_.computation()) return;
    if (use.instruction->operand(use.operandNumber)->shape().isToken()) return;
    if (reaches(done, user) || reaches(start, user)) return;
    addExtra(user, start);
  }

  void sendDoneBeforeLoops(NodeIndex sendDone) {
    for (const Instruction* before : instruction(sendDone).get<Attr::ControlPredecessors>()) {
      if (before->opcode() != Opcode::RecvDone) continue;
      const NodeIndex recvDone = graph_.indexOf(*before);
      for (const NodeIndex loop : loops_) {
        if (!reaches(recvDone, loop)) continue;
        if (!reaches(loop, sendDone)) addExtra(sendDone, loop);
        break;
      }
      return;
    }
  }

  void recvAfterLoops(NodeIndex sendDone) {
    for (const NodeIndex loop : loops_) {
      if (loop >= sendDone || !reaches(loop, sendDone)) continue;
      for (const NodeIndex recvDone : controlSuccessors_[sendDone]) {
        if (opcode(recvDone) != Opcode::RecvDone || instruction(recvDone).operandCount() == 0) continue;
        const NodeIndex recv = graph_.indexOf(*instruction(recvDone).operand(0));
        if (recv != UINT32_MAX && !reaches(recv, loop)) addExtra(loop, recv);
      }
    }
  }

  const ScheduleGraph& graph_;
  const LatencyEstimator& estimator_;
  const AliasAnalysis& alias_;
  const std::function<void(NodeIndex, NodeIndex, double)>& add_;
  std::vector<NodeIndex> loops_;  // in order
  std::vector<absl::InlinedVector<NodeIndex, 1>> controlSuccessors_;
  absl::flat_hash_map<NodeIndex, std::vector<NodeIndex>> extraPredecessors_;
  bool leadsBack_ = false;
  uint32_t epoch_ = 0;
  std::vector<uint32_t> seen_;
  std::vector<NodeIndex> stack_;
};

}  // namespace

void findScheduleEdges(const ScheduleGraph& graph, const LatencyEstimator& estimator,
                       const AliasAnalysis& alias, bool topDown,
                       const std::function<void(NodeIndex, NodeIndex, double)>& add) {
  EdgeFinder(graph, estimator, alias, add).find(topDown);
}

}  // namespace hilo
