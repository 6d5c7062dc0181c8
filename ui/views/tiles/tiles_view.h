// Tiles of a fusion: sizes as sliders whose constraints answer at once, each instruction on one tile, the
// result's grid with the tile that can be moved, and what it reads of each operand; below, the code that the
// sizes give, sizes by estimate, and kernels that were tried.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QTabWidget>

#include "core/analysis/tiling/launch_order.h"
#include "ui/views/tiles/size_controls.h"
#include "ui/views/tiles/tile_code.h"
#include "ui/views/tiles/tile_picture.h"
#include "ui/views/tiles/tile_ranking.h"
#include "ui/views/tiles/tile_rows.h"
#include "ui/views/tiles/tuned_kernels.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class TilesView : public View {
  Q_OBJECT

 public:
  explicit TilesView(const ViewContext& context, QWidget* parent = nullptr);

  QComboBox& fusions() { return *fusions_; }
  SizeControls& sizes() { return *sizes_; }
  TilePicture& picture() { return *picture_; }
  QComboBox& order() { return *order_; }
  QSpinBox& program() { return *program_; }
  QPushButton& nearest() { return *nearest_; }
  QTabWidget& details() { return *details_; }
  TileRanking& ranking() { return *ranking_; }
  TileCode& code(TileCode::Form form) { return *codes_[static_cast<size_t>(form)]; }
  TunedKernels& tuned() { return *tuned_; }
  const TableModel<TileRow>& rows() const { return model_; }
  QString head() const { return head_->text(); }
  QString message() const { return message_->text(); }
  const std::vector<int64_t>& tile() const { return tile_; }
  bool isRefused() const { return !isLegal_; }

  // The fusion or instruction of this name.
  bool goTo(const QString& name) override;
  QString commandLine(ShownState state) const override;
  // With --run the kernels of the GPU are tried.
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* buildBar();
  void buildTable();
  void buildDetails();
  void showCode();  // of the sizes, where they are legal
  void refresh();
  void follow(const Selection& selection);
  void choose(const Instruction& instruction);
  void clear(const QString& text);
  void answer();    // to the sizes
  void showTile();  // that tile_ says
  void showHead();
  void moveTo(std::vector<int64_t> tile);
  void moveToElement(qint64 row, qint64 column);
  void moveBy(int rows, int columns);
  TilePictureContent pictureContent(const std::vector<TileRegion>& regions) const;
  std::vector<TileRegion> launchedBefore() const;
  DrawnDimensions drawnOfResult() const;  // of the first; its dimensions are the first of the variables
  LaunchOrder launchOrder() const { return static_cast<LaunchOrder>(order_->currentData().toInt()); }

  SnapshotId shownOf_;
  std::shared_ptr<const Module> module_;  // that the space speaks of
  const Instruction* instruction_ = nullptr;
  TilingSpace space_;
  FusionTiling tiling_;  // the last that was legal
  bool isLegal_ = false;
  std::vector<int64_t> tile_;  // in each dimension of the results
  bool telling_ = false;

  QComboBox* fusions_;
  QLabel* head_;
  SizeControls* sizes_;
  QComboBox* order_;
  QSpinBox* program_;
  QPushButton* nearest_;
  MessageLine* message_;
  QSplitter* split_;
  TilePicture* picture_;
  TableView* table_;
  QTabWidget* details_;
  TileRanking* ranking_;
  std::array<TileCode*, 3> codes_;  // by form
  TunedKernels* tuned_;
  TableModel<TileRow> model_;
};

}  // namespace hilo
