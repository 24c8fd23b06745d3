# Helpers of the installation tests.
cmake_minimum_required(VERSION 3.25)

function(must)  # COMMAND...: runs it and ends the test where it fails
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(must_say expected)  # COMMAND...: its output has to match
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "${output}")
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "expected output that matches '${expected}'")
  endif()
endfunction()
