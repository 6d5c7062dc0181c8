// How Shardy says that an array lies over a mesh.
#pragma once

#include "core/base/result.h"
#include "core/compiler/spmd/shardy/axes.h"
#include "core/hlo/ir/instruction.h"

namespace hilo::sdy {

struct DimensionSharding {
  Axes axes;              // outermost first
  bool isClosed = false;  // closed: no axis may be added
  int64_t priority = 0;   // takes part in propagation from this round of the user's priorities on
  friend bool operator==(const DimensionSharding&, const DimensionSharding&) = default;
};

struct TensorSharding {
  size_t mesh = 0;  // of the table
  std::vector<DimensionSharding> dimensions;
  Axes replicated;  // may not be used, in the order of the mesh
  Axes unreduced;   // along these, devices hold parts of a sum that is still to be made
  NamedSharding::Reduction reduction = NamedSharding::Reduction::Sum;

  bool isClosed() const;
  friend bool operator==(const TensorSharding&, const TensorSharding&) = default;
};

// No axis on any dimension, all open or all closed.
TensorSharding plainSharding(size_t mesh, size_t rank, bool isClosed);
// All axes it names, in any role.
Axes axesOf(const TensorSharding& sharding);
// Shardy's text without what names the mesh: "[{\"a\"}, {?}]".
std::string toString(const Mesh& mesh, const TensorSharding& sharding);

// The meshes of a module; two with the same axes and devices are one.
class MeshTable {
 public:
  size_t add(Mesh mesh);
  const Mesh& operator[](size_t index) const { return meshes_[index]; }
  std::optional<size_t> find(std::string_view name) const;
  size_t size() const { return meshes_.size(); }

 private:
  std::vector<Mesh> meshes_;
  std::vector<std::pair<std::string, size_t>> names_;
};

}  // namespace hilo::sdy
