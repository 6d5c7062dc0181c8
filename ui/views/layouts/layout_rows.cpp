#include "ui/views/layouts/layout_rows.h"

#include "ui/models/text_of.h"

namespace hilo {

QString wishCell(const LayoutWish& wish) {
  const QString kind = qs(layoutWishKindName(wish.kind));
  if (wish.kind == LayoutWishKind::EntryResult)
    return wish.operand < 0 ? kind : QString("%1 %2").arg(kind).arg(wish.operand);
  return wish.name.empty() ? kind : QString("%1, %2").arg(kind, qs(wish.name));
}

std::vector<TableColumn<LayoutRow>> layoutMoveColumns() {
  using Row = LayoutRow;
  return {
      {"copy or transpose", [](const Row& row) { return qs(row.move.name); }},
      {"time",
       [](const Row& row) {
         if (!row.move.costs()) return QString("free");
         return row.ns > 0 ? durationText(row.ns) : QString();
       },
       [](const Row& row) { return row.move.costs() ? row.ns : -1; },
       [](const Row& row) {
         return QString(row.move.isAlone ? "%1, which does nothing else" : "%1, with other work in it")
             .arg(qs(row.move.kernelName));
       }},
      {"bytes",
       [](const Row& row) {
         return row.times == 1 ? bytesText(row.move.bytes)
                               : QString("%1 × %2").arg(bytesText(row.move.bytes), countText(row.times));
       },
       [](const Row& row) { return static_cast<double>(row.totalBytes()); }},
      {"given by", [](const Row& row) { return wishCell(row.move.given); }, nullptr,
       [](const Row& row) { return qs(row.move.given.text); }},
      {"wanted by", [](const Row& row) { return wishCell(row.move.wanted); }, nullptr,
       [](const Row& row) { return qs(row.move.wanted.text); }},
      {"from", [](const Row& row) { return qs(layoutMoveOriginName(row.move.origin)); }},
      {"alone", [](const Row& row) { return row.move.isAlone ? QString("yes") : qs(row.move.kernelName); }},
      {"source", [](const Row& row) { return qs(row.move.source).section('/', -1); }, nullptr,
       [](const Row& row) { return qs(row.move.source); }}};
}

std::vector<TableColumn<PaddedArray>> paddedColumns() {
  using Row = PaddedArray;
  return {{"array", [](const Row& row) { return qs(row.name); }},
          {"wasted", [](const Row& row) { return bytesText(row.wastedBytes); },
           [](const Row& row) { return static_cast<double>(row.wastedBytes); }},
          {"of", [](const Row& row) { return bytesText(row.bytes); },
           [](const Row& row) { return static_cast<double>(row.bytes); }},
          {"operation", [](const Row& row) { return qs(row.opcode); }},
          {"shape", [](const Row& row) { return qs(row.shape); }}};
}

}  // namespace hilo
