/* Scheduling policies for StarPU programs that multiply tiled matrices: the strategies of Beaumont,
 * Cojean, Eyraud-Dubois, Guermouche and Kumar (ICPP'18), and Starport's ZoneGrowth.
 *
 *   struct starpu_conf conf;
 *   starpu_conf_init(&conf);
 *   conf.sched_policy = starport_starpu_policy("EffectiveSteal");
 *   starpu_init(&conf);
 *
 * Link with libstarport-starpu (pkg-config starport-starpu).
 */
#ifndef STARPORT_STARPU_H
#define STARPORT_STARPU_H

#include <starpu_scheduler.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a policy for starpu_conf.sched_policy or starpu_sched_ctx_create(), which is valid until
 * the program ends. `strategy` is the name of a strategy as `starport list` shows it, with its
 * parameters: "Static", "RandSteal", "ChoiceSteal", "EffectiveSteal", "FirstDyn", "ChoiceDyn[x=50]",
 * "EffectiveDyn", "DMDA", "ZoneGrowth", "EffectiveSteal[prefetch=1]", ... If it is unknown, the
 * function prints a message on the standard error stream and returns NULL, with which StarPU takes
 * its default policy.
 *
 * The policy recognises the tasks of a product by the data that they access: each updates a tile
 * C_ij (STARPU_RW, or STARPU_W for its first update) from the tiles A_ik and B_kj (STARPU_R, in
 * this order), for i = 0, ..., r-1, j = 0, ..., s-1, k = 0, ..., t-1, and the updates of a tile of C
 * are submitted in the order of k. A product starts when the program waits for its tasks, e.g. in
 * starpu_task_wait_for_all(). Codelets should have a performance model, since the strategies rely
 * on the speeds of the workers.
 *
 * All other tasks, and those of products that the strategy cannot schedule, run in the order in
 * which they become ready, by any worker; a message on the standard error stream says why. */
struct starpu_sched_policy* starport_starpu_policy(const char* strategy);

#ifdef __cplusplus
}
#endif

#endif
