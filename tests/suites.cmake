# Writes a test of ctest for each suite of the program: to start it for each of its tests takes as long
# as many of them do. With -DPROGRAM=... -DOUTPUT=... -DLONG=SUITE;..., those that start first.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[^ \n]+\\.[\n ]" suites "${listed}")
set(tests "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n|\\..$" "" suite "${suite}")
  set(cost 0)
  if(suite IN_LIST LONG)
    set(cost 1)
  endif()
  string(APPEND tests "add_test([==[${suite}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${suite}.*]==])\n"
    "set_tests_properties([==[${suite}]==] PROPERTIES TIMEOUT 600 COST ${cost})\n")
endforeach()
file(WRITE ${OUTPUT} "${tests}")
