#include "ui/views/tiles/tile_ranking.h"

#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

using Row = RankedTiling;

QString sizesText(const Row& row) {
  QStringList sizes;
  for (const int64_t size : row.sizes) sizes << QString::number(size);
  return sizes.join(" x ");
}

QString orderText(LaunchOrder order) {
  return order == LaunchOrder::kRowMajor     ? "row-major"
         : order == LaunchOrder::kTransposed ? "transposed"
                                             : "grouped";
}

// A number of the estimate, which a tiling that does not fit has none of.
TableColumn<Row> column(const char* name, const char* tip, double (*value)(const TilingEstimate&),
                        QString (*text)(double)) {
  return {name,
          [value, text](const Row& r) { return r.refusal.empty() ? text(value(r.estimate)) : QString(); },
          [value](const Row& r) { return r.refusal.empty() ? value(r.estimate) : 1e300; },
          [tip](const Row&) { return QString(tip); }};
}

QString microseconds(double ns) { return QString("%1 µs").arg(ns / 1000, 0, 'f', 2); }
QString percent(double share) { return QString("%1%").arg(100 * share, 0, 'f', 0); }
QString whole(double number) { return countText(static_cast<int64_t>(number)); }

}  // namespace

std::vector<TableColumn<RankedTiling>> rankingColumns() {
  using E = TilingEstimate;
  return {
      {"Sizes", sizesText},
      {"Order", [](const Row& r) { return r.refusal.empty() ? orderText(r.order) : QString(); }},
      column(
          "Estimate", "Not measured: the launch and the longest of the four terms",
          [](const E& e) { return e.ns; }, microseconds),
      {"Bound by",
       [](const Row& r) { return r.refusal.empty() ? QString(r.estimate.bound) : qs(r.refusal); }},
      column(
          "Memory", "Bytes of memory by its bandwidth", [](const E& e) { return e.memoryNs; }, microseconds),
      column(
          "L2", "Bytes that blocks ask for by the bandwidth of L2", [](const E& e) { return e.l2Ns; },
          microseconds),
      column(
          "Arithmetic", "Of the busiest processor", [](const E& e) { return e.computeNs; }, microseconds),
      column(
          "Latency", "Steps that wait for each other", [](const E& e) { return e.latencyNs; }, microseconds),
      column(
          "Coalesced", "Of the bytes of sectors, those asked for", [](const E& e) { return e.coalesced; },
          percent),
      column(
          "In L2", "Of the bytes read, those that do not come from memory",
          [](const E& e) { return e.reusedInL2; }, percent),
      column(
          "Occupancy", "Of the threads that a processor can hold", [](const E& e) { return e.occupancy; },
          percent),
      column(
          "Registers", "Of a thread", [](const E& e) { return static_cast<double>(e.registersOfThread); },
          whole),
      column(
          "Shared", "Bytes of a block", [](const E& e) { return static_cast<double>(e.sharedBytes); },
          whole)};
}

TileRanking::TileRanking(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), model_(rankingColumns()) {
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
  device_->setCurrentIndex(std::max(0, device_->findData("h100")));
  rank_ = new QPushButton("Rank by estimate", this);
  rank_->setToolTip("Estimate the time of legal sizes on this GPU; nothing is run");
  progress_ = new JobProgress(context_.jobs, "Stop estimating", this);
  bar->add(device_);
  bar->add(rank_);
  bar->add(progress_);
  layout->addLayout(bar);
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  table_ = new TableView(this);
  table_->setModel(&model_);
  table_->setAccessibleName("Sizes by estimate");
  table_->setEmptyText("Press Rank by estimate to see which sizes are the quickest, and why.");
  table_->setColumnWidths({16, 11, 11, 12, 11, 11, 11, 11, 11, 8, 12, 11, 10});
  layout->addWidget(table_, 1);
  connect(rank_, &QPushButton::clicked, this, &TileRanking::rank);
  connect(device_, &QComboBox::activated, this, [this] {
    if (model_.rowCount() > 0) rank();
  });
  connect(table_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const Row* row = model_.rowAt(index)) Q_EMIT chosen(row->sizes, row->order);
  });
}

void TileRanking::setInstruction(std::shared_ptr<const Module> module, const Instruction* instruction) {
  module_ = std::move(module);
  instruction_ = instruction;
  model_.setRows({});
  message_->say({});
  rank_->setEnabled(instruction != nullptr);
}

void TileRanking::rank() {
  if (instruction_ == nullptr) return;
  message_->say({});
  progress_->setJob(context_.jobs.submit(
      "tiles", "Estimate tilings",
      [module = module_, instruction = instruction_,
       device = toStd(device_->currentData().toString())](JobContext&) -> Result<std::vector<RankedTiling>> {
        TRY(const DeviceDescription described, findDevice(device));
        TRY(const TilingSpace space, tilingSpace(*instruction));
        return rankTilings(space, described);
      },
      [this, of = instruction_](Result<std::vector<RankedTiling>> ranked) {
        progress_->setJob({});
        if (of == instruction_) show(std::move(ranked));
      },
      &scope_));
}

void TileRanking::show(Result<std::vector<RankedTiling>> ranked) {
  if (!ranked) return message_->sayWhy(ranked.error());
  message_->say(QString("%1, estimated, not measured").arg(countOf(ranked->size(), "legal tiling")));
  model_.setRows(*std::move(ranked));
}

}  // namespace hilo
