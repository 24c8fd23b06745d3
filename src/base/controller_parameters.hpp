// The controllers' parameters as data, in one place: the controllers read them by name, the settings' schema has a row
// for each (adaptive_tick, alg1_threshold ...), and the documentation is made from the rows.
#pragma once

#include "base/parameter.hpp"

namespace charm::base {

inline constexpr Parameter adaptive_parameters[] = {
    {"tick", "0.05", "Seconds between decisions.", ""},
    {"settle", "1", "Samples dropped after a move.", ""},
    {"band", "0.1", "Relative change of throughput or intensity that may be a new phase.", ""},
    {"expand", "0.03", "Gain that spreading further must bring.", ""},
    {"contract", "0.01", "Loss that contracting may cost.", ""},
    {"min_samples", "2", "Samples of a probe at least.", ""},
    {"max_samples", "100", "Samples of a probe at most, however noisy.", ""},
    {"backoff", "20", "Ticks until a level that failed is tried again; doubles each time.", ""},
    {"backoff_max", "1280", "Ticks that it waits at most.", ""},
    {"stall_floor", "0.02", "Share of stalled time below which there is nothing to gain by spreading.", ""},
    {"grain", "20e-6", "Seconds of a task below which only contraction is tried.", ""},
    {"idle", "0.3", "Share of idle time above which only contraction is tried.", ""},
    {"follow", "8", "Ticks that phases must last on average to be followed one by one.", ""},
    {"window", "32", "Ticks over which shorter phases are averaged.", ""},
};

inline constexpr Parameter alg1_parameters[] = {
    {"period", "0.5", "SCHEDULER_TIMER: seconds between decisions.", ""},
    {"threshold", "300", "RMT_CHIP_ACCESS_RATE: events at which it spreads.", ""},
    {"per", "period", "What the threshold counts events by: a worker's period, or its 1,000 instructions.",
     "period|kiloinstruction"},
    {"events", "remote-chiplet", "Fills that count as events.", "remote-chiplet|remote-chiplet+dram|any"},
    {"step", "1", "Chiplets by which a decision changes the spread.", ""},
    {"map", "family", "Cores of a spread: the monotone family's, or Algorithm 2's.", "family|literal"},
    {"start", "0", "Spread to start at; 0: where the placement starts.", ""},
};

}  // namespace charm::base
