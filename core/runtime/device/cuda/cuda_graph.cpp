#include "core/runtime/device/cuda/cuda_graph.h"

#include "core/runtime/device/cuda/cuda_code.h"
#include "core/runtime/device/cuda/cuda_stream.h"

namespace hilo {
namespace {

// A graph that is not yet instantiated.
class GraphOfNodes {
 public:
  GraphOfNodes(const CudaContext& context, CudaConditions& conditions)
      : context_(context), graphs_(context.driver().graphs()), conditions_(conditions) {}
  ~GraphOfNodes() {
    if (graph_ != nullptr) (void)context_.call(graphs_.graphDestroy, graph_);
  }
  GraphOfNodes(const GraphOfNodes&) = delete;
  GraphOfNodes& operator=(const GraphOfNodes&) = delete;

  Status build(const WorkGraph& work) {
    TRY_STATUS(context_.call(graphs_.graphCreate, &graph_, 0U));
    std::vector<DriverNode> nodes;
    return fill(graph_, work, nodes);
  }
  DriverGraph handle() const { return graph_; }

 private:
  using After = std::vector<DriverNode>;

  Status fill(DriverGraph graph, const WorkGraph& work, std::vector<DriverNode>& nodes) {
    for (const WorkNode& node : work) {
      After after;
      for (const uint32_t earlier : node.after) after.push_back(nodes[earlier]);
      TRY(nodes.emplace_back(), add(graph, node, after));
    }
    return {};
  }

  Result<DriverNode> add(DriverGraph graph, const WorkNode& node, const After& after) {
    switch (node.kind) {
      case WorkNode::Kind::Kernel:
        return addKernel(graph, node, after);
      case WorkNode::Kind::Copy:
        return addCopy(graph, node, after);
      case WorkNode::Kind::Loop:
      case WorkNode::Kind::Choice:
        return addConditional(graph, node, after);
    }
    return fail("no-graphs", "a node of no kind");
  }

  Result<DriverNode> addKernel(DriverGraph graph, const WorkNode& node, const After& after) {
    std::vector<void*> parameters;
    for (const auto& argument : node.arguments) parameters.push_back(const_cast<std::byte*>(argument.data()));
    const LaunchShape& shape = node.shape;
    const DriverKernelNode kernel{.kernel = static_cast<const CudaKernel&>(*node.kernel).handle(),
                                  .gridX = shape.grid.x,
                                  .gridY = shape.grid.y,
                                  .gridZ = shape.grid.z,
                                  .blockX = shape.block.x,
                                  .blockY = shape.block.y,
                                  .blockZ = shape.block.z,
                                  .sharedBytes = shape.sharedBytes,
                                  .parameters = parameters.data()};
    TRY(const DriverNode made, addKernelNode(graph, kernel, after));
    if (shape.cluster == LaunchExtent()) return made;
    const DriverLaunchAttribute cluster{
        .id = DriverLaunchAttribute::kClusterDimension,
        .value = {.x = shape.cluster.x, .y = shape.cluster.y, .z = shape.cluster.z}};
    TRY_STATUS(context_.call(graphs_.graphKernelNodeSetAttribute, made, cluster.id,
                             static_cast<const void*>(&cluster.value)));
    return made;
  }
  Result<DriverNode> addKernelNode(DriverGraph graph, const DriverKernelNode& kernel, const After& after) {
    DriverNode made = nullptr;
    TRY_STATUS(context_.call(graphs_.graphAddKernelNode, &made, graph, after.data(), after.size(), &kernel));
    return made;
  }

  Result<DriverNode> addCopy(DriverGraph graph, const WorkNode& node, const After& after) {
    DriverCopy copy;
    copy.from.device = static_cast<DriverAddress>(node.from);
    copy.to.device = static_cast<DriverAddress>(node.to);
    copy.width = copy.from.pitch = copy.to.pitch = static_cast<size_t>(node.bytes);
    copy.from.height = copy.to.height = 1;
    DriverNode made = nullptr;
    TRY_STATUS(context_.call(graphs_.graphAddMemcpyNode, &made, graph, after.data(), after.size(), &copy,
                             context_.handle()));
    return made;
  }

  // A kernel that sets the condition, as there is at the end of a loop's body, and the node that goes by it.
  Result<DriverNode> addConditional(DriverGraph graph, const WorkNode& node, const After& after) {
    const bool isLoop = node.kind == WorkNode::Kind::Loop;
    uint64_t condition = 0;
    TRY_STATUS(context_.call(graphs_.graphConditionCreate, &condition, graph, context_.handle(), 0U, 0U));
    TRY(const DriverNode set, addSetter(graph, node, condition, after));
    DriverNodeParameters parameters;
    parameters.condition = condition;
    parameters.conditionalKind = isLoop ? DriverNodeParameters::kWhile : DriverNodeParameters::kSwitch;
    parameters.graphCount = static_cast<uint32_t>(node.bodies.size());
    parameters.context = context_.handle();
    DriverNode made = nullptr;
    const void* const noEdges = nullptr;
    TRY_STATUS(context_.call(graphs_.graphAddNode, &made, graph, &set, noEdges, size_t{1}, &parameters));
    for (size_t i = 0; i < node.bodies.size(); ++i) {
      std::vector<DriverNode> inner;
      TRY_STATUS(fill(parameters.graphs[i], node.bodies[i], inner));
      if (!isLoop) continue;
      TRY(const DriverNode again, addSetter(parameters.graphs[i], node, condition, inner));
      (void)again;
    }
    return made;
  }
  Result<DriverNode> addSetter(DriverGraph graph, const WorkNode& node, uint64_t condition,
                               const After& after) {
    TRY(const DriverKernel kernel, conditions_.kernel());
    auto address = static_cast<DriverAddress>(node.selector);
    uint32_t kind = node.kind == WorkNode::Kind::Loop ? CudaConditions::kPred
                    : node.byPred                     ? CudaConditions::kBranchOfPred
                                                      : CudaConditions::kBranch;
    auto count = static_cast<uint32_t>(node.bodies.size());
    void* parameters[] = {&condition, &address, &kind, &count};
    return addKernelNode(graph, {.kernel = kernel, .parameters = parameters}, after);
  }

  const CudaContext& context_;
  const DriverGraphFunctions& graphs_;
  CudaConditions& conditions_;
  DriverGraph graph_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<DeviceGraph>> CudaGraph::make(const CudaContext& context, CudaConditions& conditions,
                                                     const WorkGraph& work) {
  if (const std::string& lacking = context.driver().graphs().lacking; !lacking.empty())
    return fail("no-graphs", lacking);
  std::unique_ptr<CudaGraph> made(new CudaGraph(context, conditions));
  GraphOfNodes graph(context, conditions);
  TRY_STATUS(graph.build(work));
  TRY_STATUS(made->instantiate(graph.handle()));
  return made;
}

CudaGraph::~CudaGraph() {
  if (run_ != nullptr) (void)context_.call(context_.driver().graphs().graphRunDestroy, run_);
}

Status CudaGraph::instantiate(DriverGraph graph) {
  return context_.call(context_.driver().graphs().graphInstantiate, &run_, graph, 0ULL);
}

Status CudaGraph::update(const WorkGraph& work) {
  const DriverGraphFunctions& graphs = context_.driver().graphs();
  GraphOfNodes graph(context_, conditions_);
  TRY_STATUS(graph.build(work));
  DriverUpdateResult result;
  const Status updated = context_.call(graphs.graphUpdate, run_, graph.handle(), &result);
  if (updated && result.result == 0) return {};
  TRY_STATUS(context_.call(graphs.graphRunDestroy, std::exchange(run_, nullptr)));
  return instantiate(graph.handle());
}

Status CudaGraph::launch(Stream& stream) {
  return context_.call(context_.driver().graphs().graphLaunch, run_,
                       static_cast<DriverStream>(stream.native()));
}

}  // namespace hilo
