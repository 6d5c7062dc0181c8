// Everything open as a tree: document, and below it either a module's computations and instructions, or a
// dump's modules, their stages and files. What Hilo's own passes made stands below the module they ran over,
// a row a step. Children are made when first asked for. Columns: name, opcode or size, shape.
#pragma once

#include <QAbstractItemModel>
#include <functional>

#include "core/analysis/query/query.h"
#include "ui/models/selection.h"
#include "ui/models/session_changes.h"

namespace hilo {

class ModuleTreeModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum class Kind : uint8_t {
    kRoot,
    kDocument,
    kDumpModule,
    kStage,
    kSeries,
    kStep,
    kFile,
    kNote,
    kComputation,
    kInstruction
  };
  struct Entry {
    Kind kind = Kind::kRoot;
    Selection selection;     // of documents, read stages, computations, instructions
    size_t moduleIndex = 0;  // of dump modules and stages
    size_t stageIndex = 0;   // of stages
    QString path;            // of files
    SeriesId series;         // of series and steps
    size_t step = 0;         // of steps
  };

  ModuleTreeModel(const Session& session, const SessionChanges& changes, QObject* parent = nullptr);
  ~ModuleTreeModel() override;

  // Shows only what the query `text` matches (query.h; a word is looked for in names, opcodes and op_names),
  // and computations whose name holds it, at most kFilterLimit of them; empty shows all. A query that cannot
  // be read shows what it did before, and its error is returned.
  Status setFilter(const QString& text);
  size_t filterMatches() const { return filterMatches_; }
  static constexpr size_t kFilterLimit = 5000;

  Entry entryAt(const QModelIndex& index) const;
  // Makes the nodes on the way; invalid when the selection is not in the tree.
  QModelIndex indexOf(const Selection& selection);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  bool hasChildren(const QModelIndex& parent = {}) const override;
  bool canFetchMore(const QModelIndex& parent) const override;
  void fetchMore(const QModelIndex& parent) override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Node;
  Node* nodeOf(const QModelIndex& index) const;
  QModelIndex indexOfNode(const Node& node) const;
  void rebuild();
  std::vector<std::unique_ptr<Node>> childrenOf(Node& node);
  std::vector<std::unique_ptr<Node>> dumpChildren(Node& node);
  std::vector<std::unique_ptr<Node>> moduleNodes(SnapshotId snapshot);
  std::vector<std::unique_ptr<Node>> computationNodes(SnapshotId snapshot);
  std::unique_ptr<Node> seriesNode(const SeriesEntry& entry) const;
  std::vector<std::unique_ptr<Node>> stepNodes(const Node& series) const;
  std::vector<std::unique_ptr<Node>> missingNodes(const Node& note) const;
  void addSeries(SeriesId id);
  // Makes the nodes on the way; null when the snapshot is not in the tree.
  Node* nodeOf(SnapshotId snapshot);
  Node* childOf(Node& parent, const std::function<bool(const Node&)>& matches);
  void insertChild(Node& parent, size_t row, std::unique_ptr<Node> child);
  std::vector<std::unique_ptr<Node>> instructionNodes(Node& node);
  bool mayHaveChildren(const Node& node) const;
  bool passesFilter(const Computation& computation) const;
  bool passesFilter(const Instruction& instruction);
  void addDocument(DocumentId id);
  void refreshSnapshot(SnapshotId id);
  QString textOf(const Node& node, int column) const;

  const Session& session_;
  std::unique_ptr<Node> root_;
  std::string filter_;  // in lower case
  std::optional<Query> query_;
  std::unique_ptr<QueryMatcher> matcher_;  // of query_, for matchedModule_
  const Module* matchedModule_ = nullptr;
  size_t filterMatches_ = 0;
};

}  // namespace hilo
