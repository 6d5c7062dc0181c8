// Layouts, shardings and replica groups as small grids: what stands in each cell, its shade, and the words
// around them. Pure; drawn by ui/widgets/grid_diagram. Any thread.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct DiagramCell {
  QString text;
  QString tip;
  int group = 0;  // cells of one group have one colour; -1: nothing there, outlined where there is a tip
};

struct Diagram {
  QString title;  // "layout: which element lies where"
  QString note;   // what the cells say, what is left out, waste
  int columns = 0;
  std::vector<QString> columnHeads, rowHeads;
  std::vector<DiagramCell> cells;  // row by row

  int rows() const { return columns == 0 ? 0 : static_cast<int>(cells.size()) / columns; }
};

// All that the instruction has; empty where there is nothing to draw.
std::vector<Diagram> diagramsOf(const Instruction& instruction);

// The last two dimensions of an array (the others at 0): each cell is an element and says its
// place in memory.
std::optional<Diagram> layoutDiagram(Shape shape);
// Each cell is a part of the array and says which devices hold it.
std::optional<Diagram> shardingDiagram(const Sharding& sharding, Shape shape);
// Each cell is a device at its place in the named mesh; devices that hold the same part are of one group.
std::optional<Diagram> meshDiagram(const Sharding& sharding, Shape shape);
// Each row is a group.
std::optional<Diagram> replicaGroupsDiagram(const ReplicaGroups& groups);
// Each row is a pair of a collective-permute: who sends, and to whom.
std::optional<Diagram> permutationDiagram(std::span<const std::span<const int64_t>> pairs);

}  // namespace hilo
