// The tables of the layouts view.
#pragma once

#include "core/workspace/layouts/layout_study.h"
#include "ui/models/table_model.h"

namespace hilo {

std::vector<TableColumn<LayoutRow>> layoutMoveColumns();
std::vector<TableColumn<PaddedArray>> paddedColumns();
// "entry parameter, Arg_0.1": who gives or wants, in a cell.
QString wishCell(const LayoutWish& wish);

}  // namespace hilo
