// Signals that are sent, timers that send them, and how threads are scheduled: each is a system call.
#define _GNU_SOURCE
#include "interpose.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

WATCHED("systemCall", int, kill, (pid_t process, int number), (process, number))
WATCHED("systemCall", int, killpg, (pid_t group, int number), (group, number))
WATCHED("systemCall", int, tgkill, (pid_t process, pid_t thread, int number), (process, thread, number))
WATCHED("systemCall", int, pthread_kill, (pthread_t thread, int number), (thread, number))
WATCHED("systemCall", int, sigqueue, (pid_t process, int number, const union sigval value), (process, number, value))
WATCHED("systemCall", int, pthread_sigqueue, (pthread_t thread, int number, const union sigval value),
        (thread, number, value))
WATCHED("systemCall", int, pidfd_open, (pid_t process, unsigned flags), (process, flags))
WATCHED("systemCall", int, pidfd_send_signal, (int process, int number, siginfo_t *facts, unsigned flags),
        (process, number, facts, flags))

WATCHED("systemCall", unsigned, alarm, (unsigned seconds), (seconds))
WATCHED("systemCall", useconds_t, ualarm, (useconds_t time, useconds_t interval), (time, interval))
WATCHED("systemCall", int, setitimer, (__itimer_which_t timer, const struct itimerval *time, struct itimerval *old),
        (timer, time, old))
WATCHED("systemCall", int, timer_create, (clockid_t clock, struct sigevent *event, timer_t *timer),
        (clock, event, timer))
WATCHED("systemCall", int, timer_settime,
        (timer_t timer, int flags, const struct itimerspec *time, struct itimerspec *old), (timer, flags, time, old))
WATCHED("systemCall", int, timer_delete, (timer_t timer), (timer))

WATCHED("systemCall", int, sched_setscheduler, (pid_t process, int policy, const struct sched_param *parameters),
        (process, policy, parameters))
WATCHED("systemCall", int, sched_setaffinity, (pid_t process, size_t size, const cpu_set_t *processors),
        (process, size, processors))
WATCHED("systemCall", int, pthread_setschedparam, (pthread_t thread, int policy, const struct sched_param *parameters),
        (thread, policy, parameters))
WATCHED("systemCall", int, pthread_setaffinity_np, (pthread_t thread, size_t size, const cpu_set_t *processors),
        (thread, size, processors))
