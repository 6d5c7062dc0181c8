// A bar of widgets that goes on in another row where one is too narrow for all of them.
#pragma once

#include <memory>
#include <vector>

#include <QLayout>

namespace hilo {

class WrappingRow : public QLayout {
 public:
  explicit WrappingRow(int spacing);
  ~WrappingRow() override;

  // With a stretch it shares what its row has left over, in proportion.
  void add(QWidget* widget, int stretch = 0);

  void addItem(QLayoutItem* item) override;
  int count() const override { return static_cast<int>(places_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return place(QRect(0, 0, width, 0), false); }
  QSize sizeHint() const override;
  QSize minimumSize() const override;
  void setGeometry(const QRect& rect) override;

 private:
  struct Place {
    std::unique_ptr<QLayoutItem> item;
    int stretch = 0;
  };
  // The height all rows take in this width; `applies` moves the widgets there.
  int place(const QRect& rect, bool applies) const;
  void placeRow(const std::vector<const Place*>& row, const QRect& rect) const;

  std::vector<Place> places_;
};

}  // namespace hilo
