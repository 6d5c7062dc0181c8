// What the colours of a graph's nodes say: classes of opcodes, a fact, a column of a file, queries, or what
// was computed elsewhere; its menu, and the lines of the queries above the canvas. UI thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <QMenu>
#include <QVBoxLayout>

#include "core/analysis/cost_facts.h"
#include "core/analysis/overlay/overlay.h"
#include "core/analysis/query/query.h"
#include "core/workspace/job_queue.h"
#include "ui/canvas/canvas_widget.h"

class QActionGroup;

namespace hilo {

class QueryColours;

class GraphColours : public QObject {
  Q_OBJECT

 public:
  // `tag` begins the names of its jobs. The choices go into `menu`, the queries' lines into `above`, second.
  GraphColours(JobQueue& jobs, std::string tag, CanvasWidget& canvas, QMenu* menu, QVBoxLayout& above,
               QObject* parent = nullptr);

  void setModule(std::shared_ptr<const Module> module);
  // Of the module that is shown, once it is known.
  void setCost(std::shared_ptr<const ModuleCost> cost) { cost_ = std::move(cost); }
  const ModuleCost* cost() const { return cost_.get(); }

  void setPalette(NodePalette palette);
  // By a fact instead of by opcode; not for Column.
  void set(OverlayKind kind);
  // By facts that were computed elsewhere; of the module that is shown.
  void set(Overlay given);
  OverlayKind kind() const { return kind_; }
  const std::shared_ptr<const Overlay>& given() const { return given_; }
  // What matches, each query its own colour; none takes the colours away. Goes on with the modules that are
  // shown next. Fails with "query-syntax".
  Status setQueries(const QStringList& queries);
  QStringList queries() const;  // those that colour it
  // How many instructions each of them colours.
  void showCounts(std::span<const uint32_t> counts);
  // Colours by the queries again, in a job.
  void match();
  bool isMatching() const { return isMatching_; }

  // A further choice in the menu: `ask` makes the overlay and hands it to set() when it is there. `name`
  // chooses it in by().
  void addSource(const QString& name, const QString& text, std::function<void()> ask);
  // By name, besides those added: "xla" (its own colours), "bytes", "accessed", "flops", "sharding",
  // "layout", "type", or a file of numbers: "FILE", "FILE#COLUMN". Fails with "unreadable-column" and
  // as readOverlayColumn does.
  Status by(const QString& name);
  QString name() const;  // what by() takes; empty for opcode classes and queries

 Q_SIGNALS:
  void changed();
  void paletteChanged();
  void explained(bool byLegend);  // whether the colours want a legend
  void said(const QString& what);

 private:
  void buildMenu();
  void check();
  void askColumn();
  void readColumn(const QString& path, const QString& column);
  void offerColumns(const QString& path, const QStringList& columns);
  QueryColours& lines();
  void askQueries();
  void colourByQueries(std::vector<Query> queries);
  void dropQueries();
  bool areQueries() const;

  JobQueue& jobs_;
  JobScope scope_;
  const std::string tag_;
  CanvasWidget& canvas_;
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const ModuleCost> cost_;

  OverlayKind kind_ = OverlayKind::None;
  std::shared_ptr<const Overlay> given_;
  int givenBy_ = 0;             // data of the choice in the menu that `given_` came from
  QString columnName_;          // "FILE", "FILE#COLUMN": of the column read last
  std::vector<Query> queries_;  // while they are what colours
  bool isMatching_ = false;     // them, in a job

  struct Source {
    QString name;
    std::function<void()> ask;
  };
  std::vector<Source> sources_;
  QMenu* menu_;
  QActionGroup* group_ = nullptr;
  QMenu* columnMenu_ = nullptr;
  QVBoxLayout& above_;
  QueryColours* lines_ = nullptr;  // made when first asked for
};

}  // namespace hilo
