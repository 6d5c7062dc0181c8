// Everything known of an instruction, a computation or a module, as rows under rows: what the inspector shows
// and what "copy as text" copies. Pure: reads a module, touches no widget. Any thread.
#pragma once

#include <QString>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Where a row leads when activated, within the module it was made from.
struct RowLink {
  // kFile: a file of the dump, at the first line that holds `word`.
  enum class Kind : uint8_t { kNone, kInstruction, kComputation, kSource, kFile };
  Kind kind = Kind::kNone;
  InstructionId instruction;
  ComputationId computation;
  QString sourceFile;
  int sourceLine = 0;
  QString word;
};

struct InspectorRow {
  QString name;
  QString value;
  RowLink link;
  std::vector<InspectorRow> children;
  bool section = false;  // a heading: drawn bold, open at first

  InspectorRow& add(InspectorRow row) { return children.emplace_back(std::move(row)); }
};

std::vector<InspectorRow> instructionRows(const Instruction& instruction);
std::vector<InspectorRow> computationRows(const Computation& computation);
std::vector<InspectorRow> moduleRows(const Module& module);

// A shape: dimensions, layout in words, strides, bytes; a tuple's elements below it.
InspectorRow shapeRow(QString name, Shape shape);
RowLink linkTo(const Instruction& instruction);
RowLink linkTo(const Computation& computation);

// Names indented by depth, values after them: one line a row.
QString rowsAsText(const std::vector<InspectorRow>& rows, int depth = 0);

}  // namespace hilo
