// The rows of the table of values: an instruction each, with the figures over all devices.
#pragma once

#include <QString>

#include "core/workspace/values/value_study.h"
#include "ui/models/table_model.h"

namespace hilo {

struct ValueRow {
  InstructionValue value;  // the summary over all devices in `all`; of no device: not computed
  ValueSummary all;
  double ulp = -1;  // from the other engine; -1: not compared
  bool isKnown() const { return !value.devices.empty(); }
};

std::vector<TableColumn<ValueRow>> valueColumns();
// An infinity that the program itself says, such as what a maximum begins with, is no fault.
bool isSuspect(const ValueRow& row);
// What the table says of instructions that were not run.
std::vector<ValueRow> rowsWithoutValues(const Computation& computation);
// Of several devices what all have together.
ValueSummary overDevices(const InstructionValue& value);

QString numberText(double value);
// Of least, most and mean; of no finite elements there are none, but one element is what it is.
QString figureText(const ValueSummary& summary, double figure);

}  // namespace hilo
