#include "ui/views/tiles/tile_ranking.h"

#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {
constexpr const char* kCore = "core";  // as of hilo tiles --target
}  // namespace

TileRanking::TileRanking(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), model_(rankingColumns()), coreModel_(coreRankingColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new WrappingRow(kSpaceSmall);
  bar->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  device_ = new QComboBox(this);
  device_->setAccessibleName("Device of the estimate");
  for (const BuiltInDevice& device : builtInDevices()) {
    const QString id = QString::fromUtf8(device.id.data(), static_cast<qsizetype>(device.id.size()));
    if (!findDevice(std::string(device.id))->computeCapability.empty()) device_->addItem(id, id);
  }
  device_->addItem("a core of a processor", kCore);
  device_->setCurrentIndex(std::max(0, device_->findData("h100")));
  rank_ = new QPushButton("Rank by estimate", this);
  rank_->setToolTip("Estimate the time of legal sizes on this device; nothing is run");
  progress_ = new JobProgress(context_.jobs, "Stop estimating", this);
  bar->add(device_);
  bar->add(rank_);
  bar->add(progress_);
  layout->addLayout(bar);
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  tables_ = new QStackedWidget(this);
  table_ = addTable(model_, {16, 11, 11, 12, 11, 11, 11, 11, 11, 8, 12, 11, 10});
  coreTable_ = addTable(coreModel_, {16, 11, 11, 11, 11, 11, 11});
  layout->addWidget(tables_, 1);
  connect(rank_, &QPushButton::clicked, this, &TileRanking::rank);
  connect(device_, &QComboBox::currentIndexChanged, this, [this] {
    const bool wasRanked = model_.rowCount() + coreModel_.rowCount() > 0;
    tables_->setCurrentWidget(isOfCore() ? coreTable_ : table_);
    if (wasRanked) rank();
  });
  connect(table_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const RankedTiling* row = model_.rowAt(index)) Q_EMIT chosen(row->sizes, row->order);
  });
  connect(coreTable_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const CoreRanking* row = coreModel_.rowAt(index)) Q_EMIT chosen(row->sizes, LaunchOrder::kRowMajor);
  });
}

TableView* TileRanking::addTable(QAbstractItemModel& model, const std::vector<int>& widths) {
  auto* table = new TableView(tables_);
  table->setModel(&model);
  table->setAccessibleName("Sizes by estimate");
  table->setEmptyText("Press Rank by estimate to see which sizes are the quickest, and why.");
  table->setColumnWidths(widths);
  tables_->addWidget(table);
  return table;
}

bool TileRanking::isOfCore() const { return device_->currentData().toString() == kCore; }

void TileRanking::setInstruction(std::shared_ptr<const Module> module, const Instruction* instruction) {
  module_ = std::move(module);
  instruction_ = instruction;
  model_.setRows({});
  coreModel_.setRows({});
  message_->say({});
  rank_->setEnabled(instruction != nullptr);
}

void TileRanking::rank() {
  if (instruction_ == nullptr) return;
  message_->say({});
  progress_->setJob(context_.jobs.submit(
      "tiles", "Estimate tilings",
      [module = module_, instruction = instruction_, isOfCore = isOfCore(),
       device = toStd(device_->currentData().toString())](JobContext&) -> Result<Ranked> {
        TRY(const TilingSpace space, tilingSpace(*instruction));
        if (isOfCore) return rankOnCore(space, {});
        TRY(const DeviceDescription described, findDevice(device));
        return rankTilings(space, described);
      },
      [this, of = instruction_](Result<Ranked> ranked) {
        progress_->setJob({});
        if (of == instruction_) show(std::move(ranked));
      },
      &scope_));
}

void TileRanking::show(Result<Ranked> ranked) {
  if (!ranked) return message_->sayWhy(ranked.error());
  const size_t count = std::visit([](const auto& rows) { return rows.size(); }, *ranked);
  message_->say(QString("%1, estimated, not measured").arg(countOf(count, "legal tiling")));
  auto* onGpu = std::get_if<std::vector<RankedTiling>>(&*ranked);
  auto* onCore = std::get_if<std::vector<CoreRanking>>(&*ranked);
  model_.setRows(onGpu ? std::move(*onGpu) : std::vector<RankedTiling>());
  coreModel_.setRows(onCore ? std::move(*onCore) : std::vector<CoreRanking>());
}

}  // namespace hilo
