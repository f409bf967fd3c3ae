# Adds the files that Debian requires, after cpack has laid out the files of the package.
set(doc ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc/starport)
set(source ${CMAKE_CURRENT_LIST_DIR}/../..)
file(REMOVE ${doc}/LICENSE)
if(EXISTS ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/zsh)  # with Python
  file(RENAME ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/zsh/site-functions
    ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/zsh/vendor-completions)
endif()
file(READ ${source}/plots/explore/uPlot.LICENSE mit)
string(REGEX REPLACE "^[^\n]*\n\n[^\n]*\n\n" "" mit "${mit}")
string(REPLACE "\n\n" "\n.\n" mit "${mit}")
string(REPLACE "\n" "\n " mit "${mit}")
file(WRITE ${doc}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: starport

Files: *
Copyright: 2026 the authors of Starport
License: Apache-2.0
 On Debian systems the text of this licence is in
 /usr/share/common-licenses/Apache-2.0.

Files: plots/explore/uPlot.*
Copyright: 2022 Leon Sorokin
License: MIT
 ${mit}
")

function(compressed text name)
  file(WRITE ${doc}/${name} "${text}")
  execute_process(COMMAND gzip -9nf ${doc}/${name} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
file(READ ${source}/.github/CHANGELOG.md changelog)
string(REPLACE ";" "\\;" changelog "${changelog}")
compressed("${changelog}" changelog)
string(REGEX MATCH "## ${CPACK_PACKAGE_VERSION}, ([^\n]+)" heading "${changelog}")
execute_process(COMMAND date -R -u -d "${CMAKE_MATCH_1}" OUTPUT_VARIABLE date
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
compressed("starport (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * The changes are in changelog.gz.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
" changelog.Debian)
