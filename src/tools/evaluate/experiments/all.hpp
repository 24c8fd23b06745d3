// The experiments that experiment.cpp lists, one or a few a file.
#pragma once

#include "tools/evaluate/experiment.hpp"

namespace charm::evaluate {

extern constinit const Experiment charm_figure_5;
extern constinit const Experiment charm_figure_7;
extern constinit const Experiment mechanisms;
extern constinit const Experiment scaling;
extern constinit const Experiment charm_figure_8;
extern constinit const Experiment charm_figure_9;
extern constinit const Experiment charm_figure_10;
extern constinit const Experiment charm_figure_13;
extern constinit const Experiment charm_figure_14;
extern constinit const Experiment charm_table_1;
extern constinit const Experiment charm_table_2;
extern constinit const Experiment sgd;
extern constinit const Experiment adaptive;
extern constinit const Experiment no_tool;
extern constinit const Experiment counting_cost;
extern constinit const Experiment moves;
extern constinit const Experiment olap_figure_5;
extern constinit const Experiment olap_monolithic;
extern constinit const Experiment olap_figure_10;
extern constinit const Experiment abss_figure_13;
extern constinit const Experiment tapmm_figure_8;
extern constinit const Experiment tapmm_figure_10;
extern constinit const Experiment tapmm_figure_11;

}  // namespace charm::evaluate
