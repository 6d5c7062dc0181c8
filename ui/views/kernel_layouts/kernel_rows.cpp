#include "ui/views/kernel_layouts/kernel_rows.h"

#include <algorithm>

#include "core/analysis/kernel_layouts/inference/planned_moves.h"
#include "core/analysis/kernel_layouts/shared_layout_text.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

using namespace inference;

// Without a name of the field where a size is known only when it runs.
std::optional<QString> shapeText(const Sizes& shape) {
  if (shape.empty() || std::ranges::any_of(shape, [](int64_t size) { return size <= 0; }))
    return std::nullopt;
  QStringList sizes;
  for (const int64_t size : shape) sizes << QString::number(size);
  return sizes.join("x");
}

QString sharedText(const LayoutVariable& variable, const SharedTransforms& transforms) {
  const SharedLayout layout = inMemory({variable.shape, variable.strides, variable.elementBits}, transforms);
  return qs(printedTransforms(layout));
}

std::optional<LayoutTexts> textsOf(const LayoutVariable& variable, const LayoutConstant& layout) {
  const auto shape = shapeText(variable.shape);
  if (!shape) return std::nullopt;
  LayoutTexts texts{.registers = qs(toString(layout)),
                    .shape = *shape,
                    .elementBits = static_cast<int>(variable.elementBits),
                    .shared = {}};
  if (variable.space == MemorySpace::Tensor) texts.shared = kTensorMemory;
  if (const auto* transforms = std::get_if<SharedTransforms>(&layout)) {
    texts.registers = kNoMemory;
    texts.shared = sharedText(variable, *transforms);
  }
  return texts;
}

// The array in shared memory that an operation copies to or from, with the registers at its other side.
std::optional<LayoutTexts> textsOf(const InferredKernel& inferred, const PlannedMove& move) {
  const auto& derived = inferred.layouts.derived;
  for (const auto kind : {ValueSite::Kind::Operand, ValueSite::Kind::Result}) {
    for (const auto& [site, layout] : inferred.layouts.layoutsOf(move.op, kind)) {
      if (layout != LayoutConstant(move.memory)) continue;
      auto texts = textsOf(derived.variables[derived.variableAt.at(site)], layout);
      if (texts) texts->registers = qs(toString(move.registers));
      return texts;
    }
  }
  return std::nullopt;
}

template <typename Row>
TableColumn<Row> lineColumn() {
  return {"line", [](const Row& row) { return row.line == 0 ? QString() : QString::number(row.line); },
          [](const Row& row) { return static_cast<double>(row.line); }};
}

const NamedConstraint* firstOf(const ListedStep& step) {
  return step.constraints.empty() ? nullptr : &step.constraints.front();
}

QString constraintsText(const ListedStep& step) {
  QStringList lines;
  for (const NamedConstraint& one : step.constraints) lines << qs(toString(one));
  return lines.join("\n");
}

TableColumn<ListedStep> constraintColumn(const char* title, std::string NamedConstraint::* part) {
  return {title,
          [part](const ListedStep& step) {
            const NamedConstraint* first = firstOf(step);
            if (first == nullptr) return QString();
            const size_t others = step.constraints.size() - 1;
            return qs(first->*part) + (others == 0 ? QString() : QString(" and %1 more").arg(others));
          },
          nullptr, constraintsText};
}

}  // namespace

std::vector<TableColumn<KernelArrayRow>> kernelArrayColumns() {
  return {lineColumn<KernelArrayRow>(),
          {"array", [](const KernelArrayRow& row) { return row.name; }},
          {"memory", [](const KernelArrayRow& row) { return row.memory; }},
          {"layout", [](const KernelArrayRow& row) { return row.layout; }, nullptr,
           [](const KernelArrayRow& row) { return row.layout; }},
          {"set by", [](const KernelArrayRow& row) { return row.cause; }, nullptr,
           [](const KernelArrayRow& row) { return row.cause; }}};
}

std::vector<TableColumn<KernelCopyRow>> kernelCopyColumns() {
  const auto count = [](const char* title, int64_t KernelCopyRow::* member) {
    return TableColumn<KernelCopyRow>{
        title,
        [member](const KernelCopyRow& row) {
          return row.notCounted.isEmpty() ? QString::number(row.*member) : QString("not counted");
        },
        [member](const KernelCopyRow& row) { return static_cast<double>(row.*member); },
        [](const KernelCopyRow& row) { return row.notCounted; }};
  };
  return {lineColumn<KernelCopyRow>(),
          {"operation", [](const KernelCopyRow& row) { return row.operation; }},
          count("wavefronts", &KernelCopyRow::wavefronts),
          count("without conflicts", &KernelCopyRow::least),
          {"registers", [](const KernelCopyRow& row) { return row.registers; }},
          {"shared memory", [](const KernelCopyRow& row) { return row.memory; }}};
}

std::vector<TableColumn<ListedStep>> kernelStepColumns() {
  return {
      {"step", [](const ListedStep& step) { return QString::number(step.number); },
       [](const ListedStep& step) { return static_cast<double>(step.number); }},
      {"round", [](const ListedStep& step) { return QString::number(step.round); },
       [](const ListedStep& step) { return static_cast<double>(step.round); }},
      {"what", [](const ListedStep& step) { return QString(2 * step.depth, ' ') + qs(stepWord(step.kind)); }},
      {"array", [](const ListedStep& step) { return qs(step.variable); }},
      {"layout", [](const ListedStep& step) { return qs(step.layout); }},
      constraintColumn("rule", &NamedConstraint::rule),
      {"line",
       [](const ListedStep& step) {
         const NamedConstraint* first = firstOf(step);
         return first == nullptr || first->line == 0 ? QString() : QString::number(first->line);
       }},
      constraintColumn("operation", &NamedConstraint::opcode),
      constraintColumn("constraint", &NamedConstraint::constraint)};
}

std::vector<KernelArrayRow> kernelArrayRows(const InferredKernel& inferred) {
  std::vector<KernelArrayRow> rows;
  const auto& derived = inferred.layouts.derived;
  for (const auto& [id, set] : inferred.layouts.outcome.layouts) {
    const LayoutVariable& variable = derived.variables[id];
    rows.push_back({.line = inferred.kernel.ops[derived.sites[id].front().op].line,
                    .name = qs(variable.name),
                    .memory = qs(toString(variable.space)),
                    .layout = qs(toString(set.layout)),
                    .cause = qs(causeText(inferred.kernel, inferred.layouts, set.cause)),
                    .drawn = textsOf(variable, set.layout)});
  }
  return rows;
}

std::vector<KernelCopyRow> kernelCopyRows(const InferredKernel& inferred) {
  std::vector<KernelCopyRow> rows;
  if (!inferred.layouts.isFound()) return rows;
  for (const PlannedMove& move : plannedMoves(inferred.layouts))
    rows.push_back({.line = inferred.kernel.ops[move.op].line,
                    .operation = qs(inferred.kernel.ops[move.op].opcode),
                    .registers = qs(toString(move.registers)),
                    .memory = qs(toString(LayoutConstant(move.memory))),
                    .wavefronts = move.wavefronts,
                    .least = move.least,
                    .notCounted = qs(move.notCounted),
                    .drawn = textsOf(inferred, move)});
  return rows;
}

}  // namespace hilo
