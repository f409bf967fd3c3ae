# Files as constants of the program, so that it needs no path to its sources.
#
#   starport_embed(TARGET HEADER FILE...)
#
# gives the target, whose sources may then say #include "HEADER", one constant per file, made anew
# when the file changes: plots/figure.py is std::string_view starport::embedded::plots_figure_py.
function(starport_embed target header)
  set(base ${PROJECT_BINARY_DIR}/generated/${header})
  string(REGEX REPLACE "\\.hpp$" ".cpp" source ${base})
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
  string(REPLACE ";" "|" files "${ARGN}")
  add_custom_command(OUTPUT ${base} ${source}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DROOT=${PROJECT_SOURCE_DIR} -DHEADER=${header}
      -DOUTPUT_HEADER=${base} -DOUTPUT_SOURCE=${source} -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${paths} ${CMAKE_CURRENT_FUNCTION_LIST_FILE} VERBATIM)
  target_sources(${target} PRIVATE ${base} ${source})
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

# Bytes are written as escapes: no delimiter to clash with, any content. A string literal's length has
# no limit in GCC and Clang.
set(declarations "")
set(definitions "")
string(REPLACE "|" ";" files "${FILES}")
foreach(file IN LISTS files)
  string(REGEX REPLACE "[^A-Za-z0-9_]" "_" name ${file})
  file(SIZE ${ROOT}/${file} size)
  file(READ ${ROOT}/${file} bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(APPEND declarations "extern const std::string_view ${name};  // ${file}\n")
  string(APPEND definitions
    "constinit const std::string_view ${name}{\"${bytes}\", ${size}};\n")
endforeach()
file(WRITE ${OUTPUT_HEADER}
  "#pragma once\n\n#include <string_view>\n\nnamespace starport::embedded {\n${declarations}}\n")
file(WRITE ${OUTPUT_SOURCE}
  "#include \"${HEADER}\"\n\nnamespace starport::embedded {\n${definitions}}\n")
