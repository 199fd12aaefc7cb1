// A JACK client that comes and goes: it opens a client with a port, activates, connects and closes it, over and over.
//
// usage: visitor SERVER NAME
//
// Prints a dot for each visit. Ends by a signal only.

#include <jack/jack.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int process(jack_nframes_t frames, void *port) {
    memset(jack_port_get_buffer(port, frames), 0, frames * sizeof(float));
    return 0;
}

// One visitor, until libjack 1.9.21 holds it up or its server goes: without protection some closes never return.
static int visit(const char *server, const char *name) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        alarm(5);
        jack_client_t *client = jack_client_open(name, JackNoStartServer | JackServerName, NULL, server);
        if (!client) return 69;
        jack_port_t *port = jack_port_register(client, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
        if (!port) return 70;
        jack_set_process_callback(client, process, port);
        if (jack_activate(client) == 0) jack_connect(client, jack_port_name(port), "system:playback_1");
        jack_client_close(client);
        putchar('.');
        fflush(stdout);
        // A pause, not a wait for anything, and it ends with the process: without it the visitors would use up the processor that
        // the tests need. Each visit has the alarm above; checks.py counts whether there were enough of them.
        usleep(250000);
    }
}

int main(int count, char **words) {
    if (count != 3) return 64;
    for (;;) {
        const pid_t child = fork();
        if (child == 0) return visit(words[1], words[2]);
        int status;
        if (child < 0 || waitpid(child, &status, 0) < 0) return 71;
        if (WIFEXITED(status) && WEXITSTATUS(status) != 69) return WEXITSTATUS(status);
        usleep(100000);
    }
}
