#include "core/compiler/schedule/schedule_edges.h"

#include "core/base/check.h"

namespace hilo {
namespace {

// One side of a search for a way between two nodes: what it has come to, and where it goes on from.
class Side {
 public:
  explicit Side(size_t nodes) : seen_(nodes) {}
  void startAt(NodeIndex node) {
    ++epoch_;
    pending_.clear();
    visit(node);
  }
  void visit(NodeIndex node) {
    if (std::exchange(seen_[node], epoch_) != epoch_) pending_.push_back(node);
  }
  bool cameTo(NodeIndex node) const { return seen_[node] == epoch_; }
  bool canGoOn() const { return !pending_.empty(); }
  NodeIndex next() {
    const NodeIndex node = pending_.back();
    pending_.pop_back();
    return node;
  }

 private:
  uint32_t epoch_ = 0;
  std::vector<uint32_t> seen_;
  std::vector<NodeIndex> pending_;
};

class EdgeFinder {
 public:
  EdgeFinder(const ScheduleGraph& graph, const LatencyEstimator& estimator, const AliasAnalysis& alias,
             const std::function<void(NodeIndex, NodeIndex, double)>& add)
      : graph_(graph),
        estimator_(estimator),
        alias_(alias),
        add_(add),
        forwards_(graph.nodes().size()),
        backwards_(graph.nodes().size()) {
    controlSuccessors_.resize(graph.nodes().size());
    for (NodeIndex i = 0; i < graph.nodes().size(); ++i) {
      if (opcode(i) == Opcode::While) loops_.push_back(i);
      for (const Instruction* before : instruction(i).get<Attr::ControlPredecessors>())
        controlSuccessors_[graph.indexOf(*before)].push_back(i);
    }
  }

  // How many nodes searches looked at.
  size_t find(bool topDown) {
    for (NodeIndex i = 0; i < graph_.nodes().size(); ++i) {
      for (const Instruction* user : instruction(i).users()) addWithLatency(i, graph_.indexOf(*user));
      for (const NodeIndex after : controlSuccessors_[i]) addWithLatency(i, after);
      if (graph_.node(i).isAsyncDone) keepBufferClear(i);
      if (opcode(i) != Opcode::SendDone) continue;
      sendDoneBeforeLoops(i);
      if (topDown) recvAfterLoops(i);
    }
    return visited_;
  }

 private:
  const Instruction& instruction(NodeIndex i) const { return *graph_.node(i).instruction; }
  Opcode opcode(NodeIndex i) const { return graph_.node(i).opcode; }

  void addWithLatency(NodeIndex from, NodeIndex to) {
    add_(from, to, estimator_.latencyBetween(instruction(from), instruction(to)));
  }

  // Is there a way from `from` to `to`? Looked for from both ends in turn, as one of them often has few nodes
  // to look at: the use of a done's buffer is mostly near it, and may be a tuple of thousands. Without extra
  // edges that lead back in the order, a way only visits what lies between them.
  bool reaches(NodeIndex from, NodeIndex to) {
    if (from == to) return true;
    if (from > to && !leadsBack_) return false;
    forwards_.startAt(from);
    backwards_.startAt(to);
    const auto lead = [&](Side& side, const Side& other, NodeIndex node) {
      if (!leadsBack_ && (node < from || node > to)) return false;
      side.visit(node);
      return other.cameTo(node);
    };
    const auto forwards = [&](NodeIndex node) { return lead(forwards_, backwards_, node); };
    const auto backwards = [&](NodeIndex node) { return lead(backwards_, forwards_, node); };
    while (forwards_.canGoOn() && backwards_.canGoOn()) {
      visited_ += 2;
      if (anySuccessor(forwards_.next(), forwards) || anyPredecessor(backwards_.next(), backwards))
        return true;
    }
    return false;
  }

  template <typename Predicate>
  bool anySuccessor(NodeIndex node, const Predicate& predicate) const {
    for (const Instruction* user : instruction(node).users()) {
      if (predicate(graph_.indexOf(*user))) return true;
    }
    return std::ranges::any_of(controlSuccessors_[node], predicate) ||
           anyExtra(extraSuccessors_, node, predicate);
  }
  template <typename Predicate>
  bool anyPredecessor(NodeIndex node, const Predicate& predicate) const {
    for (const Instruction* operand : instruction(node).operands()) {
      if (predicate(graph_.indexOf(*operand))) return true;
    }
    for (const Instruction* before : instruction(node).get<Attr::ControlPredecessors>()) {
      if (predicate(graph_.indexOf(*before))) return true;
    }
    return anyExtra(extraPredecessors_, node, predicate);
  }
  using ExtraEdges = absl::flat_hash_map<NodeIndex, std::vector<NodeIndex>>;
  template <typename Predicate>
  static bool anyExtra(const ExtraEdges& edges, NodeIndex node, const Predicate& predicate) {
    const auto found = edges.find(node);
    return found != edges.end() && std::ranges::any_of(found->second, predicate);
  }

  void addExtra(NodeIndex from, NodeIndex to) {
    extraPredecessors_[to].push_back(from);
    extraSuccessors_[from].push_back(to);
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
  ExtraEdges extraPredecessors_, extraSuccessors_;
  bool leadsBack_ = false;
  Side forwards_, backwards_;
  size_t visited_ = 0;
};

}  // namespace

size_t findScheduleEdges(const ScheduleGraph& graph, const LatencyEstimator& estimator,
                         const AliasAnalysis& alias, bool topDown,
                         const std::function<void(NodeIndex, NodeIndex, double)>& add) {
  return EdgeFinder(graph, estimator, alias, add).find(topDown);
}

}  // namespace hilo
