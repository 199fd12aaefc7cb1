// The calls of a plug-in. A place to go on is set before each, without the signal mask, which would be a system call.
#include "internal.h"

#include <stdlib.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <lilv-0/lilv/lilv.h>
#include <lv2/state/state.h>
#include <lv2/worker/worker.h>

struct cplugin_guard {
    cplugin_library *library;
    _Atomic(const char *) ended;
    LilvInstance *instance;
    LV2_Handle handle;
    void (*run)(LV2_Handle handle, uint32_t frames);
    const LV2_Worker_Interface *worker;
};

_Thread_local struct call *cplugin_current;

cplugin_library *cplugin_called(void) { return cplugin_current ? cplugin_current->guard->library : NULL; }

void cplugin_leave(const char *function) {
    struct call *call = cplugin_current;
    if (!call) return;
    atomic_store_explicit(&call->guard->ended, function, memory_order_release);
    _longjmp(call->place, 1);
}

#if defined(__x86_64__)
#define MODES(name) const unsigned name = __builtin_ia32_stmxcsr()
#define RESTORE(name) __builtin_ia32_ldmxcsr(name)
#elif defined(__aarch64__)
#define MODES(name)                                                                                                    \
    unsigned long name;                                                                                                \
    __asm__ volatile("mrs %0, fpcr" : "=r"(name))
#define RESTORE(name) __asm__ volatile("msr fpcr, %0" : : "r"(name))
#else
#define MODES(name)
#define RESTORE(name)
#endif

// What the statement writes to must be volatile: it may be left in the middle.
#define GUARDED(guard, statement)                                                                                      \
    do {                                                                                                               \
        if (cplugin_ended(guard)) break;                                                                               \
        struct call call;                                                                                              \
        call.guard = guard;                                                                                            \
        call.outer = cplugin_current;                                                                                  \
        MODES(modes);                                                                                                  \
        if (_setjmp(call.place) == 0) {                                                                                \
            cplugin_current = &call;                                                                                   \
            statement;                                                                                                 \
        }                                                                                                              \
        cplugin_current = call.outer;                                                                                  \
        RESTORE(modes);                                                                                                \
    } while (0)

cplugin_guard *cplugin_guard_new(cplugin_library *library) {
    cplugin_guard *guard = calloc(1, sizeof *guard);
    if (guard) guard->library = library;
    return guard;
}

void cplugin_guard_free(cplugin_guard *guard) { free(guard); }

const char *cplugin_ended(const cplugin_guard *guard) {
    return atomic_load_explicit(&guard->ended, memory_order_acquire);
}

unsigned cplugin_refused(const cplugin_guard *guard, cplugin_kind kind) {
    return atomic_load(&guard->library->counts[kind]);
}

const void *cplugin_descriptor(cplugin_guard *guard, void *function, uint32_t index) {
    const void *volatile descriptor = NULL;
    GUARDED(guard, descriptor = ((LV2_Descriptor_Function)function)(index));
    return descriptor;
}

void *cplugin_instantiate(cplugin_guard *guard, const void *plugin, double rate, const void *features) {
    LilvInstance *volatile made = NULL;
    const void *volatile worker = NULL;
    GUARDED(guard, made = lilv_plugin_instantiate(plugin, rate, features));
    if (!made) return NULL;
    guard->instance = made;
    guard->handle = made->lv2_handle;
    guard->run = made->lv2_descriptor->run;
    GUARDED(guard, worker = lilv_instance_get_extension_data(made, LV2_WORKER__interface));
    guard->worker = worker;
    return made;
}

bool cplugin_can_run(const cplugin_guard *guard) { return guard->run; }
bool cplugin_has_worker(const cplugin_guard *guard) { return guard->worker && guard->worker->work; }
bool cplugin_takes_responses(const cplugin_guard *guard) { return guard->worker && guard->worker->work_response; }

void cplugin_connect(cplugin_guard *guard, uint32_t port, void *place) {
    GUARDED(guard, lilv_instance_connect_port(guard->instance, port, place));
}

void cplugin_activate(cplugin_guard *guard) { GUARDED(guard, lilv_instance_activate(guard->instance)); }
void cplugin_deactivate(cplugin_guard *guard) { GUARDED(guard, lilv_instance_deactivate(guard->instance)); }
void cplugin_cleanup(cplugin_guard *guard) { GUARDED(guard, lilv_instance_free(guard->instance)); }

void *cplugin_save(cplugin_guard *guard, const void *plugin, void *map,
                   const void *(*value)(const char *symbol, void *context, uint32_t *size, uint32_t *type),
                   void *context, uint32_t flags, const void *features) {
    LilvState *volatile state = NULL;
    GUARDED(guard, state = lilv_state_new_from_instance(plugin, guard->instance, map, NULL, NULL, NULL, NULL, value,
                                                        context, flags, features));
    return state;
}

void cplugin_restore(cplugin_guard *guard, const void *state, const void *features) {
    GUARDED(guard, lilv_state_restore(state, guard->instance, NULL, NULL, 0, features));
}

void cplugin_work(cplugin_guard *guard, uint32_t (*respond)(void *to, uint32_t size, const void *body), void *to,
                  uint32_t size, const void *body) {
    GUARDED(guard, guard->worker->work(guard->handle, (LV2_Worker_Respond_Function)respond, to, size, body));
}

void cplugin_run(cplugin_guard *guard, uint32_t frames) {
    if (!guard->run) return;
    GUARDED(guard, guard->run(guard->handle, frames));
}

void cplugin_respond(cplugin_guard *guard, uint32_t size, const void *body) {
    GUARDED(guard, guard->worker->work_response(guard->handle, size, body));
}

void cplugin_end_run(cplugin_guard *guard) {
    if (!guard->worker || !guard->worker->end_run) return;
    GUARDED(guard, guard->worker->end_run(guard->handle));
}

bool cplugin_counter_is_steady(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    // "Invariant TSC", in the manuals of AMD and Intel.
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}
