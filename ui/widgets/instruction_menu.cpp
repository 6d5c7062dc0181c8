#include "ui/widgets/instruction_menu.h"

#include <QApplication>
#include <QClipboard>

#include "core/workspace/text/printed_module.h"
#include "core/workspace/text/source_lines.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

struct Place {
  const char* view;
  const char* title;
};
constexpr Place kPlaces[] = {{"graph", "Graph"},       {"text", "Text"},         {"source", "Source"},
                             {"overview", "Overview"}, {"schedule", "Schedule"}, {"memory", "Memory"},
                             {"thunks", "Thunks"},     {"values", "Values"},     {"inspector", "Inspector"}};

void addPlaces(QMenu& menu, const ViewContext& context) {
  for (const Place& place : kPlaces) {
    menu.addAction(place.title, [&bus = context.bus, view = QString(place.view)] {
      bus.activate(bus.selected());
      bus.ask(ShowView{view});
    });
  }
}

void addCopy(QMenu& menu, const QString& title, const QString& text) {
  if (!text.isEmpty()) menu.addAction(title, [text] { QApplication::clipboard()->setText(text); });
}

void addCopies(QMenu& menu, const Instruction& instruction) {
  addCopy(menu, "Name", qs(instruction.name()));
  addCopy(menu, "op_name", qs(instruction.opName()));
  if (const auto frames = sourceFramesOf(instruction); !frames.empty())
    addCopy(menu, "Source line", QString("%1:%2").arg(qs(frames[0].file)).arg(frames[0].line));
  addCopy(menu, "HLO text", qs(printedLine(instruction)));
}

}  // namespace

void addInstructionMenu(QMenu& menu, const ViewContext& context) {
  const Snapshot* shown = snapshotFor(context.session, context.bus.selected());
  const Instruction* instruction =
      shown == nullptr ? nullptr : instructionOf(*shown->module, context.bus.selected());
  if (instruction == nullptr) return;
  const QString name = qs(instruction->name());
  QMenu* own = menu.addMenu("%" + QString(name).replace('&', "&&"));
  addPlaces(*own->addMenu("Go to"), context);
  const auto find = [&](const char* title, const char* key) {
    own->addAction(
        title, [&bus = context.bus, query = QString("%1:%2").arg(key, name)] { bus.ask(SearchFor{query}); });
  };
  find("Find users", "operand");
  find("Find operands", "user");
  const bool isFusion = instruction->opcode() == Opcode::Fusion;
  own->addAction(isFusion ? "Tiles of this fusion" : "Tiles", [&bus = context.bus] {
    bus.activate(bus.selected());
    bus.ask(ShowView{"tiles"});
  });
  own->addAction("Bookmark", [&bus = context.bus] { bus.ask(BookmarkSelected{}); });
  addCopies(*own->addMenu("Copy"), *instruction);
}

}  // namespace hilo
