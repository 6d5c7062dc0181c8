#include "ui/widgets/bar_delegate.h"

#include <algorithm>

#include <QPainter>

#include "ui/models/table_model.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  const Theme& theme = themeOf(option.palette);
  const QRect cell = option.rect;
  if (option.state & QStyle::State_Selected)
    painter->fillRect(cell, theme.colour(ColourRole::kSelection));
  else if (option.features & QStyleOptionViewItem::Alternate)
    painter->fillRect(cell, option.palette.alternateBase());
  const double share = most_ <= 0 ? 0 : index.data(TableRole::kExact).toDouble() / most_;
  QRectF bar = QRectF(cell).adjusted(1, 2, -1, -2);
  bar.setWidth(std::max(share > 0 ? 2.0 : 0.0, bar.width() * std::clamp(share, 0.0, 1.0)));
  const NodeColours colours = categoryColours(0, theme.dark);
  painter->fillRect(bar, colours.fill);
  painter->setPen(theme.colour(ColourRole::kText));
  painter->drawText(cell.adjusted(kSpaceSmall, 0, -kSpaceSmall, 0), Qt::AlignLeft | Qt::AlignVCenter,
                    index.data().toString());
}

}  // namespace hilo
