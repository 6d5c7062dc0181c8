// The graph view as the window uses it: follows the session's current module and the selection bus.
#pragma once

#include <functional>
#include <optional>

#include "core/base/result.h"
#include "core/workspace/overlays/overlays.h"
#include "ui/widgets/view.h"

namespace hilo {

class GraphPair;
class GraphView;

class GraphArea : public View {
  Q_OBJECT

 public:
  explicit GraphArea(const ViewContext& context, QWidget* parent = nullptr);
  GraphView& view() { return *view_; }
  // For pictures, words with commas between ("\," is a comma within one): "computations", "unfolded",
  // "open-all", "legend", "colour=flops" (or bytes, accessed, sharding, layout, type, changed, time, run,
  // reshards, values, nan, difference, a file of numbers or FILE#COLUMN), "query=opcode:dot" (several are
  // several colours), "focus=2" (hops), "focus=operands", "focus=users". Fails with "unknown-word",
  // "query-syntax" and as reading the file does.
  Status arrange(const QString& words);
  // What arranges the graph as it is now; "" as it is at first.
  QString arrangement() const;
  // Colours what matches this query besides those that colour the graph already.
  void addQuery(const QString& query);
  // The kept run selected in the list of runs, null for none: its times colour the module where it ran that
  // one; a run of another module, or of an engine without thunks, leaves the colours as they are.
  void setRun(std::shared_ptr<const RunRecord> run);
  bool isSettled() const override;
  void take(const ViewAsk& what) override;
  void stopAnimations() override;
  Status arrange(const RenderRequest& request, const RenderSteps& steps) override;
  // With --query nan or divergence what the view of values finds.
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;
  // The graph has words of its own for what was set in it.
  QString commandLine(ShownState state) const override;
  QString pictureOptions() const override;

 Q_SIGNALS:
  // The first picture of a module is on the screen.
  void painted();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void addActions();
  void exportPicture();
  void showModule();
  void showSelection(const Selection& selection);
  std::optional<std::pair<PassSeries, size_t>> passesOf(const Snapshot& snapshot) const;
  void askChanged();
  void askTimes();
  void askTimesOfRun();
  void askReshards();
  void askValues(ValueFact fact);
  void showValues();
  void showCost();
  void countCost();
  void showDifferences();
  void showFinding();
  void showOverlay(const QString& title, SnapshotId of,
                   std::function<Result<Overlay>(const JobContext&)> make);

  JobScope scope_;
  int overlaysAsked_ = 0;
  GraphView* view_;
  SnapshotId shown_;
  std::shared_ptr<const RunRecord> run_;
  std::optional<ValueFact> fact_;  // of values, asked for and still to be shown
  bool paintReported_ = false;
};

// Before and after side by side, for the passes view.
GraphPair* makeTwoGraphs(const Session& session, JobQueue& jobs, QWidget* parent);

}  // namespace hilo
