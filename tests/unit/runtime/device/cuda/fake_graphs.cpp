// Graphs of the fake driver: nodes are kept, and done on the host when a graph is launched. Two kernels are
// known: the one that adds, and the one that sets a condition.
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "tests/unit/runtime/device/cuda/fake_kernels.h"

extern "C" hilo::FakeDriver fakeDriverState;

namespace hilo::fake {
namespace {

struct FakeGraph;
struct FakeNode {
  enum class Kind { Add, Set, Copy, Conditional } kind = Kind::Add;
  std::vector<uint64_t> parameters;  // of kernels, 8 bytes each
  uint32_t threads = 0;
  DriverCopy copy;
  uint64_t condition = 0;
  bool isLoop = false;
  std::vector<FakeGraph*> graphs;
};
struct FakeGraph {
  std::vector<FakeNode> nodes;
  std::vector<std::unique_ptr<FakeGraph>> owned;
  std::vector<DriverGraph> handles;
};

std::map<uint64_t, uint32_t>& conditions() {
  static auto& values = *new std::map<uint64_t, uint32_t>();
  return values;
}

DriverResult called(const std::string& symbol, const std::string& rest = {}) {
  fakeDriverState.calls.push_back(rest.empty() ? symbol : symbol + " " + rest);
  const auto found = fakeDriverState.failing.find(symbol);
  return found == fakeDriverState.failing.end() ? kDriverDone : found->second;
}
FakeGraph& graphOf(DriverGraph handle) { return *reinterpret_cast<FakeGraph*>(handle); }

// A node's handle is its number, counted from 1: what comes before it must be there.
DriverResult addTo(DriverGraph graph, DriverNode* made, const DriverNode* after, size_t afterCount,
                   FakeNode node) {
  FakeGraph& all = graphOf(graph);
  for (size_t i = 0; i < afterCount; ++i) {
    if (after[i] == nullptr || reinterpret_cast<size_t>(after[i]) > all.nodes.size()) return 1;
  }
  all.nodes.push_back(std::move(node));
  *made = reinterpret_cast<DriverNode>(all.nodes.size());
  return kDriverDone;
}

void setCondition(const FakeNode& node) {
  const auto kind = static_cast<uint32_t>(node.parameters[2]),
             count = static_cast<uint32_t>(node.parameters[3]);
  const auto* address = reinterpret_cast<const std::byte*>(node.parameters[1]);
  uint32_t value = std::to_integer<uint32_t>(*address) != 0 ? 1 : 0;
  if (kind == 1) value = 1 - value;
  if (kind == 2) {
    std::memcpy(&value, address, sizeof(value));
    if (value >= count) value = count - 1;
  }
  conditions()[node.parameters[0]] = value;
}

void run(const FakeGraph& graph) {
  for (const FakeNode& node : graph.nodes) {
    switch (node.kind) {
      case FakeNode::Kind::Add: {
        std::vector<void*> parameters;
        for (const uint64_t& value : node.parameters) parameters.push_back(const_cast<uint64_t*>(&value));
        addValues(parameters.data(), node.threads);
        break;
      }
      case FakeNode::Kind::Set:
        setCondition(node);
        break;
      case FakeNode::Kind::Copy:
        std::memmove(reinterpret_cast<void*>(node.copy.to.device),
                     reinterpret_cast<const void*>(node.copy.from.device), node.copy.width);
        break;
      case FakeNode::Kind::Conditional:
        if (!node.isLoop) run(*node.graphs[conditions()[node.condition]]);
        while (node.isLoop && conditions()[node.condition] != 0) run(*node.graphs[0]);
        break;
    }
  }
}

}  // namespace

#define DRIVER_FUNCTION(name, symbol, since, ...) DriverResult name(__VA_ARGS__) __asm__(symbol);
#include "core/runtime/device/cuda/graph_functions.def"

DriverResult graphCreate(DriverGraph* graph, unsigned) {
  const DriverResult result = called("cuGraphCreate");
  if (result != kDriverDone) return result;
  *graph = reinterpret_cast<DriverGraph>(new FakeGraph());
  ++fakeDriverState.living;
  return kDriverDone;
}
DriverResult graphDestroy(DriverGraph graph) {
  delete &graphOf(graph);
  --fakeDriverState.living;
  return called("cuGraphDestroy");
}
DriverResult graphAddKernelNode(DriverNode* made, DriverGraph graph, const DriverNode* after,
                                size_t afterCount, const DriverKernelNode* kernel) {
  const bool sets = kernel->kernel == setConditionKernel();
  const DriverResult result = called("cuGraphAddKernelNode", sets ? "set" : "add");
  if (result != kDriverDone) return result;
  FakeNode node{.kind = sets ? FakeNode::Kind::Set : FakeNode::Kind::Add};
  const size_t sizes[] = {8, 8, 4, 4};
  for (size_t i = 0; i < (sets ? 4u : 2u); ++i)
    std::memcpy(&node.parameters.emplace_back(0), kernel->parameters[i], sizes[i]);
  node.threads =
      kernel->gridX * kernel->gridY * kernel->gridZ * kernel->blockX * kernel->blockY * kernel->blockZ;
  return addTo(graph, made, after, afterCount, std::move(node));
}
DriverResult graphKernelNodeSetAttribute(DriverNode, unsigned attribute, const void*) {
  return called("cuGraphKernelNodeSetAttribute", std::to_string(attribute));
}
DriverResult graphAddMemcpyNode(DriverNode* made, DriverGraph graph, const DriverNode* after,
                                size_t afterCount, const DriverCopy* copy, DriverContext) {
  const DriverResult result = called("cuGraphAddMemcpyNode");
  if (result != kDriverDone) return result;
  return addTo(graph, made, after, afterCount, {.kind = FakeNode::Kind::Copy, .copy = *copy});
}
DriverResult graphInstantiate(DriverGraphRun* made, DriverGraph graph, unsigned long long) {
  const DriverResult result = called("cuGraphInstantiate");
  if (result != kDriverDone) return result;
  // The run has the nodes of its own; the graph may go.
  auto* taken = new FakeGraph(std::move(graphOf(graph)));
  *made = reinterpret_cast<DriverGraphRun>(taken);
  ++fakeDriverState.living;
  return kDriverDone;
}
DriverResult graphUpdate(DriverGraphRun made, DriverGraph graph, DriverUpdateResult* result) {
  const DriverResult done = called("cuGraphExecUpdate");
  result->result = done;
  if (done == kDriverDone) *reinterpret_cast<FakeGraph*>(made) = std::move(graphOf(graph));
  return done;
}
DriverResult graphLaunch(DriverGraphRun made, DriverStream) {
  const DriverResult result = called("cuGraphLaunch");
  if (result == kDriverDone) run(*reinterpret_cast<FakeGraph*>(made));
  return result;
}
DriverResult graphRunDestroy(DriverGraphRun made) {
  delete reinterpret_cast<FakeGraph*>(made);
  --fakeDriverState.living;
  return called("cuGraphExecDestroy");
}

DriverResult graphConditionCreate(uint64_t* condition, DriverGraph, DriverContext, unsigned initial,
                                  unsigned) {
  *condition = conditions().size() + 1;
  conditions()[*condition] = initial;
  return called("cuGraphConditionalHandleCreate");
}
DriverResult graphAddNode(DriverNode* made, DriverGraph graph, const DriverNode* after, const void*,
                          size_t afterCount, DriverNodeParameters* parameters) {
  const bool isLoop = parameters->conditionalKind == DriverNodeParameters::kWhile;
  const DriverResult result = called("cuGraphAddNode", isLoop ? "while" : "switch");
  if (result != kDriverDone) return result;
  FakeGraph& all = graphOf(graph);
  FakeNode node{.kind = FakeNode::Kind::Conditional, .condition = parameters->condition, .isLoop = isLoop};
  for (uint32_t i = 0; i < parameters->graphCount; ++i) {
    all.owned.push_back(std::make_unique<FakeGraph>());
    node.graphs.push_back(all.owned.back().get());
    all.handles.push_back(reinterpret_cast<DriverGraph>(all.owned.back().get()));
  }
  parameters->graphs = all.handles.data() + all.handles.size() - parameters->graphCount;
  return addTo(graph, made, after, afterCount, std::move(node));
}
DriverResult linkCreate(unsigned, DriverJitOption*, void**, DriverLink* link) {
  *link = reinterpret_cast<DriverLink>(&conditions());
  return called("cuLinkCreate");
}
DriverResult linkAddData(DriverLink, int, const void*, size_t, const char* name, unsigned, DriverJitOption*,
                         void**) {
  return called("cuLinkAddData", name);
}
DriverResult linkAddFile(DriverLink, int, const char* path, unsigned, DriverJitOption*, void**) {
  return called("cuLinkAddFile", path);
}
DriverResult linkComplete(DriverLink, void** code, size_t* bytes) {
  static char linked[] = "linked";
  *code = linked;
  *bytes = sizeof(linked);
  return called("cuLinkComplete");
}
DriverResult linkDestroy(DriverLink) { return called("cuLinkDestroy"); }

}  // namespace hilo::fake
