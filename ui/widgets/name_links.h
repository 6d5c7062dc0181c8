// Names of instructions within a sentence as links: "%dot.8" leads to "name:dot.8".
#pragma once

#include <QString>
#include <string>

namespace hilo {

// HTML of a link to the instruction.
QString nameLink(const QString& name, const QString& colour);
// HTML of the line with each %name as a link to it. A name ends before punctuation that ends a sentence.
QString withNameLinks(const std::string& line, const QString& colour);

}  // namespace hilo
