#include "ui/widgets/empty_overlay.h"

#include <QEvent>

#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {

EmptyOverlay::EmptyOverlay(QAbstractItemView* view, const QString& text)
    : QLabel(text, view->viewport()), view_(view) {
  setAlignment(Qt::AlignCenter);
  setWordWrap(true);
  setMargin(kSpaceLarge);
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setForegroundRole(QPalette::PlaceholderText);
  view->viewport()->installEventFilter(this);
  const QAbstractItemModel* model = view->model();
  connect(model, &QAbstractItemModel::rowsInserted, this, &EmptyOverlay::refresh);
  connect(model, &QAbstractItemModel::rowsRemoved, this, &EmptyOverlay::refresh);
  connect(model, &QAbstractItemModel::modelReset, this, &EmptyOverlay::refresh);
  refresh();
}

bool EmptyOverlay::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::Show) refresh();
  return QLabel::eventFilter(watched, event);
}

void EmptyOverlay::refresh() {
  QRect room = view_->viewport()->rect();
  setGeometry(room);
  // Where there is little room, the margin gives way first, then whole lines at the end of the text.
  setMargin(kSpaceLarge);
  if (heightForWidth(width()) > height()) setMargin(kSpaceSmall);
  const bool cut = heightForWidth(width()) > height();
  setAlignment(cut ? Qt::AlignHCenter | Qt::AlignTop : Qt::AlignCenter);
  if (cut) {
    const int lines = std::max(1, (height() - 2 * kSpaceSmall) / fontMetrics().lineSpacing());
    room.setHeight(2 * kSpaceSmall + lines * fontMetrics().lineSpacing());
    setGeometry(room);
  }
  setVisible(view_->model()->rowCount() == 0);
}

}  // namespace hilo
