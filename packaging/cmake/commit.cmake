# Writes the commit of SOURCE as a C++ string literal to OUTPUT, where it is not there already: run by every build.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty=+ --exclude=* OUTPUT_VARIABLE commit
  ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "\"${commit}\"\n" @ONLY)
