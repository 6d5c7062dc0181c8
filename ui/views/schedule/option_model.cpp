#include "ui/views/schedule/option_model.h"

#include <QFont>

#include "ui/models/text_of.h"

namespace hilo {

void OptionModel::setScenario(const ScheduleScenario& scenario) {
  auto options = scheduleOptions(scenario);
  if (!options) return;  // what is wrong with the scenario is told by who runs it
  scenario_ = scenario;
  const bool sameRows = options->size() == options_.size();
  if (!sameRows) beginResetModel();
  options_ = *std::move(options);
  if (!sameRows) return endResetModel();
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int OptionModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(options_.size());
}

int OptionModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

bool OptionModel::isSet(const ScheduleOption& option) const {
  return std::ranges::any_of(scenario_.settings, [&](const auto& set) { return set.first == option.name; });
}

QVariant OptionModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const ScheduleOption& option = options_[static_cast<size_t>(index.row())];
  const bool logical = option.value == "true" || option.value == "false";
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
      if (index.column() == kName) return qs(option.name);
      if (index.column() == kSummary) return qs(option.summary);
      return logical && role == Qt::DisplayRole ? QString() : qs(option.value);
    case Qt::CheckStateRole:
      if (index.column() != kValue || !logical) return {};
      return option.value == "true" ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
      return qs(option.summary);
    case Qt::AccessibleTextRole:
      return QString("%1, %2").arg(qs(option.name), qs(option.value));
    case Qt::FontRole: {
      QFont font;
      font.setBold(isSet(option));
      return font;
    }
    default:
      return {};
  }
}

bool OptionModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || index.column() != kValue) return false;
  const ScheduleOption& option = options_[static_cast<size_t>(index.row())];
  QString text = value.toString().trimmed();
  if (role == Qt::CheckStateRole) text = value.toInt() == Qt::Checked ? "true" : "false";
  if (role != Qt::EditRole && role != Qt::CheckStateRole) return false;
  if (text == qs(option.value)) return false;
  Q_EMIT valueAsked(qs(option.name), text);
  return true;
}

Qt::ItemFlags OptionModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (!index.isValid() || index.column() != kValue) return flags;
  const std::string& value = options_[static_cast<size_t>(index.row())].value;
  return flags | (value == "true" || value == "false" ? Qt::ItemIsUserCheckable : Qt::ItemIsEditable);
}

QVariant OptionModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == kName      ? "setting"
         : section == kValue   ? "value"
         : section == kSummary ? "what it does"
                               : QVariant();
}

}  // namespace hilo
