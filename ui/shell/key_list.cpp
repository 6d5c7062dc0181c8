#include "ui/shell/key_list.h"

#include <QAction>
#include <QDialog>
#include <QLineEdit>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/table_model.h"
#include "ui/shell/views.h"
#include "ui/widgets/table_view.h"

namespace hilo {
namespace {

struct ViewKey {
  const char* view;
  const char* keys;
  const char* what;
};
constexpr ViewKey kViewKeys[] = {
#define KEY(view, keys, what) {view, keys, what},
#include "ui/shell/keys.def"
#undef KEY
};

std::vector<KeyRow> rowsOfMenus(const QWidget& window) {
  std::vector<KeyRow> rows;
  for (const QAction* a : window.findChildren<QAction*>(QRegularExpression("^[a-z]"))) {
    const QString keys = QKeySequence::listToString(a->shortcuts(), QKeySequence::NativeText);
    if (!keys.isEmpty()) rows.push_back({"Menu", QString(keys).replace("; ", ", "), a->text().remove('&')});
  }
  return rows;
}

bool holds(const KeyRow& row, const QString& words) {
  const QString line = row.where + ' ' + row.keys + ' ' + row.what;
  return std::ranges::all_of(words.split(' ', Qt::SkipEmptyParts),
                             [&](const QString& word) { return line.contains(word, Qt::CaseInsensitive); });
}

class KeyDialog : public QDialog {
 public:
  KeyDialog(QWidget& window, std::vector<KeyRow> rows)
      : QDialog(&window),
        all_(std::move(rows)),
        model_({{"where", [](const KeyRow& r) { return r.where; }},
                {"keys", [](const KeyRow& r) { return r.keys; }},
                {"what", [](const KeyRow& r) { return r.what; }}}) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle("Keyboard");
    resize(620, 600);
    auto* filter = new QLineEdit(this);
    filter->setPlaceholderText("Filter: zoom, schedule, Ctrl+");
    filter->setAccessibleName("Filter of keys");
    filter->setClearButtonEnabled(true);
    auto* table = new TableView(this);
    table->setAccessibleName("Keys");
    table->setModel(&model_);
    table->setColumnWidths({14, 26, 50});
    table->setEmptyText("No key does that. Ctrl+K finds every action by its name.");
    auto* column = new QVBoxLayout(this);
    column->addWidget(filter);
    column->addWidget(table, 1);
    model_.setRows(all_);
    connect(filter, &QLineEdit::textChanged, this, [this](const QString& words) {
      std::vector<KeyRow> found;
      std::ranges::copy_if(all_, std::back_inserter(found),
                           [&](const KeyRow& row) { return holds(row, words); });
      model_.setRows(std::move(found));
    });
  }

 private:
  std::vector<KeyRow> all_;
  TableModel<KeyRow> model_;
};

}  // namespace

std::vector<KeyRow> keyRows(const QWidget& window, const QString& inFocus) {
  std::vector<KeyRow> first, rows = rowsOfMenus(window);
  for (const ViewKey& key : kViewKeys)
    (inFocus == key.view ? first : rows)
        .push_back({*key.view == 0 ? QString("Every view") : titleOfView(key.view), key.keys, key.what});
  first.insert(first.end(), rows.begin(), rows.end());
  return first;
}

void showShortcuts(QWidget& window, const QString& inFocus) {
  (new KeyDialog(window, keyRows(window, inFocus)))->open();
}

}  // namespace hilo
