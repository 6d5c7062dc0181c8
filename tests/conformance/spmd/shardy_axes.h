// HLO's shardings as axes of a mesh of two devices an axis, as the tests of XLA's shardy pass take them.
#pragma once

#include "core/compiler/spmd/tiling.h"
#include "core/hlo/text/print.h"
#include "tests/conformance/spmd/xla_cases.h"

namespace hilo {

inline std::vector<size_t> take(std::vector<size_t>& axes, int64_t size) {
  std::vector<size_t> taken;
  for (; size > 1; size /= 2) {
    taken.push_back(axes.front());
    axes.erase(axes.begin());
  }
  return taken;
}

// "<@mesh, [{\"0\"}, {}]>" of tiles over 2^n devices, axis 0 outermost.
inline std::string axesOf(const Sharding& sharding, size_t rank, int64_t devices, bool isOpen) {
  std::vector<size_t> axes;
  for (int64_t left = devices; left > 1; left /= 2) axes.push_back(axes.size());
  std::vector<std::vector<size_t>> ofReshape;
  std::vector<size_t> order;
  for (int64_t size : sharding.iota.reshapeDimensions) ofReshape.push_back(take(axes, size));
  for (size_t i = 0; i < ofReshape.size(); ++i) {
    const auto permutation = sharding.iota.transposePermutation;
    const auto& part = ofReshape[permutation.empty() ? i : static_cast<size_t>(permutation[i])];
    order.insert(order.end(), part.begin(), part.end());
  }
  std::string text;
  for (size_t d = 0; d < rank; ++d) {
    std::string list;
    const int64_t tiles = sharding.type == Sharding::Type::Tiled ? sharding.tileDimensions[d] : 1;
    for (size_t axis : take(order, tiles)) list += (list.empty() ? "" : ", ") + fmt::format("\"{}\"", axis);
    if (isOpen) list += list.empty() ? "?" : ", ?";
    text += (text.empty() ? "{" : ", {") + list + "}";
  }
  return "<@mesh, [" + text + "]>";
}

inline void addAttribute(Instruction& instruction, std::string_view text) {
  const FrontendAttribute attribute{"xla.sdy.sharding", text};
  instruction.set<Attr::FrontendAttributes>(std::span(&attribute, 1));
}

inline void stateByAxes(Module& module) {
  const int64_t devices = module.partitionCount();
  std::string mesh;
  for (int64_t left = devices, n = 0; left > 1; left /= 2, ++n)
    mesh += (mesh.empty() ? "" : ", ") + fmt::format("\"{}\"=2", n);
  mesh = "{mesh = #sdy.mesh<[" + mesh + "]>}";
  const auto had = module.get<Attr::FrontendAttributes>();
  std::vector<FrontendAttribute> attributes(had.begin(), had.end());
  attributes.push_back({"xla.sdy.meshes", mesh});
  module.set<Attr::FrontendAttributes>(attributes);
  const auto allowed = module.get<Attr::AllowSpmdShardingPropagationToParameters>();
  for (Computation* computation : module.computations()) {
    for (Instruction* i : computation->instructions()) {
      const Sharding* sharding = i->get<Attr::Sharding>();
      if (sharding == nullptr) continue;
      const bool isParameter = i->opcode() == Opcode::Parameter;
      const auto number = isParameter ? static_cast<size_t>(i->parameterNumber()) : 0;
      const bool isOpen = isParameter && number < allowed.size() && allowed[number];
      std::string text;
      const auto leaves = leavesOf(i->shape());
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        const Sharding& of = sharding->type == Sharding::Type::Tuple ? sharding->elements[leaf] : *sharding;
        text += (text.empty() ? "" : ", ") + axesOf(of, leaves[leaf].rank(), devices, isOpen);
      }
      addAttribute(*i, isParameter ? "#sdy.sharding" + text : "#sdy.sharding_per_value<[" + text + "]>");
      i->erase(Attr::Sharding);
    }
  }
}

inline int64_t devicesOfMeshes(const std::string& text) {
  const size_t at = text.find("mesh<["), end = text.find(']', at);
  int64_t devices = 1;
  for (size_t i = at; at != text.npos && i < end; ++i) {
    if (text[i] == '=') devices *= std::stoll(text.substr(i + 1));
  }
  return devices;
}

// Says how many devices a module of XLA's shardy tests is for, `otherwise` where its text does not, and its
// shardings by axes.
inline void prepareForShardy(Module& module, const std::string& text, int64_t otherwise) {
  const bool isShardys = text.find("xla.sdy.") != text.npos && text.find("mesh<[") != text.npos;
  const int64_t named = isShardys ? devicesOfMeshes(text) : devicesOf(text, otherwise);
  module.set<Attr::NumPartitions>(std::max(named, module.partitionCount()));
  if (!isShardys) stateByAxes(module);
}

}  // namespace hilo
