#include "ui/views/kernel_layouts/layout_rows.h"

#include "ui/models/text_of.h"

namespace hilo {

std::vector<TableColumn<RegisterRow>> registerColumns() {
  return {{"register", [](const RegisterRow& row) { return QString::number(row.reg); },
           [](const RegisterRow& row) { return static_cast<double>(row.reg); }},
          {"elements", [](const RegisterRow& row) { return row.text; }}};
}

std::vector<TableColumn<AccessRow>> accessColumns() {
  const auto number = [](const char* title, int64_t WarpAccess::* member) {
    return TableColumn<AccessRow>{
        title, [member](const AccessRow& row) { return QString::number(row.access.*member); },
        [member](const AccessRow& row) { return static_cast<double>(row.access.*member); }};
  };
  return {number("warp", &WarpAccess::warp),
          number("register", &WarpAccess::reg),
          number("slot", &WarpAccess::slot),
          number("bytes a lane", &WarpAccess::bytes),
          number("wavefronts", &WarpAccess::wavefronts),
          number("without conflicts", &WarpAccess::least)};
}

std::vector<RegisterRow> registerRows(const DrawnLayout& layout, int64_t element) {
  if (std::holds_alternative<SplatLayout>(layout.registers.layout())) return {};
  const RegisterPlace first = layout.placesOf(element).front();
  const std::vector<int64_t> held = layout.elementsOf(first.warp, first.lane);
  std::vector<RegisterRow> rows;
  const int64_t length = layout.registers.vectorLength();
  for (int64_t i = 0; i < static_cast<int64_t>(held.size()); ++i) {
    if (i % length == 0) rows.push_back({.reg = i / length});
    RegisterRow& row = rows.back();
    row.elements.push_back(held[static_cast<size_t>(i)]);
    QStringList digits;
    for (const int64_t digit : layout.indexOf(row.elements.back())) digits << QString::number(digit);
    row.text += (row.text.isEmpty() ? "[" : " [") + digits.join(", ") + "]";
  }
  return rows;
}

std::vector<AccessRow> accessRows(const DrawnLayout& layout) {
  std::vector<AccessRow> rows;
  if (!layout.transfer) return rows;
  for (const WarpAccess& access : layout.transfer->accesses) rows.push_back({access});
  std::ranges::stable_sort(rows, std::greater(),
                           [](const AccessRow& row) { return row.access.wavefronts - row.access.least; });
  return rows;
}

}  // namespace hilo
