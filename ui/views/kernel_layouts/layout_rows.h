// Rows of the kernel layout view's tables: what each register of one thread holds, and the accesses of a copy
// between registers and shared memory.
#pragma once

#include "ui/models/table_model.h"
#include "ui/views/kernel_layouts/drawn_layout.h"

namespace hilo {

struct RegisterRow {
  int64_t reg = 0;
  std::vector<int64_t> elements;  // side by side in it
  QString text;                   // "[0, 0] [0, 1]"
};

struct AccessRow {
  WarpAccess access;
};

std::vector<TableColumn<RegisterRow>> registerColumns();
std::vector<TableColumn<AccessRow>> accessColumns();

// Of the thread that holds the element first; none for a splat.
std::vector<RegisterRow> registerRows(const DrawnLayout& layout, int64_t element);
// Those with the most conflicts first; none without shared memory.
std::vector<AccessRow> accessRows(const DrawnLayout& layout);

}  // namespace hilo
