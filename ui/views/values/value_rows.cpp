#include "ui/views/values/value_rows.h"

#include "ui/models/text_of.h"

namespace hilo {
namespace {

bool hasFinite(const ValueSummary& summary) { return summary.elements > summary.nan + summary.inf; }

}  // namespace

QString numberText(double value) { return QString::number(value, 'g', 6); }

QString figureText(const ValueSummary& summary, double figure) {
  if (hasFinite(summary)) return numberText(figure);
  return summary.elements == 1 ? qs(summary.firstNonfinite).section(": ", -1) : QStringLiteral("-");
}

bool isSuspect(const ValueRow& row) {
  return row.all.nan > 0 || (row.all.inf > 0 && row.value.opcode != "constant");
}

std::vector<TableColumn<ValueRow>> valueColumns() {
  const auto figure = [](auto field) {
    return [field](const ValueRow& row) {
      return row.isKnown() ? figureText(row.all, row.all.*field) : QString();
    };
  };
  const auto figureKey = [](auto field) { return [field](const ValueRow& row) { return row.all.*field; }; };
  const auto count = [](auto field) {
    return
        [field](const ValueRow& row) { return row.all.*field == 0 ? QString() : countText(row.all.*field); };
  };
  const auto countKey = [](auto field) {
    return [field](const ValueRow& row) { return static_cast<double>(row.all.*field); };
  };
  return {
      {"instruction", [](const ValueRow& row) { return qs(row.value.name); }},
      {"opcode", [](const ValueRow& row) { return qs(row.value.opcode); }},
      {"shape", [](const ValueRow& row) { return qs(row.value.shape); }},
      {"min", figure(&ValueSummary::least), figureKey(&ValueSummary::least)},
      {"max", figure(&ValueSummary::most), figureKey(&ValueSummary::most)},
      {"mean", figure(&ValueSummary::mean), figureKey(&ValueSummary::mean)},
      {"NaN", count(&ValueSummary::nan), countKey(&ValueSummary::nan)},
      {"Inf", count(&ValueSummary::inf), countKey(&ValueSummary::inf)},
      {"zero", count(&ValueSummary::zero), countKey(&ValueSummary::zero)},
      {"ULP off", [](const ValueRow& row) { return row.ulp < 0 ? QString() : numberText(row.ulp); },
       [](const ValueRow& row) { return row.ulp; },
       [](const ValueRow&) {
         return QString("How far the other engine is off, computed by itself on these operands");
       }},
  };
}

std::vector<ValueRow> rowsWithoutValues(const Computation& computation) {
  std::vector<ValueRow> rows;
  for (const Instruction* i : computation.instructions()) {
    rows.push_back({.value = {.instruction = i->id().value,
                              .name = std::string(i->name()),
                              .opcode = std::string(i->opcodeText()),
                              .shape = toString(i->shape().withoutLayout())}});
  }
  return rows;
}

ValueSummary overDevices(const InstructionValue& value) {
  ValueSummary all;
  double sum = 0, means = 0;
  for (const ValueSummary& one : value.devices) {
    if (hasFinite(one)) {
      all.least = means == 0 ? one.least : std::min(all.least, one.least);
      all.most = means == 0 ? one.most : std::max(all.most, one.most);
      sum += one.mean;
      ++means;
    }
    all.elements += one.elements;
    all.nan += one.nan;
    all.inf += one.inf;
    all.zero += one.zero;
    if (all.firstNonfinite.empty()) all.firstNonfinite = one.firstNonfinite;
  }
  all.mean = means > 0 ? sum / means : 0;
  return all;
}

}  // namespace hilo
