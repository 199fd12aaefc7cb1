// Locks and waits. A lock that is free is found too: whether it is free is a matter of luck.
#define _GNU_SOURCE
#include "interpose.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

// What the compiler calls where it knows the size: no header has it.
int __poll_chk(struct pollfd *files, nfds_t count, int time, size_t room);

// Notes a lock, and whether somebody else had it.
#define LOCK(name, type, attempt)                                                                              \
    int name(type *lock) {                                                                                             \
        if (__builtin_expect(!region.is_inside, 1)) return NEXT(name)(lock);                                           \
        const bool was_inside = region_pause();                                                                        \
        int result = NEXT(attempt)(lock);                                                                              \
        record(result == EBUSY ? "contendedLock" : "lock", #name, __builtin_return_address(0), 0);                     \
        if (result == EBUSY) result = NEXT(name)(lock);                                                                \
        region_resume(was_inside);                                                                                     \
        return result;                                                                                                 \
    }

LOCK(pthread_mutex_lock, pthread_mutex_t, pthread_mutex_trylock)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t, pthread_rwlock_tryrdlock)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t, pthread_rwlock_trywrlock)
WATCHED("lock", int, pthread_spin_lock, (pthread_spinlock_t * lock), (lock))
WATCHED("lock", int, pthread_mutex_timedlock, (pthread_mutex_t * lock, const struct timespec *time), (lock, time))
WATCHED("lock", int, pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const struct timespec *time), (lock, time))
WATCHED("lock", int, pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const struct timespec *time), (lock, time))
WATCHED("lock", int, pthread_mutex_clocklock, (pthread_mutex_t * lock, clockid_t clock, const struct timespec *time),
        (lock, clock, time))
WATCHED("lock", int, pthread_rwlock_clockrdlock,
        (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *time), (lock, clock, time))
WATCHED("lock", int, pthread_rwlock_clockwrlock,
        (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *time), (lock, clock, time))
WATCHED("lock", int, mtx_lock, (mtx_t * lock), (lock))
WATCHED("lock", int, mtx_timedlock, (mtx_t * lock, const struct timespec *time), (lock, time))

// Of these the C library has an old form too, which a look-up by the name alone may find.
COUNTED("wait", int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *lock),
        NEXT_VERSION(pthread_cond_wait, "GLIBC_2.3.2")(condition, lock))
COUNTED("wait", int, pthread_cond_timedwait,
        (pthread_cond_t * condition, pthread_mutex_t *lock, const struct timespec *time),
        NEXT_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2")(condition, lock, time))
WATCHED("wait", int, pthread_cond_clockwait,
        (pthread_cond_t * condition, pthread_mutex_t *lock, clockid_t clock, const struct timespec *time),
        (condition, lock, clock, time))
WATCHED("wait", int, cnd_wait, (cnd_t * condition, mtx_t *lock), (condition, lock))
WATCHED("wait", int, cnd_timedwait, (cnd_t * condition, mtx_t *lock, const struct timespec *time),
        (condition, lock, time))
WATCHED("wait", int, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier))
WATCHED("wait", int, pthread_join, (pthread_t thread, void **value), (thread, value))
WATCHED("wait", int, sem_wait, (sem_t * semaphore), (semaphore))
WATCHED("wait", int, sem_timedwait, (sem_t * semaphore, const struct timespec *time), (semaphore, time))
WATCHED("wait", int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *time),
        (semaphore, clock, time))
WATCHED("wait", int, poll, (struct pollfd * files, nfds_t count, int time), (files, count, time))
WATCHED("wait", int, __poll_chk, (struct pollfd * files, nfds_t count, int time, size_t room), (files, count, time, room))
WATCHED("wait", int, ppoll, (struct pollfd * files, nfds_t count, const struct timespec *time, const sigset_t *mask),
        (files, count, time, mask))
WATCHED("wait", int, select, (int count, fd_set *input, fd_set *output, fd_set *other, struct timeval *time),
        (count, input, output, other, time))
WATCHED("wait", int, pselect,
        (int count, fd_set *input, fd_set *output, fd_set *other, const struct timespec *time, const sigset_t *mask),
        (count, input, output, other, time, mask))
WATCHED("wait", int, epoll_pwait, (int file, struct epoll_event *events, int count, int time, const sigset_t *mask),
        (file, events, count, time, mask))
WATCHED("wait", int, epoll_wait, (int file, struct epoll_event *events, int count, int time),
        (file, events, count, time))
WATCHED("wait", int, sigwait, (const sigset_t *signals, int *number), (signals, number))
WATCHED("wait", int, sigtimedwait, (const sigset_t *signals, siginfo_t *facts, const struct timespec *time),
        (signals, facts, time))
WATCHED("wait", int, usleep, (useconds_t time), (time))
WATCHED("wait", unsigned, sleep, (unsigned time), (time))
WATCHED("wait", int, nanosleep, (const struct timespec *time, struct timespec *rest), (time, rest))
WATCHED("wait", int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *rest),
        (clock, flags, time, rest))
WATCHED("wait", int, thrd_sleep, (const struct timespec *time, struct timespec *rest), (time, rest))
WATCHED("wait", int, thrd_join, (thrd_t thread, int *value), (thread, value))
WATCHED("wait", int, sched_yield, (void), ())
