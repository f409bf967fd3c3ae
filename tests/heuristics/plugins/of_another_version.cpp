// A library that was compiled for another version of the interface.
#include "heuristics/external/plugin.hpp"

extern "C" const starport::PluginInterface starport_plugin_interface;
extern "C" const starport::PluginInterface starport_plugin_interface = {0};
extern "C" void starport_plugin_entries(std::vector<starport::PluginEntry>&);
extern "C" void starport_plugin_entries(std::vector<starport::PluginEntry>&) {}
