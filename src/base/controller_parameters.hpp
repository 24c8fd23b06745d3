// The controllers' parameters as data, in one place: the controllers read them by name, the settings' schema has a row
// for each (adaptive_tick, alg1_threshold ...), and the documentation is made from the rows.
#pragma once

#include "base/parameter.hpp"

namespace charm::base {

inline constexpr Parameter adaptive_parameters[] = {
    {"tick", "0.05", "Seconds between decisions.", ""},
    {"settle", "1", "Samples dropped after a move.", ""},
    {"band", "0.1", "Relative change of throughput or intensity that may be a new phase.", ""},
    {"expand", "0.03", "Least relative gain for which the workers stay spread further.", ""},
    {"contract", "0.01", "Largest relative loss at which the workers stay on fewer chiplets.", ""},
    {"min_samples", "2", "Least number of samples of a probe.", ""},
    {"max_samples", "100", "Largest number of samples of a probe, however noisy.", ""},
    {"backoff", "20", "Ticks until a level that failed is tried again; they double with each failure.", ""},
    {"backoff_max", "1280", "Most ticks until a level that failed is tried again.", ""},
    {"stall_floor", "0.02", "Share of time stalled on memory below which spreading is not tried.", ""},
    {"grain", "20e-6", "Mean seconds of a task below which only fewer chiplets are tried.", ""},
    {"idle", "0.3", "Share of idle time above which only fewer chiplets are tried, unless the rest waits for memory.",
     ""},
    {"follow", "8", "Ticks that phases must last on average to be followed one by one.", ""},
    {"window", "32", "Ticks over which shorter phases are averaged.", ""},
};

// Of charm-alg1 and of charm-alg1-group.
inline constexpr Parameter alg1_parameters[] = {
    {"period", "0.5", "SCHEDULER_TIMER: seconds between decisions.", ""},
    {"threshold", "300", "RMT_CHIP_ACCESS_RATE: number of events at which workers are spread further.", ""},
    {"per", "period", "Whether events are counted for each period, or for each 1,000 instructions, of a worker.",
     "period|kiloinstruction"},
    {"events", "remote-chiplet", "Fills that count as events.", "remote-chiplet|remote-chiplet+dram|any"},
    {"step", "1", "Chiplets (of charm-alg1-group: levels) by which a decision changes the spread.", ""},
    {"start", "0", "Number of chiplets at the start; 0: the placement's own.", ""},
};

}  // namespace charm::base
