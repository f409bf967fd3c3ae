#include "sim/starpu/policy/update_tasks.hpp"

#include <set>
#include <unordered_map>

namespace starport::starpu {

std::optional<UpdateTiles> find_update_tiles(struct starpu_task* task) {
  if (task->cl == nullptr || STARPU_TASK_GET_NBUFFERS(task) != 3) return std::nullopt;
  UpdateTiles tiles{};
  for (unsigned buffer = 0; buffer < 3; ++buffer) {
    const starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, buffer);
    const unsigned mode = STARPU_TASK_GET_MODE(task, buffer);
    const unsigned access = mode & (STARPU_RW | STARPU_SCRATCH | STARPU_REDUX | STARPU_COMMUTE);
    starpu_data_handle_t* place = nullptr;
    if (access == STARPU_R) {
      place = tiles.a == nullptr ? &tiles.a : &tiles.b;
    } else if (access == STARPU_RW || access == STARPU_W) {
      place = &tiles.c;
    }
    if (place == nullptr || *place != nullptr) return std::nullopt;
    *place = handle;
  }
  if (tiles.a == tiles.b || tiles.a == tiles.c || tiles.b == tiles.c) return std::nullopt;
  return tiles;
}

std::optional<TilesOfC> place_tiles_of_c(std::span<const UpdateTiles> updates) {
  std::unordered_map<starpu_data_handle_t, std::int32_t> rows;
  std::unordered_map<starpu_data_handle_t, std::int32_t> columns;
  std::set<starpu_data_handle_t> targets;
  for (const UpdateTiles& tiles : updates) {
    rows.emplace(tiles.a, static_cast<std::int32_t>(rows.size()));
    columns.emplace(tiles.b, static_cast<std::int32_t>(columns.size()));
    targets.insert(tiles.c);
  }
  if (rows.size() * columns.size() != updates.size() || targets.size() != updates.size()) {
    return std::nullopt;
  }
  TilesOfC places{.rows = static_cast<std::int32_t>(rows.size()),
                  .columns = static_cast<std::int32_t>(columns.size())};
  std::set<std::int32_t> taken;
  for (const UpdateTiles& tiles : updates) {
    places.numbers.push_back(rows.at(tiles.a) * places.columns + columns.at(tiles.b));
    if (!taken.insert(places.numbers.back()).second) return std::nullopt;
  }
  return places;
}

}  // namespace starport::starpu
